import { getOctokit } from '@actions/github';
import type { Clock } from '../../core/agent/agent.ts';
import { UserError } from '../../core/errors.ts';
import { type Attempts, boundedAttempts, type RequestLimits, usualLimits } from './attempts.ts';

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
};

export type GitHubOptions = {
  readonly token: string;
  /** Such as https://api.github.com, or the address of a GitHub Enterprise Server. */
  readonly apiUrl: string;
  readonly graphqlUrl: string;
  readonly userAgent: string;
  /** Called with one sentence when GitHub asks to wait. */
  readonly onWait: (text: string) => void;
  readonly onRequest?: Attempts['onRequest'];
  readonly signal?: AbortSignal;
  readonly clock: Clock;
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
  const rest = octokit({ ...options, signal, pace, limits });
  return {
    rest: rest.rest,
    paginate: rest.paginate,
    mutate: (query, variables) => rest.graphql({ ...variables, query, url: options.graphqlUrl }),
    graphql: (query, variables) => rest.graphql({ ...variables, query, url: options.graphqlUrl }),
    signal,
    settleMilliseconds: pace === 'github' ? 2000 : 0,
  };
}

function octokit(
  options: GitHubOptions & { signal: AbortSignal; pace: 'github' | 'none'; limits: RequestLimits },
): Octokit {
  return getOctokit(
    options.token,
    {
      baseUrl: options.apiUrl,
      userAgent: options.userAgent,
      // The default logger writes to the job log, where text from outside must be neutralised first.
      log: { debug: silent, info: silent, warn: silent, error: silent },
    },
    boundedAttempts(options),
  );
}

function silent(): void {}
