import { type Phase, phases } from '../../agent/event.ts';
import { batchResult } from '../../review/headline.ts';
import type { Review } from '../../review/review.ts';
import { dollars, duration } from '../../text.ts';
import { english, type Say, type Sentence } from '../../words/say.ts';
import { sayTokens } from '../wording.ts';
import { type Block, fold, type Line, listOf, tableOf } from './blocks.ts';

/** Such as `14,203 tokens in (9,000 cached), 812 out · 3 model calls · 2 tool calls · 12 s`. */
export function costText(
  { metrics, milliseconds }: Pick<Review, 'metrics' | 'milliseconds'>,
  say: Say = english,
): string {
  const { usage, cost, modelCalls, toolCalls } = metrics;
  const time = duration(milliseconds);
  if (modelCalls === 0) return `${say('No model calls')} · ${time}`;
  // Of calls that all failed there is nothing to count.
  const calls = say.many(modelCalls, '{n} model call', '{n} model calls');
  if (usage.input + usage.output === 0) return `${calls} · ${time}`;
  const parts = [
    sayTokens(usage, say),
    ...(cost === null ? [] : [dollars(cost)]),
    calls,
    say.many(toolCalls, '{n} tool call', '{n} tool calls'),
    time,
  ];
  return parts.join(' · ');
}

/** Tokens, money and time against their limits, then by phase, by batch and by tool; nothing where no token was used. */
export function costBlocks(review: Review, say: Say = english): readonly Block[] {
  const { usage, modelCalls } = review.metrics;
  if (modelCalls === 0 || usage.input + usage.output === 0) return [];
  return [
    ...listOf(limitLines(review, say)),
    ...phaseTable(review, say),
    ...batchTable(review, say),
    ...toolTable(review, say),
  ];
}

function limitLines({ metrics, limits, milliseconds, estimate, batches }: Review, say: Say): readonly Line[] {
  const { usage, cost } = metrics;
  const asked = batches.flatMap(({ followUp }) => (followUp === null ? [] : [followUp]));
  const refused = asked.filter((one) => one.refused !== null).length;
  const share = (used: string, limit: string) => say('{used} of {limit}', { used, limit });
  const lines = [
    say('{n} of {m} tokens, {thinking} of them reasoning', {
      n: usage.input + usage.output,
      m: limits.maxTotalTokens,
      thinking: usage.thinking,
    }),
    cost === null || limits.maxCost === null ? '' : share(dollars(cost), dollars(limits.maxCost)),
    say.many(metrics.iterations, '{n} iteration, at most {m} per batch', '{n} iterations, at most {m} per batch', {
      m: limits.maxIterations,
    }),
    asked.length === 0
      ? ''
      : `${say.many(asked.length, '{n} follow-up, at most one per batch', '{n} follow-ups, at most one per batch')}${refused === 0 ? '' : `; ${say('{n} not granted', { n: refused })}`}`,
    share(duration(milliseconds), `${say.number(limits.timeoutMinutes)} min`),
    estimate === null ? '' : estimateText(estimate, say),
    usage.estimated ? say('The provider did not report every call; missing figures are estimates.') : '',
  ];
  return lines.filter((line) => line !== '').map((line) => [line]);
}

function estimateText({ modelCalls, input, output, cost }: NonNullable<Review['estimate']>, say: Say): string {
  const money = cost === null ? '' : `, ${dollars(cost)}`;
  const calls = say.many(modelCalls, '{n} model call', '{n} model calls');
  return `${say('Estimated before: about {calls}, {in} in, {out} out', { calls, in: input, out: output })}${money}`;
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
} as const satisfies Readonly<Record<Phase, Sentence>>;

/** Only where there is more to tell than the total. */
function phaseTable({ metrics: { phases: byPhase, cost } }: Review, say: Say): readonly Block[] {
  const rows = phases.flatMap((phase) => {
    const use = byPhase[phase];
    if (use === undefined) return [];
    const { input, cached, output } = use.usage;
    const numbers = [use.modelCalls, input, cached, output].map(say.number);
    return [
      [say(phaseNames[phase]), ...numbers, ...(cost === null ? [] : [dollars(use.cost ?? 0)])].map((cell) => [cell]),
    ];
  });
  const names = [say('Phase'), say('Calls'), say('Tokens in'), say('Cached'), say('Tokens out')];
  const head = [...names, ...(cost === null ? [] : [say('Cost')])];
  return rows.length < 2 ? [] : tableOf(head, rows);
}

const batchesListed = 100;

/** Of thousands those that a model looked at: the others never started, and the headline says why. */
function batchTable({ batches, metrics: { cost } }: Review, say: Say): readonly Block[] {
  if (batches.every(({ gap }) => gap === null) && batches.length < 2) return [];
  const looked = batches.filter(({ metrics: { modelCalls } }) => modelCalls > 0);
  const listed = batches.length > batchesListed ? looked.slice(0, batchesListed) : batches;
  const rows = listed.map((batch): readonly Line[] => [
    [{ name: batch.name }],
    [say.number(batch.paths.length)],
    [{ said: say.t(batchResult(batch)), max: 500 }],
    [say.number(batch.metrics.iterations)],
    [say.number(batch.metrics.usage.input + batch.metrics.usage.output)],
    ...(cost === null ? [] : [[dollars(batch.metrics.cost ?? 0)]]),
  ]);
  const names = [say('Batch'), say('Files'), say('How it ended'), say('Iterations'), say('Tokens')];
  const head = [...names, ...(cost === null ? [] : [say('Cost')])];
  const rest = batches.length - listed.length;
  const more = say.many(
    rest,
    'And {n} more batch: the report file (`report-file`) lists all.',
    'And {n} more batches: the report file (`report-file`) lists all.',
  );
  return [...tableOf(head, rows), ...(rest === 0 ? [] : [{ kind: 'line', line: [more] } as const])];
}

function toolTable({ metrics }: Review, say: Say): readonly Block[] {
  const tools = Object.entries(metrics.tools).sort(([, one], [, other]) => other.calls - one.calls);
  const isCut = tools.some(([, { cut }]) => cut > 0);
  const rows = tools.map(([name, { calls, milliseconds, cut }]): readonly Line[] => [
    [{ name }],
    [say.number(calls)],
    [duration(milliseconds)],
    ...(isCut ? [[cut === 0 ? '' : say.number(cut)]] : []),
  ]);
  return tableOf([say('Tool'), say('Calls'), say('Time'), ...(isCut ? [say('Cut')] : [])], rows);
}

/** The cost as a fold below its line, or as that line alone: a clean review has no more to say. */
export function cost(review: Review, say: Say): readonly Block[] {
  const { model, profile } = review.limits;
  const setting = [model ?? '', profile === '' ? '' : say('profile {profile}', { profile })]
    .filter((part) => part !== '')
    .join(', ');
  const title = `${costText(review, say)}${setting === '' ? '' : ` · ${setting}`}`;
  const blocks = review.outcome === 'clean' ? [] : costBlocks(review, say);
  return blocks.length === 0 ? [{ kind: 'line', line: [{ said: title }], small: true }] : fold(title, blocks);
}
