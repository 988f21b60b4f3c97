import { type Phase, phases } from '../agent/event.ts';
import type { ToolUse } from '../agent/meter.ts';
import { howItEnded, shareOfFiles } from '../review/headline.ts';
import type { Coverage, Metrics, Review, SkippedFile } from '../review/review.ts';
import { counted, dollars, duration, groupBy, grouped, plural } from '../text.ts';
import { untrustedLine, untrustedName } from './sanitise.ts';
import { codeSpan, details, linked, table } from './text.ts';
import { type RenderContext, scopeText, tokensText } from './wording.ts';

/** What the review took. A review without findings says it in one line, the others fold the details below it. */
export function renderUsage(review: Review, context: RenderContext): string {
  const line = usageLine(review, context);
  if (review.outcome === 'clean' || review.metrics.modelCalls === 0) return line;
  const parts = [usageTable(review), phaseTable(review.metrics), batchTable(review, context)];
  return details(line, parts.filter((part) => part !== '').join('\n\n'));
}

/** Such as `14,203 tokens in (9,000 cached), 812 out · 3 model calls · 2 tool calls · 12 s · gpt, thorough`. */
export function usageText(review: Review): string {
  const { usage, cost, modelCalls, toolCalls } = review.metrics;
  const time = duration(review.milliseconds);
  if (modelCalls === 0) return `No model calls · ${time}`;
  const parts = [
    tokensText(usage, 'tokens '),
    ...(cost === null ? [] : [dollars(cost)]),
    plural(modelCalls, 'model call'),
    plural(toolCalls, 'tool call'),
    time,
  ];
  return parts.join(' · ');
}

/** A commit as people know it, linked where there is something to link to. */
export function commitText(sha: string, { serverUrl, repository }: RenderContext): string {
  const hash = sha.replace(/[^0-9a-f]/g, '');
  if (!/[^0]/.test(hash)) return 'then';
  const known = serverUrl !== null && repository !== null;
  return linked(codeSpan(hash.slice(0, 7)), known ? `${serverUrl}/${repository}/commit/${hash}` : null);
}

/**
 * Such as `Reviewed abc1234 on 2026-11-22 10:14 UTC · 15,015 tokens · $0.02 · 12 s · gpt · run · report`: which state of the change a comment speaks
 * for, and what else its reader may ask.
 */
export function spokenFor(review: Review, { context, report }: { context: RenderContext; report: boolean }): string {
  const { usage, cost, modelCalls } = review.metrics;
  const { model } = review.limits;
  const run = context.run?.url ?? null;
  const tokens = `${usage.estimated ? 'about ' : ''}${grouped(usage.input + usage.output)} tokens`;
  const time = context.run === undefined ? '' : ` on ${context.run.startedAt().slice(0, 16).replace('T', ' ')} UTC`;
  const head = review.pullRequest?.head.sha;
  const parts = [
    ...(head === undefined ? [] : [`Reviewed ${commitText(head, context)}${time}`]),
    modelCalls === 0 ? 'no model calls' : tokens,
    ...(cost === null ? [] : [dollars(cost)]),
    duration(review.milliseconds),
    ...(model === null ? [] : [untrustedName(model, context)]),
    ...(run === null ? [] : [linked('run', run), ...(report ? [linked('report', `${run}#artifacts`)] : [])]),
  ];
  return `<sub>${parts.join(' · ')}</sub>`;
}

function usageLine(review: Review, context: RenderContext): string {
  const { model, profile } = review.limits;
  const setting = [model ?? '', profile === '' ? '' : `profile ${profile}`].filter((part) => part !== '').join(', ');
  return `<sub>${usageText(review)}${setting === '' ? '' : ` · ${htmlText(context.redact(setting))}`}</sub>`;
}

// The line may stand in a <summary>, where Markdown does not hold.
function htmlText(text: string): string {
  return text.replace(/[^\w ,.:/+-]/g, '');
}

function usageTable({ metrics, limits, milliseconds, estimate, batches }: Review): string {
  const { usage } = metrics;
  return table(
    ['', 'Used', 'Limit'],
    [
      ['Tokens', grouped(usage.input + usage.output), `${grouped(limits.maxTotalTokens)} per run`],
      ['– in', `${grouped(usage.input)}, ${grouped(usage.cached)} of them cached`, ''],
      ['– out', `${grouped(usage.output)}, ${grouped(usage.thinking)} of them reasoning`, ''],
      ...costRow(metrics, limits),
      ['Model calls', grouped(metrics.modelCalls), ''],
      ...estimateRow(estimate),
      ['Iterations', grouped(metrics.iterations), `${grouped(limits.maxIterations)} per batch`],
      ...followUpRow(batches),
      ['Tool calls', toolCalls(metrics), ''],
      ['Time', duration(milliseconds), `${grouped(limits.timeoutMinutes)} min`],
      ...(usage.estimated ? [['', 'The provider did not report every call; missing figures are estimates.', '']] : []),
    ],
  );
}

function costRow({ cost }: Metrics, { maxCost }: Review['limits']): readonly (readonly string[])[] {
  return cost === null ? [] : [['Cost', dollars(cost), maxCost === null ? '' : `${dollars(maxCost)} per run`]];
}

/** Where the model asked for lines after its one call. */
function followUpRow(batches: Review['batches']): readonly (readonly string[])[] {
  const asked = batches.flatMap(({ followUp }) => (followUp === null ? [] : [followUp]));
  if (asked.length === 0) return [];
  const refused = asked.filter((one) => one.refused !== null).length;
  const refusedText = refused === 0 ? '' : `, ${grouped(refused)} not granted`;
  return [
    ['Follow-ups', `${grouped(asked.length)} of ${plural(batches.length, 'batch')}${refusedText}`, 'one per batch'],
  ];
}

/** What was expected, beside what it came to. */
function estimateRow(estimate: Review['estimate']): readonly (readonly string[])[] {
  if (estimate === null) return [];
  const { modelCalls, input, output, cost } = estimate;
  const money = cost === null ? '' : `, ${dollars(cost)}`;
  const expected = `about ${plural(modelCalls, 'model call')}, ${grouped(input)} in, ${grouped(output)} out${money}`;
  return [['Estimated before', expected, '']];
}

const phaseNames: Readonly<Record<Phase, string>> = {
  review: 'Review',
  single: 'Review, one call per batch',
  'follow-up': 'Follow-ups',
  final: 'Last calls',
  extraction: 'Extraction',
  'second-look': 'Second looks',
  verification: 'Verification',
  reflection: 'Reflection',
  embedding: 'Embedding',
};

/** Only where there is more to tell than the total. */
function phaseTable({ phases: byPhase, cost }: Metrics): string {
  const rows = phases.flatMap((phase) => {
    const use = byPhase[phase];
    if (use === undefined) return [];
    const tokens = [grouped(use.usage.input), grouped(use.usage.cached), grouped(use.usage.output)];
    return [
      [phaseNames[phase], grouped(use.modelCalls), ...tokens, ...(cost === null ? [] : [dollars(use.cost ?? 0)])],
    ];
  });
  if (rows.length < 2) return '';
  return table(['Phase', 'Calls', 'Tokens in', 'Cached', 'Tokens out', ...(cost === null ? [] : ['Cost'])], rows);
}

function toolCalls({ toolCalls: total, tools }: Metrics): string {
  const names = Object.entries(tools).sort(([, one], [, other]) => other.calls - one.calls);
  if (names.length === 0) return grouped(total);
  return `${grouped(total)}: ${names.map(([name, use]) => `${codeSpan(name)} ${toolUse(use)}`).join(', ')}`;
}

/** Such as `3 (120 ms, 1 cut)`. */
function toolUse({ calls, milliseconds, cut }: ToolUse): string {
  return `${grouped(calls)} (${duration(milliseconds)}${cut === 0 ? '' : `, ${grouped(cut)} cut`})`;
}

function batchTable({ batches, metrics }: Review, context: RenderContext): string {
  if (batches.length === 0) return '';
  const priced = metrics.cost !== null;
  // Of thousands those that a model looked at: the others never started, and the reason stands above.
  const looked = batches.filter(({ metrics: { modelCalls } }) => modelCalls > 0);
  const told = batches.length > batchesListed ? looked.slice(0, batchesListed) : batches;
  const rest = batches.length - told.length;
  const rows = told.map((batch) => [
    untrustedName(batch.name, context),
    grouped(batch.paths.length),
    untrustedLine(howItEnded(batch), context, 500),
    grouped(batch.metrics.iterations),
    grouped(batch.metrics.usage.input + batch.metrics.usage.output),
    ...(priced ? [dollars(batch.metrics.cost ?? 0)] : []),
  ]);
  const shown = table(['Batch', 'Files', 'How it ended', 'Iterations', 'Tokens', ...(priced ? ['Cost'] : [])], rows);
  return rest === 0
    ? shown
    : `${shown}\n\nAnd ${plural(rest, 'more batch')}: the report file (\`report-file\`) lists all.`;
}

const batchesListed = 100;

/** What should have been reviewed and was not, where nobody can overlook it; empty when all was. */
export function renderUnreviewed({ unreviewed, unread, missing }: Coverage, context: RenderContext): string {
  if (unreviewed.length + unread.length + missing.length === 0) return '';
  const isHarmless = unreviewed.length + missing.length === 0 && !unread.some(({ code }) => code);
  const sentences = missing.map((sentence) => `> - ${untrustedLine(sentence, context)}`);
  const lists = [listed([...unreviewed, ...unread], context), sentences].flatMap((lines) =>
    lines.length === 0 ? [] : [lines.join('\n')],
  );
  // An empty line, or what follows a list belongs to its last item.
  return `${isHarmless ? '> [!NOTE]' : '> [!WARNING]'}\n${lists.join('\n>\n')}`;
}

function listed(files: readonly SkippedFile[], context: RenderContext): readonly string[] {
  if (files.length === 0) return [];
  const groups = byReason(files);
  const items = groups.slice(0, reasonsNamed).map(([reason, paths]) => {
    return `> - ${untrustedLine(reason, context)}: ${names(paths, { context, most: filesNamed })}`;
  });
  const left = groups.slice(reasonsNamed).reduce((sum, [, paths]) => sum + paths.length, 0);
  const more = left > 0 ? [`> - and ${plural(left, 'more file')}`] : [];
  return [`> **Not reviewed: ${plural(files.length, 'file')}**`, ...items, ...more];
}

/** Servers put numbers of their own into each of their errors. */
const reasonsNamed = 20;

/** How much of the change was reviewed, and what became of each file, as a fold. */
export function renderReviewed(review: Review, context: RenderContext, most = filesOfReason): string {
  const { reviewed, skipped, unread, unreviewed, earlier } = review.coverage;
  const left = [...unread, ...unreviewed];
  if (reviewed.length + skipped.length + left.length + earlier.length === 0) return '';
  const others = { 'not reviewed': left.length, skipped: skipped.length };
  const besides = counted({ 'of them unchanged since the last review': earlier.length, ...others });
  const item = (what: string, paths: readonly string[]) => `- **${what}:** ${names(paths, { context, most })}`;
  const items = [
    ...(reviewed.length === 0 ? [] : [item('Reviewed', reviewed)]),
    ...byReason(left).map(([reason, paths]) => item(`Not reviewed, ${untrustedLine(reason, context)}`, paths)),
    ...byReason(skipped).map(([reason, paths]) => item(`Skipped, ${untrustedLine(reason, context)}`, paths)),
    ...(earlier.length === 0 ? [] : [item('Unchanged since the last review', earlier)]),
  ];
  return details(
    [`What was reviewed: ${shareOfFiles(review.coverage)}`, ...besides].join(', '),
    [scopeText(review), items.join('\n')].filter((part) => part !== '').join('\n\n'),
  );
}

export function byReason(files: readonly SkippedFile[]): readonly (readonly [string, readonly string[]])[] {
  const groups = [...groupBy(files, ({ reason }) => reason)];
  return groups.map(([reason, same]) => [reason.replace(/\.$/, ''), same.map(({ path }) => path)]);
}

export function names(paths: readonly string[], { context, most }: { context: RenderContext; most: number }): string {
  const shown = paths.slice(0, most).map((path) => untrustedName(path, context));
  const rest = paths.length - shown.length;
  return `${shown.join(', ')}${rest > 0 ? ` and ${grouped(rest)} more` : ''}`;
}

const filesOfReason = 200;
/** Where the fold beside them names more. */
const filesNamed = 5;
