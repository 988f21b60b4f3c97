import { getOctokit } from '@actions/github';
import { retry } from '@octokit/plugin-retry';
import { throttling } from '@octokit/plugin-throttling';
import { UserError } from '../../core/errors.ts';
import { type Attempts, guardAttempts } from './guard-attempts.ts';
import { limitPatience, noPatience, paced, unpaced } from './pace.ts';

type Octokit = ReturnType<typeof getOctokit>;

/** GitHub's two interfaces, with waiting, retrying and time limits inside. Both throw what Octokit throws. */
export type GitHub = {
  readonly rest: Octokit['rest'];
  readonly paginate: Octokit['paginate'];
  /** Runs a query, never a mutation: it may be sent again. The answer is the `data`, to be parsed by the caller. */
  readonly graphql: (query: string, variables: { readonly [name: string]: unknown }) => Promise<unknown>;
  /** Runs a mutation: sent once, like every write. */
  readonly mutate: (mutation: string, variables: { readonly [name: string]: unknown }) => Promise<unknown>;
  /** Once aborted, no write starts (FAILURES R3). */
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
  /** Told in one sentence when GitHub asks to wait. */
  readonly onWait: (text: string) => void;
  readonly onRequest?: Attempts['onRequest'];
  readonly signal?: AbortSignal;
  /** 'github' (the default) sends three writes and then one a second, and waits two seconds for a lost answer; 'none' does not. */
  readonly pace?: 'github' | 'none';
  /** For the last words of a cancelled run: an attempt gets two seconds, and nothing waits for a rate limit. */
  readonly hurry?: boolean;
};

/**
 * The client of one run. Reads are tried up to four times; a write is sent once, and again only after GitHub refused it
 * unread (a rate limit). Proxies come from the environment.
 *
 * @throws UserError when there is no token.
 */
export function createGitHub(options: GitHubOptions): GitHub {
  if (options.token === '') {
    throw new UserError('There is no GitHub token.', { hint: 'Set the input `github-token`.' });
  }
  const signal = options.signal ?? new AbortController().signal;
  const pace = options.pace ?? 'github';
  const rest = octokit({ ...options, signal, pace });
  // Queries are POST requests, and would be spaced like writes.
  const queries = octokit({ ...options, signal, pace: 'none' });
  return {
    rest: rest.rest,
    paginate: rest.paginate,
    mutate: (query, variables) => rest.graphql({ ...variables, query, url: options.graphqlUrl }),
    graphql: (query, variables) => queries.graphql({ ...variables, query, url: options.graphqlUrl }),
    signal,
    settleMilliseconds: pace === 'github' ? 2000 : 0,
  };
}

function octokit(options: GitHubOptions & { signal: AbortSignal; pace: 'github' | 'none' }): Octokit {
  return getOctokit(
    options.token,
    {
      baseUrl: options.apiUrl,
      userAgent: options.userAgent,
      // The default logger writes to the job log, where text from outside must be neutralised first.
      log: { debug: silent, info: silent, warn: silent, error: silent },
      // Throttling reads the wait that GitHub asks for, a plain retry of 429 would not.
      retry: { doNotRetry: [400, 401, 403, 404, 406, 409, 410, 422, 429, 451] },
      throttle: {
        ...(options.hurry === true ? noPatience : limitPatience(options.onWait)),
        write: options.pace === 'none' ? unpaced() : paced(),
        notifications: unpaced(),
      },
    },
    guardAttempts(options),
    retry,
    throttling,
  );
}

function silent(): void {}
