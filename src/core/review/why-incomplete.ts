import { type StopReason, sentenceFor } from '../agent/event.ts';
import { addMetrics, noMetrics } from '../agent/meter.ts';
import { dollars, duration, grouped, plural } from '../text.ts';
import { defaultMaxCalls } from '../tools/policy.ts';
import type { ShardRun } from './draft.ts';
import type { BatchReport, ReviewLimits } from './review.ts';

/** The reasons, each once, and how many files they concern: which these are is listed with the coverage. */
export function whyIncomplete(cut: readonly BatchReport[], run: Run): string {
  const reasons = [...new Set(cut.flatMap((batch) => whyCut(batch, run)))].slice(0, mostSentences);
  const begun = cut.filter(({ reviewed, metrics }) => reviewed || metrics.modelCalls > 0);
  const isShort = (batch: BatchReport) => batch.reviewed || !failed(batch);
  const unreviewed = begun.filter((batch) => !isShort(batch));
  const unbegun = cut.filter((batch) => !begun.includes(batch));
  return [
    ...reasons,
    ...filesOf('Cut short', begun.filter(isShort)),
    ...filesOf('Not reviewed', unreviewed),
    ...filesOf('Not begun', unbegun),
  ].join(' ');
}

/** Nothing came of it, and no limit of ours is the reason. */
export function failed(batch: BatchReport): boolean {
  const limited = batch.stop.reason === 'limit' || batch.stop.reason === 'repeated-calls';
  return !batch.reviewed && batch.rawFreeText === null && !limited;
}

function filesOf(what: string, batches: readonly BatchReport[]): readonly string[] {
  // Several batches may share a large file.
  const count = new Set(batches.flatMap(({ paths }) => paths)).size;
  return count === 0 ? [] : [`${what}: ${plural(count, 'file')}.`];
}

function whyCut({ name, stop, gap }: BatchReport, run: Run): readonly string[] {
  if (stop.reason !== 'limit') return [gap ?? ''];
  const shard = run.shards?.find(({ batches }) => batches.includes(name));
  const sentence =
    shard === undefined
      ? limitSentence(stop.limit, run)
      : `Shard ${shard.number}: ${limitSentence(stop.limit, ofShard(shard, run))}`;
  // That it was asked for the end as often as it may be says nothing more.
  const { lastCall: last } = stop;
  const isNews = last !== undefined && !(last.reason === 'limit' && last.limit === 'iterations');
  return isNews ? [sentence, `The last call brought nothing either: ${sentenceFor(last)}`] : [sentence];
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

function ofShard({ batches, limits, milliseconds }: ShardRun, run: Run): Run {
  const own = run.batches.filter(({ name }) => batches.includes(name));
  return { batches: own, limits: { ...run.limits, ...limits }, milliseconds };
}

/** Servers put numbers of their own into each of their errors. */
const mostSentences = 5;

/** What the whole run used, and of what. */
type Run = {
  readonly batches: readonly BatchReport[];
  readonly limits: ReviewLimits;
  readonly milliseconds: number;
  /** Where several jobs made it, each with its own limits. */
  readonly shards?: readonly ShardRun[] | undefined;
};
