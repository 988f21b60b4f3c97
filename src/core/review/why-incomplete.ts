import { type StopReason, sentenceFor } from '../agent/event.ts';
import { addMetrics, noMetrics } from '../agent/meter.ts';
import { dollars, duration } from '../text.ts';
import { defaultMaxCalls } from '../tools/policy.ts';
import { english } from '../words/say.ts';
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
    ...filesOf(begun.filter(isShort), (n) => english.many(n, 'Cut short: {n} file.', 'Cut short: {n} files.')),
    ...filesOf(unreviewed, (n) => english.many(n, 'Not reviewed: {n} file.', 'Not reviewed: {n} files.')),
    ...filesOf(unbegun, (n) => english.many(n, 'Not begun: {n} file.', 'Not begun: {n} files.')),
  ].join(' ');
}

/** Nothing came of it, and no limit of ours is the reason. */
export function failed(batch: BatchReport): boolean {
  const limited = batch.stop.reason === 'limit' || batch.stop.reason === 'repeated-calls';
  return !batch.reviewed && batch.rawFreeText === null && !limited;
}

function filesOf(batches: readonly BatchReport[], say: (count: number) => string): readonly string[] {
  // Several batches may share a large file.
  const count = new Set(batches.flatMap(({ paths }) => paths)).size;
  return count === 0 ? [] : [say(count)];
}

function whyCut({ name, stop, gap }: BatchReport, run: Run): readonly string[] {
  if (stop.reason !== 'limit') return [gap ?? ''];
  const shard = run.shards?.find(({ batches }) => batches.includes(name));
  const sentence =
    shard === undefined
      ? limitSentence(stop.limit, run)
      : english('Shard {n}: {why}', { n: shard.number, why: limitSentence(stop.limit, ofShard(shard, run)) });
  // That it was asked for the end as often as it may be says nothing more.
  const { lastCall: last } = stop;
  const isNews = last !== undefined && !(last.reason === 'limit' && last.limit === 'iterations');
  return isNews
    ? [sentence, english('The last call brought nothing either: {why}', { why: sentenceFor(last) })]
    : [sentence];
}

/** The number of the limit, what the run used of it, and why it stopped before it. */
function limitSentence(
  limit: Extract<StopReason, { reason: 'limit' }>['limit'],
  { batches, limits, milliseconds }: Run,
): string {
  const { usage, cost } = batches.reduce((sum, { metrics }) => addMetrics(sum, metrics), noMetrics);
  switch (limit) {
    case 'tokens':
      return english('Stopped at {n} of {m} tokens: the next call might not fit.', {
        n: usage.input + usage.output,
        m: limits.maxTotalTokens,
      });
    case 'cost':
      return english('Stopped at {cost} of {limit}: the next call might cost more than is left.', {
        cost: dollars(cost ?? 0),
        limit: dollars(limits.maxCost ?? 0),
      });
    case 'time':
      return english('Stopped after {time} of {m} min: the rest is kept for the last answers and for posting.', {
        time: duration(milliseconds),
        m: limits.timeoutMinutes,
      });
    case 'iterations':
      return english('Stopped at the maximum of iterations: {n} per batch, and no more than 5 per file.', {
        n: limits.maxIterations,
      });
    case 'tool-calls':
      return english('Stopped at the maximum of {n} tool calls per run.', { n: defaultMaxCalls });
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
