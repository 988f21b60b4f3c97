import { UserError } from '../../core/errors.ts';
import { BrokenAnswer } from './answer-shapes.ts';
import { answerOf, isRateLimit, messageOf, permissionsIn } from './github-answer.ts';

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
  if (isRateLimit(answer)) return refused(`GitHub's rate limit was met at ${subject}.`, limitHint(answer.headers));
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

const tryLater = 'Run it again later; https://www.githubstatus.com tells whether GitHub is at fault.';

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
