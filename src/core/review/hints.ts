import { pageName } from '../addresses.ts';
import { reasons, UserError } from '../errors.ts';
import type { PullRequest } from '../pull-request/pull-request.ts';
import { english } from '../words/say.ts';
import type { RunStop } from './review.ts';

/** What to do on a laptop where there is no key. */
export const laptopKeyHint = 'For a review by a model set OPENAI_API_KEY, or POSTIL_API_KEY and POSTIL_BASE_URL.';

/** What to do where there is no key. */
export function keyHint(pullRequest: Pick<PullRequest, 'number' | 'fromFork' | 'author'> | null): string {
  if (pullRequest?.number === null) return laptopKeyHint;
  const isStrangers = pullRequest?.fromFork === true || pullRequest?.author === 'dependabot[bot]';
  if (isStrangers)
    return english('Runs for forks and Dependabot get no secrets. Ways to review them: {page}', {
      page: pageName('forks.md'),
    });
  return english('For a review by a model set `api-key`.');
}

/** What an error that ended the run says to a person: what happened, why, and what to do next. */
export function failure(error: unknown): Extract<RunStop, { reason: 'failed' }> {
  const message = reasons(error).join(' ');
  if (error instanceof UserError) return { reason: 'failed', message, hint: error.hint };
  const hint = english('This is a defect of Postil. Run the job again with debug logging and report it with the log.');
  return { reason: 'failed', message, hint };
}
