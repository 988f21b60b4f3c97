import { type StopReason, sentenceFor } from '../agent/event.ts';
import { addMetrics, noMetrics } from '../agent/meter.ts';
import { dollars, duration, grouped } from '../text.ts';
import { defaultMaxCalls } from '../tools/policy.ts';
import type { BatchReport, ReviewLimits } from './review.ts';

/** The reasons, each once, and the batches that they concern. */
export function whyIncomplete(cut: readonly BatchReport[], run: Run): string {
  const reasons = [...new Set(cut.flatMap((batch) => whyCut(batch, run)))].slice(0, mostSentences);
  const begun = cut.filter(({ reviewed, metrics }) => reviewed || metrics.modelCalls > 0);
  const isShort = (batch: BatchReport) => batch.reviewed || !failed(batch);
  const unreviewed = begun.filter((batch) => !isShort(batch));
  const unbegun = cut.filter((batch) => !begun.includes(batch));
  const named = (what: string, batches: readonly BatchReport[]) => namesOf(batches, what, run.batches.length);
  return [
    ...reasons,
    ...named('Cut short', begun.filter(isShort)),
    ...named('Not reviewed', unreviewed),
    ...named('Not begun', unbegun),
  ].join(' ');
}

/** Nothing came of it, and no limit of ours is the reason. */
export function failed(batch: BatchReport): boolean {
  const limited = batch.stop.reason === 'limit' || batch.stop.reason === 'repeated-calls';
  return !batch.reviewed && batch.rawFreeText === null && !limited;
}

const namedBatches = 5;

function namesOf(batches: readonly BatchReport[], what: string, total: number): readonly string[] {
  if (batches.length === 0) return [];
  // The number before the name of one of several reads like a count here.
  const names = batches.map(({ name }) => (total === 1 ? name : name.replace(/^\d+ /, '')));
  // A large folder is several batches of one name.
  const named = [...new Set(names)].slice(0, namedBatches);
  const rest = names.filter((name) => !named.includes(name)).length;
  return [`${what}: ${named.join('; ')}${rest === 0 ? '' : ` and ${grouped(rest)} more`}.`];
}

function whyCut({ stop, gap }: BatchReport, run: Run): readonly string[] {
  if (stop.reason !== 'limit') return [gap ?? ''];
  const sentence = limitSentence(stop.limit, run);
  // That it was asked for the end as often as it may be says nothing more.
  const isNews = stop.lastCall !== undefined && stop.lastCall !== sentenceFor({ reason: 'limit', limit: 'iterations' });
  return isNews ? [sentence, `The last call brought nothing either: ${stop.lastCall}`] : [sentence];
}

/** The number of the limit, what the run used of it, and why it stopped before it. */
function limitSentence(
  limit: Extract<StopReason, { reason: 'limit' }>['limit'],
  { batches, limits, milliseconds }: Run,
): string {
  const { usage, cost } = batches.reduce((sum, { metrics }) => addMetrics(sum, metrics), noMetrics);
  switch (limit) {
    case 'tokens':
      return `Stopped at ${grouped(usage.input + usage.output)} of ${grouped(limits.maxTotalTokens)} tokens: the next call might not fit.`;
    case 'cost':
      return `Stopped at ${dollars(cost ?? 0)} of ${dollars(limits.maxCost ?? 0)}: the next call might cost more than is left.`;
    case 'time':
      return `Stopped after ${duration(milliseconds)} of ${grouped(limits.timeoutMinutes)} min: the rest is kept for the last answers and for posting.`;
    case 'iterations':
      return `Stopped at the maximum of iterations: ${grouped(limits.maxIterations)} per batch, and no more than 5 per file.`;
    case 'tool-calls':
      return `Stopped at the maximum of ${grouped(defaultMaxCalls)} tool calls per run.`;
  }
}

/** Servers put numbers of their own into each of their errors. */
const mostSentences = 5;

/** What the whole run used, and of what. */
type Run = {
  readonly batches: readonly BatchReport[];
  readonly limits: ReviewLimits;
  readonly milliseconds: number;
};
