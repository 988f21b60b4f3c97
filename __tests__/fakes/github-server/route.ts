import type { Reply } from '../loopback.ts';
import { json, notFound } from './respond.ts';
import type { Store, StoredPull } from './store.ts';
import type { Level, Permissions } from './world.ts';

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
