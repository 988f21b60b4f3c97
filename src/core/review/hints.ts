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
