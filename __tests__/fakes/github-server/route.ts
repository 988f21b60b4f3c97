import type { components } from '@octokit/openapi-types';
import type { IncomingRequest, Outcome, Reply } from '../loopback.ts';
import { type DiffFile, readPullDiff } from './changed-files.ts';
import type { Fault, FaultAnswer, Level, Permissions, Store, StoredPull } from './store.ts';

export type Call = {
  readonly store: Store;
  /** Where the API answers, such as http://127.0.0.1:4711/api/v3. */
  readonly api: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly accept: string;
  /** Parsed JSON; null when there is none. */
  readonly body: unknown;
  /** The named groups of the route's pattern, decoded. */
  readonly names: Readonly<Record<string, string>>;
};

export type Route = {
  readonly method: string;
  /** Matched against the path after `/repos/{owner}/{repository}`. */
  readonly pattern: RegExp;
  /** One of these is enough. */
  readonly needs: readonly { readonly permission: keyof Permissions; readonly level: Level }[];
  readonly handle: (call: Call) => Reply | Promise<Reply>;
};

/** Runs `use` with the pull request that the path names. */
export async function withPull(call: Call, use: (pull: StoredPull) => Reply | Promise<Reply>): Promise<Reply> {
  const pull = call.store.pulls.find((one) => String(one.given.number) === call.names['number']);
  return pull === undefined ? notFound() : use(pull);
}

/** A page of a list, with the `Link` header that leads to the others. At most 100 a page, 30 by default. */
export function page<T>(call: Call, items: readonly T[], render: (item: T) => unknown): Reply {
  const size = Math.min(100, Math.max(1, Number(call.query.get('per_page') ?? 30) || 30));
  const number = Math.max(1, Number(call.query.get('page') ?? 1) || 1);
  const last = Math.max(1, Math.ceil(items.length / size));
  const reply = json(200, items.slice((number - 1) * size, number * size).map(render));
  const relations: readonly (readonly [string, number])[] = [
    ...(number > 1 ? ([['prev', number - 1]] as const) : []),
    ...(number < last ? ([['next', number + 1]] as const) : []),
    ...(number < last ? ([['last', last]] as const) : []),
    ...(number > 1 ? ([['first', 1]] as const) : []),
  ];
  if (relations.length === 0) return reply;
  const link = relations.map(([name, target]) => `<${pageUrl(call, target)}>; rel="${name}"`).join(', ');
  return { ...reply, headers: { ...reply.headers, link } };
}

function pageUrl(call: Call, target: number): string {
  const query = new URLSearchParams(call.query);
  query.set('page', String(target));
  return `${call.api}${call.path}?${query}`;
}

const documentation = 'https://docs.github.com/rest';

export function json(status: number, body: unknown): Reply {
  return { status, headers: { 'content-type': 'application/json; charset=utf-8' }, body: JSON.stringify(body) };
}

export function problem(status: number, message: string): Reply {
  return json(status, { message, documentation_url: documentation, status: String(status) });
}

export function notFound(): Reply {
  return problem(404, 'Not Found');
}

/** The header names what would have been enough, as GitHub does. */
export function forbidden(accepted: string): Reply {
  const reply = problem(403, 'Resource not accessible by integration');
  return { ...reply, headers: { ...reply.headers, 'x-accepted-github-permissions': accepted } };
}

function secondaryLimit(): Reply {
  const reply = problem(
    403,
    'You have exceeded a secondary rate limit. Please wait a few minutes before you try again. If you reach out to GitHub Support for help, please include the request ID.',
  );
  return { ...reply, headers: { ...reply.headers, 'retry-after': '1' } };
}

/** How the reviews API refuses: plain sentences, without a hint which of the comments is at fault. */
export function unprocessable(...errors: readonly string[]): Reply {
  return json(422, {
    message: 'Unprocessable Entity',
    errors,
    documentation_url: `${documentation}/pulls/reviews#create-a-review-for-a-pull-request`,
    status: '422',
  });
}

type FieldError = {
  readonly resource: string;
  readonly code: string;
  readonly field?: string;
  readonly message?: string;
};

/** How the other endpoints refuse: one entry a field. */
export function validationFailed(...errors: readonly FieldError[]): Reply {
  return json(422, { message: 'Validation Failed', errors, documentation_url: documentation, status: '422' });
}

export function invalidRequest(message: string): Reply {
  return json(422, { message: `Invalid request.\n\n${message}`, documentation_url: documentation, status: '422' });
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
  const base = pull.given.base.sha;
  return (await readPullDiff(call.store.world.gitDirectory, { base, head: commit })).files;
}

/** Breaks what the script says should break, as often as it says. */
export function createFaults(script: readonly Fault[]): {
  around(request: IncomingRequest, carryOut: () => Promise<Outcome>): Promise<Outcome>;
} {
  const left = new Map(script.map((fault) => [fault, fault.times]));
  return {
    async around(request, carryOut) {
      const fault = script.find((one) => (left.get(one) ?? 0) > 0 && matches(one, request));
      if (fault === undefined) return carryOut();
      left.set(fault, (left.get(fault) ?? 0) - 1);
      if ('before' in fault) return answerOf(fault.before);
      await carryOut();
      return answerOf(fault.after);
    },
  };
}

function matches(fault: Fault, request: IncomingRequest): boolean {
  const { method, path, body } = fault.match;
  if (method !== request.method || !path.test(request.path)) return false;
  return body === undefined || body.test(request.body.toString('utf8'));
}

function answerOf(answer: FaultAnswer): Outcome {
  if (answer === 'reset' || answer === 'hang') return answer;
  if (answer === 'secondary rate limit') return secondaryLimit();
  if (answer === 'rate limit of a minute')
    return { ...json(429, { message: 'Slow down' }), headers: { 'retry-after': '60' } };
  if (answer === 'cut') return { ...json(200, {}), body: '[{"id": 1, "ht' };
  if (answer === 'empty') return { ...json(200, {}), body: '' };
  const status = Number(answer.slice('status '.length));
  return problem(status, status >= 500 ? 'Server Error' : 'Refused by the script of this test');
}
