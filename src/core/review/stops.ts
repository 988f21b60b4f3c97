import { pageName } from '../addresses.ts';
import { reasons, UserError } from '../errors.ts';
import { inEnglish } from '../messages/languages.ts';
import type { Message } from '../messages/message.ts';
import type { PullRequest } from '../pull-request/pull-request.ts';
import type { RunStop } from './review.ts';

/** What to do where there is no key. */
export function keyHint(pullRequest: Pick<PullRequest, 'number' | 'fromFork' | 'author'> | null): Message {
  if (pullRequest?.number === null) return { code: 'hint.no-key-laptop' };
  const isStrangers = pullRequest?.fromFork === true || pullRequest?.author === 'dependabot[bot]';
  const page = pageName('forks.md');
  if (isStrangers) return { code: 'hint.no-key-fork', page };
  return { code: 'hint.no-key' };
}

/** What an error that ended the run says to a person: what happened, why, and what to do next. */
export function failure(error: unknown): Extract<RunStop, { reason: 'failed' }> {
  const message = reasons(error).join(' ');
  if (error instanceof UserError) return { reason: 'failed', message, hint: error.hint };
  return { reason: 'failed', message, hint: inEnglish({ code: 'hint.defect' }) };
}

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
