import { parseJson } from '../json.ts';
import type { IncomingRequest, Reply } from '../loopback.ts';
import { checkRoutes } from './checks.ts';
import { commentRoutes } from './comments.ts';
import { gitObjectRoutes } from './git-objects.ts';
import { answerGraphql } from './graphql.ts';
import { pullRoutes } from './pulls.ts';
import { repositoryRoutes } from './repository.ts';
import { forbidden, notFound, problem } from './respond.ts';
import { reviewEditRoutes } from './review-edits.ts';
import { reviewRoutes } from './reviews.ts';
import type { Route } from './route.ts';
import type { Store } from './store.ts';
import { type Level, repositoryNames } from './world.ts';

const routes = [
  ...pullRoutes,
  ...reviewRoutes,
  ...reviewEditRoutes,
  ...commentRoutes,
  ...gitObjectRoutes,
  ...repositoryRoutes,
  ...checkRoutes,
];

/** One request to REST or GraphQL: who asks, may they, and then the route. */
export async function answerApi(
  request: IncomingRequest,
  { store, origin }: { readonly store: Store; readonly origin: string },
): Promise<Reply> {
  const reply = (await refuseStranger(request, store)) ?? (await route(request, { store, origin }));
  return { ...reply, headers: { ...rateLimit, ...reply.headers } };
}

const rateLimit = {
  'x-ratelimit-limit': '1000',
  'x-ratelimit-remaining': '900',
  'x-ratelimit-reset': '1900000000',
  'x-ratelimit-resource': 'core',
};

async function refuseStranger(request: IncomingRequest, store: Store): Promise<Reply | null> {
  const { authorization } = request.headers;
  if (authorization === undefined) return problem(401, 'Requires authentication');
  const [scheme = '', token] = authorization.split(' ');
  if (/^(token|bearer)$/i.test(scheme) && token === store.world.token) return null;
  return problem(401, 'Bad credentials');
}

async function route(
  request: IncomingRequest,
  { store, origin }: { readonly store: Store; readonly origin: string },
): Promise<Reply> {
  const body = parseJson(request.body.toString('utf8'));
  if (request.path === '/api/graphql') return answerGraphql(store, body);
  // A workflow's token has no user (FAILURES P5).
  if (request.path === '/api/v3/user') return forbidden('');
  const path = request.path.replace(/^\/api\/v3/, '');
  const prefix = repositoryPrefix(store, path);
  if (prefix === null) return notFound();
  for (const one of routes) {
    const match = one.method === request.method ? one.pattern.exec(path.slice(prefix.length)) : null;
    if (match === null) continue;
    if (!mayUse(one, store)) return forbidden(acceptedBy(one));
    const names = Object.entries(match.groups ?? {}).map(([name, value]) => [name, decodeURIComponent(value)]);
    const accept = String(request.headers.accept ?? '');
    const call = { store, api: `${origin}/api/v3`, path, query: request.query, accept, body };
    return one.handle({ ...call, names: Object.fromEntries(names) });
  }
  return notFound();
}

function repositoryPrefix(store: Store, path: string): string | null {
  const prefixes = repositoryNames(store.world).map((name) => `/repos/${name}`);
  return prefixes.find((prefix) => path === prefix || path.startsWith(`${prefix}/`)) ?? null;
}

function mayUse(one: Route, store: Store): boolean {
  if (one.needs.length === 0) return true;
  return one.needs.some(({ permission, level }) => ranks[store.world.permissions[permission]] >= ranks[level]);
}

const ranks: Readonly<Record<Level, number>> = { none: 0, read: 1, write: 2 };

function acceptedBy(one: Route): string {
  return one.needs.map(({ permission, level }) => `${permission.replaceAll('-', '_')}=${level}`).join('; ');
}
