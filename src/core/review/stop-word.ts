import type { RunStop } from './review.ts';

/** The word of the `stop-reason` output: for an incomplete run the limit or the failure that cut it. */
export const stopWords = [
  'completed',
  'skipped',
  'no-key',
  'iterations',
  'tokens',
  'cost',
  'time',
  'tool-calls',
  'repeated-calls',
  'empty-answers',
  'refused',
  'truncated',
  'context-overflow',
  'answered',
  'model-failed',
  'unreadable-diff',
  'unreadable-answer',
  'earlier-unknown',
  'unexplained',
  'unplaced',
  'unread',
  'cancelled',
  'failed',
] as const;

export function stopWord(stop: RunStop): (typeof stopWords)[number] {
  if (stop.reason !== 'incomplete') return stop.reason;
  if (stop.stop.reason === 'limit') return stop.stop.limit;
  if (stop.stop.reason !== 'submitted') return stop.stop.reason;
  // Every batch was reviewed: it is the diff, or a part of an answer, that could not be read.
  return stop.of === 'answer' ? 'unreadable-answer' : 'unreadable-diff';
}
