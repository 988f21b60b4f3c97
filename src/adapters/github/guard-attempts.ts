import type { getOctokit } from '@actions/github';

type OctokitPlugin = Parameters<typeof getOctokit>[2];

export type Attempts = {
  readonly graphqlUrl: string;
  readonly signal: AbortSignal;
  readonly onRequest?: ((request: FinishedRequest) => void) | undefined;
  /** Whether an attempt gets two seconds instead of a minute. */
  readonly hurry?: boolean;
};

/** One attempt as it went over the wire; `status` is null when no answer came. */
export type FinishedRequest = {
  readonly method: string;
  readonly url: string;
  readonly status: number | null;
  readonly milliseconds: number;
};

/** A write that did not start, because the run was cancelled. */
export class WriteCancelled extends Error {
  override readonly name = 'WriteCancelled';
}

// GitHub ends a request itself after 10 seconds; a slow proxy or an Enterprise Server may need longer.
const attemptMilliseconds = 60_000;
const hurriedMilliseconds = 2_000;

/** Give it first, so that it is the innermost: it sees every attempt of the plugins around it. */
export function guardAttempts(attempts: Attempts): OctokitPlugin {
  return (octokit) => {
    octokit.hook.wrap('request', async (request, options) => {
      const write = !isRead(options, attempts.graphqlUrl);
      if (write && attempts.signal.aborted) throw new WriteCancelled('The run was cancelled: nothing more is written.');
      // A gateway's error may hide a write that succeeded (FAILURES P7): only the caller can look before it writes again.
      if (write) options.request['retries'] = 0;
      const start = performance.now();
      const finish = (status: number | null) => {
        const { method, url } = octokit.request.endpoint(options);
        attempts.onRequest?.({ method, url, status, milliseconds: Math.round(performance.now() - start) });
      };
      try {
        const timeout = AbortSignal.timeout(attempts.hurry === true ? hurriedMilliseconds : attemptMilliseconds);
        const response = await request({ ...options, request: { ...options.request, signal: timeout } });
        finish(response.status);
        return response;
      } catch (error) {
        finish(statusIn(error));
        throw error;
      }
    });
  };
}

type Outgoing = { readonly method: string; readonly url: string; readonly query?: unknown };

function isRead({ method, url, query }: Outgoing, graphqlUrl: string): boolean {
  if (method === 'GET' || method === 'HEAD') return true;
  return url === graphqlUrl && !(typeof query === 'string' && /^\s*mutation\b/.test(query));
}

function statusIn(error: unknown): number | null {
  if (!(error instanceof Error) || !('response' in error) || !('status' in error)) return null;
  return error.response !== undefined && typeof error.status === 'number' ? error.status : null;
}
