import { type StopReason, stopMessage } from '../agent/event.ts';
import { addMetrics, noMetrics } from '../agent/meter.ts';
import { distinctMessages, type Message } from '../messages/message.ts';
import { dollars, duration } from '../text.ts';
import { defaultMaxCalls } from '../tools/policy.ts';
import type { ShardRun } from './draft.ts';
import type { BatchReport, ReviewLimits } from './review.ts';

/** Tells the reasons, each once, and how many files they concern: which these are is listed with the coverage. */
export function whyIncomplete(cut: readonly BatchReport[], run: Run): readonly Message[] {
  const reasons = distinctMessages(cut.flatMap((batch) => whyCut(batch, run))).slice(0, reasonsNamed);
  const begun = cut.filter(({ reviewed, metrics }) => reviewed || metrics.modelCalls > 0);
  const isShort = (batch: BatchReport) => batch.reviewed || !failed(batch);
  return [
    ...reasons,
    ...fileCount('files.cut-short', begun.filter(isShort)),
    ...fileCount(
      'files.not-reviewed',
      begun.filter((batch) => !isShort(batch)),
    ),
    ...fileCount(
      'files.not-begun',
      cut.filter((batch) => !begun.includes(batch)),
    ),
  ];
}

/** True where nothing came of a batch, and no limit of ours is the reason. */
export function failed(batch: BatchReport): boolean {
  const limited = batch.stop.reason === 'limit' || batch.stop.reason === 'repeated-calls';
  return !batch.reviewed && batch.rawFreeText === null && !limited;
}

function fileCount(
  code: 'files.cut-short' | 'files.not-reviewed' | 'files.not-begun',
  batches: readonly BatchReport[],
): readonly Message[] {
  // Several batches may share a large file.
  const count = new Set(batches.flatMap(({ paths }) => paths)).size;
  return count === 0 ? [] : [{ code, count }];
}

function whyCut({ name, stop, gap }: BatchReport, run: Run): readonly Message[] {
  if (stop.reason !== 'limit') return gap === null ? [] : [gap];
  const shard = run.shards?.find(({ batches }) => batches.includes(name));
  const reached: Message =
    shard === undefined
      ? limitMessage(stop.limit, run)
      : { code: 'limit.shard', shard: shard.number, why: limitMessage(stop.limit, ofShard(shard, run)) };
  // That it was asked for the end as often as it may be says nothing more.
  const { lastCall: last } = stop;
  const isNews = last !== undefined && !(last.reason === 'limit' && last.limit === 'iterations');
  return isNews ? [reached, { code: 'limit.last-call', why: stopMessage(last) }] : [reached];
}

/** Tells the number of the limit, what the run used of it, and why it stopped before it. */
function limitMessage(
  limit: Extract<StopReason, { reason: 'limit' }>['limit'],
  { batches, limits, milliseconds }: Run,
): Message {
  const { usage, cost } = batches.reduce((sum, { metrics }) => addMetrics(sum, metrics), noMetrics);
  switch (limit) {
    case 'tokens':
      return { code: 'limit.tokens', used: usage.input + usage.output, max: limits.maxTotalTokens };
    case 'cost':
      return { code: 'limit.cost', used: dollars(cost ?? 0), max: dollars(limits.maxCost ?? 0) };
    case 'time':
      return { code: 'limit.time', used: duration(milliseconds), max: limits.timeoutMinutes };
    case 'iterations':
      return { code: 'limit.iterations', max: limits.maxIterations };
    case 'tool-calls':
      return { code: 'limit.tool-calls', max: defaultMaxCalls };
  }
}

function ofShard({ batches, limits, milliseconds }: ShardRun, run: Run): Run {
  const own = run.batches.filter(({ name }) => batches.includes(name));
  return { batches: own, limits: { ...run.limits, ...limits }, milliseconds };
}

/** Servers put numbers of their own into each of their errors. */
const reasonsNamed = 5;

/** What the whole run used, and of what. */
type Run = {
  readonly batches: readonly BatchReport[];
  readonly limits: ReviewLimits;
  readonly milliseconds: number;
  /** Where several jobs made it, each with its own limits. */
  readonly shards?: readonly ShardRun[] | undefined;
};
