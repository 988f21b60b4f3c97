import type { getOctokit } from '@actions/github';
import pLimit from 'p-limit';
import type { Clock } from '../../core/agent/agent.ts';
import { readBounded } from '../../core/bounded.ts';
import { isUnusableAddress } from '../../core/errors.ts';
import { type Answer, answerOf, longestWait, rateLimitOf, sayWait, waitsPerRequest, writePace } from './answers.ts';
import { brokenAnswer, isLimitedQuery } from './shapes.ts';

type OctokitPlugin = Parameters<typeof getOctokit>[2];

export type Attempts = {
  readonly graphqlUrl: string;
  readonly signal: AbortSignal;
  readonly clock: Clock;
  readonly limits: RequestLimits;
  readonly pace: 'github' | 'none';
  /** Called with one sentence when GitHub asks to wait. */
  readonly onWait: (text: string) => void;
};

/** In milliseconds; the defaults. */
export type RequestLimits = {
  /** For one attempt, its whole answer included. */
  readonly attempt: number;
  /** For all attempts of one read together; waits that GitHub asks for apart. */
  readonly patience: number;
  /** For what is under way when the run is cancelled. */
  readonly afterCancel: number;
  /** When everything must have ended, by the clock of the requests. */
  readonly end: number;
  /** Bytes of one answer, decompressed. */
  readonly maxBytes: number;
};

// GitHub ends a request itself after 10 seconds; a slow proxy or an Enterprise Server may need longer.
export const usualLimits: RequestLimits = {
  attempt: 30_000,
  patience: 60_000,
  afterCancel: 2_000,
  end: Number.POSITIVE_INFINITY,
  // Its largest answers: a tree of 100,000 entries (7 MB), 100 files with patches, a blob of 48 MB.
  maxBytes: 64_000_000,
};

/** For the last words of a cancelled run: two seconds per attempt, four in all, and no wait for a rate limit. */
export function lastWordsLimits(now: number): Partial<RequestLimits> {
  return { attempt: 2_000, patience: 2_000, end: now + 4_000 };
}

/** A request that was not sent, because the run was cancelled or its time is over. */
export class NotSent extends Error {
  override readonly name = 'NotSent';
  readonly why: 'cancelled' | 'time';

  constructor(why: 'cancelled' | 'time') {
    super(why === 'cancelled' ? 'the run was cancelled' : 'the time of the run is over');
    this.why = why;
  }
}

const requestsAtOnce = 10;
const readAttempts = 4;
/** So many attempts in a row without an answer: until there is one, nothing is tried twice, and not for long. */
const silentInARow = 6;
const firstWait = 1000;

/**
 * Everything that keeps a request within bounds: a deadline for each attempt and its whole answer, a cap on its bytes, a look at its shape,
 * waits that GitHub asks for, the pace of writes. A read is tried again, a write only after GitHub refused it unread (a rate limit): a gateway's
 * error may hide a write that succeeded, and only the caller can look before it writes again.
 */
export function boundedAttempts(attempts: Attempts): OctokitPlugin {
  const { limits, signal, clock, graphqlUrl } = attempts;
  const pace = writePace(attempts.pace, clock.now);
  const inTurn = pLimit(requestsAtOnce);
  const deadlines = runningDeadlines(attempts);
  const turnPage = pageCount();
  return (octokit) => {
    octokit.hook.wrap('request', (request, options) => {
      const { method, url } = octokit.request.endpoint(options);
      // A page that is not the first is asked for by the address that GitHub gave.
      if (method === 'GET' && options.url === url) turnPage(url);
      const isWrite = !isRead(options, graphqlUrl);
      const plain = options.request;
      const send = async () => {
        if (isWrite && signal.aborted) throw new NotSent('cancelled');
        const deadline = deadlines.start();
        let isAnswered = false;
        const fetch = wholeAnswers(plain['fetch'], limits.maxBytes);
        // Set here, not handed on: the hook that adds the token takes these options, whatever `request` is called with. And set anew: the
        // object inside may be that of all requests.
        options.request = { ...plain, signal: deadline.signal, fetch };
        try {
          const response = await request(options);
          isAnswered = true;
          const broken = brokenAnswer({ ...response, method, url });
          if (broken !== null) throw broken;
          if (isLimitedQuery(response.data)) throw new LimitedQuery(response);
          return response;
        } catch (error) {
          isAnswered ||= answerOf(error) !== null;
          throw error;
        } finally {
          deadline.stop(isAnswered);
        }
      };
      const attempt = async () => {
        if (isWrite) await wait(pace(), attempts);
        return inTurn(send);
      };
      return repeat(attempt, { ...attempts, method, url, isWrite, isSilent: deadlines.isSilent });
    });
  };
}

/** Pages of a list that are read in a run: more than people write, as often as a run looks. */
const mostPages = 100;
const mostLooks = 20;

/** Counts the pages that GitHub names itself. @throws Error where a list has no end, or turns in a circle. */
function pageCount(): (url: string) => void {
  const looks = new Map<string, Map<string, number>>();
  return (url) => {
    const list = url.split('?', 1)[0] ?? url;
    const pages = looks.get(list) ?? new Map<string, number>();
    looks.set(list, pages);
    pages.set(url, (pages.get(url) ?? 0) + 1);
    if (pages.size <= mostPages && (pages.get(url) ?? 0) <= mostLooks) return;
    throw new Error("GitHub's list has more pages than Postil reads, or no end");
  };
}

/** A deadline for each attempt under way; a cancelled run leaves them only a moment. */
function runningDeadlines({ limits, signal, clock }: Attempts) {
  const running = new Set<AbortController>();
  let isOver = false;
  let unanswered = 0;
  const isSilent = () => unanswered >= silentInARow;
  signal.addEventListener('abort', () => {
    const endAll = () => {
      isOver = true;
      for (const one of running) one.abort(new NotSent('cancelled'));
    };
    setTimeout(endAll, limits.afterCancel).unref();
  });
  return {
    start: () => {
      const left = Math.min(isSilent() ? limits.attempt / 10 : limits.attempt, limits.end - clock.now());
      if (left <= 0) throw new NotSent('time');
      if (isOver) throw new NotSent('cancelled');
      const ending = new AbortController();
      const ended = new AbortController();
      clock.wait(left, ended.signal).then(() => {
        if (ended.signal.aborted) return;
        ending.abort(new Error(`there was no whole answer within ${Math.ceil(left / 1000)} s`));
      });
      running.add(ending);
      const stop = (isAnswered: boolean) => {
        unanswered = isAnswered ? 0 : unanswered + 1;
        ended.abort();
        running.delete(ending);
      };
      return { signal: ending.signal, stop };
    },
    isSilent,
  };
}

type Repeating = Attempts & {
  readonly method: string;
  readonly url: string;
  readonly isWrite: boolean;
  readonly isSilent: () => boolean;
};

/** Attempts until one succeeds, or another would be of no use, not allowed, or too late. */
async function repeat<Response>(attempt: () => Promise<Response>, asked: Repeating): Promise<Response> {
  const { limits, signal, clock, isWrite } = asked;
  const patienceEnd = Math.min(clock.now() + limits.patience, limits.end);
  let waits = 0;
  for (let failures = 0; ; ) {
    try {
      return await attempt();
    } catch (error) {
      const limit = rateLimitOf(error, clock.now());
      const milliseconds = limit?.milliseconds ?? (asked.pace === 'none' ? 0 : firstWait * 2 ** failures);
      if (limit === null) {
        failures += 1;
        if (isWrite || !mayPass(error) || failures >= readAttempts || asked.isSilent()) throw error;
        if (clock.now() + milliseconds >= patienceEnd) throw error;
      } else {
        waits += 1;
        const isWorth = waits <= waitsPerRequest && milliseconds <= longestWait;
        const willWait = isWorth && clock.now() + milliseconds < limits.end;
        asked.onWait(sayWait(limit, { ...asked, wait: willWait }));
        if (!willWait) throw error;
      }
      await wait(milliseconds, asked);
      if (signal.aborted) throw isWrite ? new NotSent('cancelled') : error;
    }
  }
}

/** A query that met the rate limit, as an answer that says so: GitHub answers it with 200. */
class LimitedQuery extends Error {
  override readonly name = 'LimitedQuery';
  readonly response: Answer;

  constructor({ headers, data }: Answer) {
    super('the query met the rate limit');
    this.response = { status: 429, headers, data };
  }
}

async function wait(milliseconds: number, { clock, signal }: Pick<Attempts, 'clock' | 'signal'>): Promise<void> {
  if (milliseconds > 0) await clock.wait(milliseconds, signal);
}

function isRead({ method, url, query }: { method: string; url: string; query?: unknown }, graphqlUrl: string): boolean {
  if (method === 'GET' || method === 'HEAD') return true;
  return url === graphqlUrl && !(typeof query === 'string' && /^\s*mutation\b/.test(query));
}

/** No answer, a broken one, or a server's failure: another attempt may do better. */
function mayPass(error: unknown): boolean {
  if (error instanceof NotSent) return false;
  const status = answerOf(error)?.status;
  if (status === undefined) return !(error instanceof Error && isUnusableAddress(error.message));
  return status >= 500 || status === 408;
}

type Fetch = (url: string, init: unknown) => Promise<Response>;

/**
 * The given `fetch`, but it answers when the whole body is here. Octokit takes a body that breaks off for an empty one, which in a list looks
 * like nothing.
 */
function wholeAnswers(fetch: Fetch, maxBytes: number) {
  return async (url: string, init: unknown) => {
    const response = await fetch(url, init);
    const bytes = await readBounded(response.body, maxBytes);
    const { status, statusText, headers } = response;
    const text = async () => new TextDecoder().decode(bytes);
    return { status, statusText, headers, url: response.url, text, arrayBuffer: async () => bytes.buffer };
  };
}
