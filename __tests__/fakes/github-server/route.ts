import type { components } from '@octokit/openapi-types';
import type { IncomingRequest, Outcome, Reply } from '../loopback.ts';
import { type DiffFile, readPullDiff } from './changed-files.ts';
import { demandKnown } from './enterprise.ts';
import type { Store, StoredPull } from './store.ts';
import type { Fault, FaultAnswer, Level, Permissions } from './world.ts';

export type Call = {
  readonly store: Store;
  /** Of the repository that is asked about. */
  readonly gitDirectory: string;
  /** The address that was asked, such as http://127.0.0.1:4711/api/v3/repos/octo/spoon/pulls. */
  readonly url: string;
  readonly query: URLSearchParams;
  /** Parsed JSON; null when there is none. */
  readonly body: unknown;
  /** What stands in the path where the route has a name, decoded. */
  readonly names: Readonly<Record<string, string | undefined>>;
};

type Need = `${keyof Permissions}: ${Level}`;

type Answering<Rest extends readonly unknown[]> = (call: Call, ...rest: Rest) => Reply | Promise<Reply>;

export type Route = {
  readonly method: string;
  /** Matched against the path after `/repos/{owner}/{repository}`. */
  readonly pattern: RegExp;
  /** One of these is enough. */
  readonly needs: readonly Need[];
  readonly handle: Answering<[]>;
};

/** What is asked as on GitHub's own pages, such as `GET /git/trees/:sha`. */
export function route(asked: string, needs: readonly Need[], handle: Answering<[]>): Route {
  const [method = '', path = ''] = asked.split(' ');
  demandKnown(method, path);
  return { method, pattern: new RegExp(`^${path.replace(/:(\w+)/g, '(?<$1>[^/]+)')}$`), needs, handle };
}

/** A route whose `:number` is that of a pull request. */
export function pullRoute(asked: string, needs: readonly Need[], handle: Answering<[StoredPull]>): Route {
  return route(asked, needs, (call) => {
    const pull = call.store.pulls.find(({ given }) => String(given.number) === call.names['number']);
    return pull === undefined ? notFound() : handle(call, pull);
  });
}

/** A page of a list, with the `Link` header that leads to the next. At most 100 a page, 30 by default. */
export function page<T>(
  call: Pick<Call, 'url' | 'query'>,
  items: readonly T[],
  render: (item: T) => unknown = (item) => item,
): Reply {
  const size = Math.min(100, Number(call.query.get('per_page') ?? 30));
  const number = Number(call.query.get('page') ?? 1);
  const reply = json(200, items.slice((number - 1) * size, number * size).map(render));
  if (number * size >= items.length) return reply;
  const query = new URLSearchParams(call.query);
  query.set('page', String(number + 1));
  return { ...reply, headers: { ...reply.headers, link: `<${call.url}?${query}>; rel="next"` } };
}

export function json(status: number, body: unknown): Reply {
  return { status, headers: { 'content-type': 'application/json; charset=utf-8' }, body: JSON.stringify(body) };
}

export function problem(status: number, message: string): Reply {
  return json(status, { message, status: String(status) });
}

export function notFound(): Reply {
  return problem(404, 'Not Found');
}

/** The header names what would have been enough, as GitHub does. */
export function forbidden(accepted: string): Reply {
  const reply = problem(403, 'Resource not accessible by integration');
  return { ...reply, headers: { ...reply.headers, 'x-accepted-github-permissions': accepted } };
}

/** How the reviews API refuses: plain sentences, without a hint which of the comments is at fault. */
export function unprocessable(...errors: readonly string[]): Reply {
  return json(422, { message: 'Unprocessable Entity', errors, status: '422' });
}

/** How the other endpoints refuse: one entry a field. */
export function validationFailed(
  ...errors: readonly { resource: string; code: string; field: string; message?: string }[]
): Reply {
  return json(422, { message: 'Validation Failed', errors, status: '422' });
}

export function invalidRequest(message: string): Reply {
  return problem(422, `Invalid request.\n\n${message}`);
}

type Schemas = components['schemas'];

type Partially<T> = T extends readonly (infer Item)[]
  ? readonly Partially<Item>[]
  : T extends object
    ? { readonly [Key in keyof T]?: Partially<T[Key]> }
    : T;

/** The part of one of GitHub's own response types that the fake answers: a wrong name or type does not compile. */
export type RestShape<Name extends keyof Schemas> = Partially<Schemas[Name]>;

/**
 * The diff that comments on a commit are checked against: the pull request's as it was when that commit was its head.
 * Null for a commit that never was. An empty name is the newest head.
 */
export async function filesAt(
  call: Call,
  { pull, commit }: { readonly pull: StoredPull; readonly commit: string },
): Promise<readonly DiffFile[] | null> {
  if (commit === '' || commit === pull.headSha) return pull.diff.files;
  if (!pull.earlierHeads.includes(commit)) return null;
  const known = pull.diffs?.get(commit);
  if (known !== undefined) return known.files;
  const base = pull.given.base.sha;
  return (await readPullDiff(call.store.world.gitDirectory, { base, head: commit })).files;
}

/** Breaks what the script says should break, as often as it says. */
export function createFaults(script: readonly Fault[]) {
  const counted = (fault: Fault) => ({ ...fault, left: fault.times, spared: fault.spares ?? 0 });
  const faults = script.map(counted);
  return {
    add: (...more: readonly Fault[]) => faults.push(...more.map(counted)),
    end: () => faults.splice(0),
    clear: () => void faults.splice(0),
    meet: async (request: IncomingRequest, carryOut: () => Promise<Outcome>): Promise<Outcome> => {
      const fault = faults.find((one) => one.left > 0 && matches(one, request));
      if (fault === undefined) return carryOut();
      if (fault.spared > 0) {
        fault.spared -= 1;
        return carryOut();
      }
      fault.left -= 1;
      if ('meanwhile' in fault) {
        await fault.meanwhile();
        return carryOut();
      }
      if ('before' in fault) return answerOf(fault.before);
      await carryOut();
      return answerOf(fault.after);
    },
  };
}

function matches(fault: Fault, request: IncomingRequest): boolean {
  const { method, path, body } = fault.match;
  if ((method !== undefined && method !== request.method) || !path.test(request.path)) return false;
  return body === undefined || body.test(request.body.toString('utf8'));
}

function answerOf(answer: FaultAnswer): Outcome {
  if (typeof answer !== 'string' || answer === 'reset' || answer === 'hang') return answer;
  if (answer === 'secondary rate limit') {
    const words =
      'You have exceeded a secondary rate limit. Please wait a few minutes before you try again. If you reach out to GitHub Support for help, please include the request ID.';
    return { ...problem(403, words), headers: { 'retry-after': '1' } };
  }
  if (answer === 'rate limit of a minute') return { ...problem(429, 'Slow down'), headers: { 'retry-after': '60' } };
  const status = Number(answer.slice('status '.length));
  return problem(status, status >= 500 ? 'Server Error' : 'Refused by the script of this test');
}
