import { getOctokit } from '@actions/github';
import { trustHint, UserError } from '../../core/errors.ts';
import { answerOf, isRateLimit, messageOf, permissionsIn } from './answers.ts';
import { type Attempts, boundedAttempts, NotSent, type RequestLimits, usualLimits } from './attempts.ts';
import { BrokenAnswer } from './shapes.ts';

type Octokit = ReturnType<typeof getOctokit>;

/** GitHub's two interfaces, with waiting, retrying and time limits inside. Both throw what Octokit throws. */
export type GitHub = {
  readonly rest: Octokit['rest'];
  readonly paginate: Octokit['paginate'];
  /** Runs a query, never a mutation: it may be sent again. The answer is the `data`, to be parsed by the caller. */
  readonly graphql: (query: string, variables: { readonly [name: string]: unknown }) => Promise<unknown>;
  /** Runs a mutation: sent once, like every write. */
  readonly mutate: (mutation: string, variables: { readonly [name: string]: unknown }) => Promise<unknown>;
  /** Once aborted, no write starts. */
  readonly signal: AbortSignal;
  /** How long a write whose answer was lost gets until it must be visible. */
  readonly settleMilliseconds: number;
  /** From now on these hold, for every request that begins: the config file may have lowered the time. */
  readonly limitTo: (limits: Partial<RequestLimits>) => void;
};

export type GitHubOptions = Pick<Attempts, 'graphqlUrl' | 'onWait' | 'clock'> & {
  readonly token: string;
  /** Such as https://api.github.com, or the address of a GitHub Enterprise Server. */
  readonly apiUrl: string;
  readonly userAgent: string;
  readonly signal?: AbortSignal;
  /** Those that differ from the usual ones: the end of the run, and short ones in tests. */
  readonly limits?: Partial<RequestLimits>;
  /** 'github' (the default) sends three writes and then one a second, and waits two seconds for a lost answer; 'none' does not. */
  readonly pace?: 'github' | 'none';
};

/**
 * The client of one run. Every request has a deadline and a cap on its answer. Reads are tried up to four times; a write is sent once, and
 * again only after GitHub refused it unread (a rate limit). Proxies come from the environment.
 *
 * @throws UserError when there is no token.
 */
export function createGitHub(options: GitHubOptions): GitHub {
  if (options.token === '') {
    throw new UserError('There is no GitHub token.', { hint: 'Set the input `github-token`.' });
  }
  const signal = options.signal ?? new AbortController().signal;
  const pace = options.pace ?? 'github';
  const limits = { ...usualLimits, ...options.limits };
  const silent = () => undefined;
  // The default logger writes to the job log, where text from outside must be neutralised first.
  const log = { debug: silent, info: silent, warn: silent, error: silent };
  const { rest, paginate, graphql } = getOctokit(
    options.token,
    { baseUrl: options.apiUrl, userAgent: options.userAgent, log },
    boundedAttempts({ ...options, signal, pace, limits }),
  );
  const run: GitHub['graphql'] = (query, variables) => graphql({ ...variables, query, url: options.graphqlUrl });
  const settleMilliseconds = pace === 'github' ? 2000 : 0;
  const limitTo = (lower: Partial<RequestLimits>) => void Object.assign(limits, lower);
  return { rest, paginate, graphql: run, mutate: run, signal, settleMilliseconds, limitTo };
}

export type RepositoryName = { readonly owner: string; readonly repository: string };

/** A repository as Octokit's methods take it. */
export function inRepository({ owner, repository }: RepositoryName) {
  return { owner, repo: repository };
}

/** A pull request as Octokit's methods take it. */
export function inPull({ number, ...name }: RepositoryName & { readonly number: number }) {
  return { ...inRepository(name), pull_number: number };
}

/** What a request answers. @throws UserError where GitHub refuses, by `gitHubError`. */
export async function explained<Value>(asking: Promise<Value>, request: RequestSubject): Promise<Value> {
  try {
    return await asking;
  } catch (error) {
    throw gitHubError(error, request);
  }
}

/**
 * `subject` starts a sentence, such as `pull request #5 of o/r`; `permission` is what the request needs, such as
 * `pull-requests: read`.
 */
type RequestSubject = { readonly subject: string; readonly permission: string };

/** What GitHub's refusal means to the person who wrote the workflow. */
export function gitHubError(error: unknown, request: RequestSubject): UserError {
  if (error instanceof UserError) return error;
  const { subject } = request;
  const answer = answerOf(error);
  const refused = (message: string, hint: string) => new UserError(message, { hint, cause: causeOf(error) });
  if (error instanceof BrokenAnswer) return refused(`GitHub gave no usable answer for ${subject}.`, tryLater);
  if (answer === null) {
    const trust = trustHint(messageOf(error), 'NODE_EXTRA_CA_CERTS');
    return refused(`GitHub could not be reached for ${subject}.`, trust ?? tryLater);
  }
  if (isRateLimit(answer)) return refused(`GitHub's rate limit was reached for ${subject}.`, limitHint(answer.headers));
  const permission = permissionsIn(answer) ?? `\`${request.permission}\``;
  switch (answer.status) {
    case 401:
      return refused(
        `GitHub does not accept the token for ${subject}.`,
        'Check `github-token`, on the command line GITHUB_TOKEN: it is wrong or has expired.',
      );
    case 403:
      return refused(`The token may not read ${subject}.`, `Grant ${permission}.`);
    case 404:
      return refused(
        `There is no ${subject}, or the token may not see it.`,
        `Check the repository and the number, and grant ${permission}.`,
      );
    default:
      return refused(`GitHub answered ${answer.status} for ${subject}.`, tryLater);
  }
}

const tryLater = 'Run it again later; https://www.githubstatus.com shows whether GitHub has an outage.';

// The message of an answer in HTML is the whole page.
function causeOf(error: unknown): unknown {
  return typeof answerOf(error)?.data === 'string' ? new Error(messageOf(error)) : error;
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

/** What GitHub has to say of the error. @throws the error itself when that is nothing */
export function refusalIn(error: unknown): Refusal {
  const refusal = refusalOf(error);
  if (refusal === null) throw error;
  return refusal;
}

// The reviews API answers in sentences and does not say which comment it means.
function kindOfInvalid(reason: string): Refusal['kind'] {
  if (/(?:can ?not|not permitted to) (?:approve|request changes)/i.test(reason)) return 'event';
  if (/one pending review/i.test(reason)) return 'pending';
  if (/too quickly|\bcommit(_id)?\b/i.test(reason)) return 'other';
  return 'anchor';
}
