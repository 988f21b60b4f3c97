import { type Phase, phases } from '../../agent/event.ts';
import { inEnglish } from '../../messages/languages.ts';
import { batchResult } from '../../review/headline.ts';
import type { Review } from '../../review/review.ts';
import { dollars, duration, grouped, plural } from '../../text.ts';
import { tokensText } from '../wording.ts';
import { type Block, fold, type Line, listOf, tableOf } from './blocks.ts';

/** Such as `14,203 tokens in (9,000 cached), 812 out · 3 model calls · 2 tool calls · 12 s`. */
export function costText({ metrics, milliseconds }: Pick<Review, 'metrics' | 'milliseconds'>): string {
  const { usage, cost, modelCalls, toolCalls } = metrics;
  const time = duration(milliseconds);
  if (modelCalls === 0) return `No model calls · ${time}`;
  // Of calls that all failed there is nothing to count.
  const calls = plural(modelCalls, 'model call');
  if (usage.input + usage.output === 0) return `${calls} · ${time}`;
  const parts = [
    tokensText(usage, 'tokens '),
    ...(cost === null ? [] : [dollars(cost)]),
    calls,
    plural(toolCalls, 'tool call'),
    time,
  ];
  return parts.join(' · ');
}

/** Details of the job summary, which are English in every language: tokens, money and time against their limits, then by phase, by batch and by tool; nothing where no token was used. */
export function costBlocks(review: Review): readonly Block[] {
  const { usage, modelCalls } = review.metrics;
  if (modelCalls === 0 || usage.input + usage.output === 0) return [];
  return [...listOf(limitLines(review)), ...phaseTable(review), ...batchTable(review), ...toolTable(review)];
}

function limitLines({ metrics, limits, milliseconds, estimate, batches }: Review): readonly Line[] {
  const { usage, cost } = metrics;
  const asked = batches.flatMap(({ followUp }) => (followUp === null ? [] : [followUp]));
  const refused = asked.filter((one) => one.refused !== null).length;
  const share = (used: string, limit: string) => `${used} of ${limit}`;
  const lines = [
    `${grouped(usage.input + usage.output)} of ${grouped(limits.maxTotalTokens)} tokens, ${grouped(usage.thinking)} of them reasoning`,
    cost === null || limits.maxCost === null ? '' : share(dollars(cost), dollars(limits.maxCost)),
    `${plural(metrics.iterations, 'iteration')}, at most ${grouped(limits.maxIterations)} per batch`,
    asked.length === 0
      ? ''
      : `${plural(asked.length, 'follow-up')}, at most one per batch${refused === 0 ? '' : `; ${grouped(refused)} not granted`}`,
    share(duration(milliseconds), `${grouped(limits.timeoutMinutes)} min`),
    estimate === null ? '' : estimateText(estimate),
    usage.estimated ? 'The provider did not report every call; missing figures are estimates.' : '',
  ];
  return lines.filter((line) => line !== '').map((line) => [line]);
}

function estimateText({ modelCalls, input, output, cost }: NonNullable<Review['estimate']>): string {
  const money = cost === null ? '' : `, ${dollars(cost)}`;
  const calls = plural(modelCalls, 'model call');
  return `Estimated before: about ${calls}, ${grouped(input)} in, ${grouped(output)} out${money}`;
}

const phaseNames = {
  review: 'Review',
  single: 'Review, one call per batch',
  'follow-up': 'Follow-ups',
  final: 'Last calls',
  extraction: 'Extraction',
  verification: 'Verification',
  reflection: 'Reflection',
  embedding: 'Embedding',
} as const satisfies Readonly<Record<Phase, string>>;

/** Only where there is more to tell than the total. */
function phaseTable({ metrics: { phases: byPhase, cost } }: Review): readonly Block[] {
  const rows = phases.flatMap((phase) => {
    const use = byPhase[phase];
    if (use === undefined) return [];
    const { input, cached, output } = use.usage;
    const numbers = [use.modelCalls, input, cached, output].map((number) => grouped(number));
    return [[phaseNames[phase], ...numbers, ...(cost === null ? [] : [dollars(use.cost ?? 0)])].map((cell) => [cell])];
  });
  const names = ['Phase', 'Calls', 'Tokens in', 'Cached', 'Tokens out'];
  const head = [...names, ...(cost === null ? [] : ['Cost'])];
  return rows.length < 2 ? [] : tableOf(head, rows);
}

const batchesListed = 100;

/** Of thousands those that a model looked at: the others never started, and the headline says why. */
function batchTable({ batches, metrics: { cost } }: Review): readonly Block[] {
  if (batches.every(({ gap }) => gap === null) && batches.length < 2) return [];
  const looked = batches.filter(({ metrics: { modelCalls } }) => modelCalls > 0);
  const listed = batches.length > batchesListed ? looked.slice(0, batchesListed) : batches;
  const rows = listed.map((batch): readonly Line[] => [
    [{ name: batch.name }],
    [grouped(batch.paths.length)],
    [{ said: inEnglish(batchResult(batch)), max: 500 }],
    [grouped(batch.metrics.iterations)],
    [grouped(batch.metrics.usage.input + batch.metrics.usage.output)],
    ...(cost === null ? [] : [[dollars(batch.metrics.cost ?? 0)]]),
  ]);
  const names = ['Batch', 'Files', 'How it ended', 'Iterations', 'Tokens'];
  const head = [...names, ...(cost === null ? [] : ['Cost'])];
  const rest = batches.length - listed.length;
  const more = `And ${grouped(rest)} more ${rest === 1 ? 'batch' : 'batches'}: the report file (\`report-file\`) lists all.`;
  return [...tableOf(head, rows), ...(rest === 0 ? [] : [{ kind: 'line', line: [more] } as const])];
}

function toolTable({ metrics }: Review): readonly Block[] {
  const tools = Object.entries(metrics.tools).sort(([, one], [, other]) => other.calls - one.calls);
  const isCut = tools.some(([, { cut }]) => cut > 0);
  const rows = tools.map(([name, { calls, milliseconds, cut }]): readonly Line[] => [
    [{ name }],
    [grouped(calls)],
    [duration(milliseconds)],
    ...(isCut ? [[cut === 0 ? '' : grouped(cut)]] : []),
  ]);
  return tableOf(['Tool', 'Calls', 'Time', ...(isCut ? ['Cut'] : [])], rows);
}

/** The cost as a fold below its line, or as that line alone: a clean review has no more to say. */
export function cost(review: Review): readonly Block[] {
  const { model, profile } = review.limits;
  const setting = [model ?? '', profile === '' ? '' : `profile ${profile}`].filter((part) => part !== '').join(', ');
  const title = `${costText(review)}${setting === '' ? '' : ` · ${setting}`}`;
  const blocks = review.outcome === 'clean' ? [] : costBlocks(review);
  return blocks.length === 0 ? [{ kind: 'line', line: [{ said: title }], small: true }] : fold(title, blocks);
}
