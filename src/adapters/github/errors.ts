import { UserError } from '../../core/errors.ts';
import { answerOf, BrokenAnswer, isRateLimit, messageOf, permissionsIn } from './answers.ts';
import { NotSent } from './attempts.ts';

/**
 * What GitHub's refusal means to the person who wrote the workflow. `subject` starts the sentence, such as
 * `pull request #5 of o/r`; `permission` is what the request needs, such as `pull-requests: read`.
 */
export function gitHubError(error: unknown, request: { subject: string; permission: string }): UserError {
  if (error instanceof UserError) return error;
  const { subject } = request;
  const answer = answerOf(error);
  const refused = (message: string, hint: string) => new UserError(message, { hint, cause: causeOf(error) });
  if (error instanceof BrokenAnswer) return refused(`GitHub gave no usable answer for ${subject}.`, tryLater);
  if (answer === null) return refused(`GitHub could not be reached for ${subject}.`, tryLater);
  if (isRateLimit(answer)) return refused(`GitHub's rate limit was reached for ${subject}.`, limitHint(answer.headers));
  const permission = permissionsIn(answer) ?? `\`${request.permission}\``;
  switch (answer.status) {
    case 401:
      return refused(
        `GitHub does not accept the token for ${subject}.`,
        'Check `github-token`: it is wrong or has expired.',
      );
    case 403:
      return refused(`The token may not read ${subject}.`, `Grant ${permission}.`);
    case 404:
      return refused(`There is no ${subject}, or the token may not see it.`, notFoundHint(permission));
    default:
      return refused(`GitHub answered ${answer.status} for ${subject}.`, tryLater);
  }
}

const tryLater = 'Run it again later; https://www.githubstatus.com shows whether GitHub has an outage.';

// The message of an answer in HTML is the whole page.
function causeOf(error: unknown): unknown {
  return typeof answerOf(error)?.data === 'string' ? new Error(messageOf(error)) : error;
}

function notFoundHint(permission: string): string {
  return `Check the repository and the number, and grant ${permission}.`;
}

function limitHint(headers: { readonly [name: string]: unknown }): string {
  const reset = Number(headers['x-ratelimit-reset']);
  if (!Number.isFinite(reset) || reset === 0) return 'Run it again in some minutes.';
  return `Run it again after ${new Date(reset * 1000).toISOString()}.`;
}

/**
 * Why a write did not happen. `anchor`: one of the comments may be at fault, the others can still be written. `event`: this identity may not approve, or ask for changes. `pending`: an
 * unfinished review is in the way. `time`: none was left. `uncertain`: no clear answer, it may have been written anyway.
 */
export type Refusal = {
  readonly kind: 'anchor' | 'event' | 'pending' | 'permission' | 'cancelled' | 'time' | 'uncertain' | 'other';
  /** One sentence, without a full stop. */
  readonly reason: string;
};

/** An approval that was refused, and that says nothing which an earlier review did not say. */
export class NothingLeftToSay extends Error {
  override readonly name = 'NothingLeftToSay';
}

/** Null when GitHub has nothing to do with the error. */
export function refusalOf(error: unknown): Refusal | null {
  if (error instanceof NotSent) return { kind: error.why, reason: error.message };
  if (error instanceof NothingLeftToSay) return { kind: 'event', reason: error.message };
  if (!(error instanceof Error) || !('status' in error)) return null;
  const answer = answerOf(error);
  const reason = messageOf(error);
  if (answer === null || answer.status >= 500) return { kind: 'uncertain', reason };
  if (isRateLimit(answer)) return { kind: 'other', reason };
  if (answer.status === 403 || answer.status === 404) return { kind: 'permission', reason };
  if (answer.status === 422) return { kind: kindOfInvalid(reason), reason };
  return { kind: 'other', reason };
}

// The reviews API answers in sentences and does not say which comment it means.
function kindOfInvalid(reason: string): Refusal['kind'] {
  if (/(?:can ?not|not permitted to) (?:approve|request changes)/i.test(reason)) return 'event';
  if (/one pending review/i.test(reason)) return 'pending';
  if (/too quickly|\bcommit(_id)?\b/i.test(reason)) return 'other';
  return 'anchor';
}
