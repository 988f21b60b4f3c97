import { parseJson } from '../every-pair.ts';
import { startGitHttpServer } from '../git-fixture.ts';
import { type IncomingRequest, type Outcome, type Reply, startLoopback } from '../loopback.ts';
import { surfaces } from '../surfaces/surfaces.ts';
import { readPullDiff } from './changed-files.ts';
import { checkRoutes } from './checks.ts';
import { commentRoutes } from './comments.ts';
import { apiVersions, enterpriseVersion } from './enterprise.ts';
import { gitObjectRoutes } from './git-objects.ts';
import { answerGraphql } from './graphql.ts';
import { labelRoutes } from './labels.ts';
import { findSaid, peopleOf } from './people.ts';
import { pullRoutes } from './pulls.ts';
import { repositoryRoutes } from './render-rest.ts';
import { reviewRoutes } from './reviews.ts';
import { createFaults, forbidden, notFound, problem, type Route } from './route.ts';
import { runRoutes } from './runs.ts';
import { createStore, firstPull, reviewComments, type Store } from './store.ts';
import { type GitHubWorld, type Level, repositoryNames } from './world.ts';

type RecordedRequest = {
  readonly method: string;
  /** With the query, as it was asked. */
  readonly path: string;
  /** Parsed JSON; null when there is none. */
  readonly body: unknown;
  /** Null when the connection was broken or never answered. */
  readonly status: number | null;
};

export type FakeGitHub = Awaited<ReturnType<typeof startGitHub>>;

/**
 * GitHub as far as a reviewer meets it, on loopback: REST under `/api/v3`, GraphQL under `/api/graphql`, and git over
 * smart HTTP at `serverUrl`. Stateful, and as strict as the real one.
 */
export async function startGitHub(world: GitHubWorld) {
  const store = await createStore(world);
  const faults = createFaults(world.faults);
  const requests: RecordedRequest[] = [];
  const gitServer = await startGitHttpServer({
    repositories: Object.fromEntries(repositoryNames(world).map((name) => [name, world.gitDirectory])),
    authorization: `basic ${Buffer.from(`x-access-token:${world.token}`).toString('base64')}`,
  });
  const server = await startLoopback(async (request) => {
    const reply = await faults.meet(request, () => answerApi(request, { store, origin: server.url }));
    const recorded = recordOf(request, reply);
    requests.push(recorded);
    if (isWrite(recorded)) surfaces?.write(recorded);
    return reply;
  });
  const first = () => firstPull(store);
  return {
    world,
    /** GITHUB_SERVER_URL: git is served here. */
    serverUrl: gitServer.url,
    apiUrl: `${server.url}/api/v3`,
    graphqlUrl: `${server.url}/api/graphql`,
    /** Every request in the order of its answer, git's apart. */
    requests,
    gitRequests: gitServer.requests,
    /** What changed something, or tried to: GraphQL mutations included. */
    writes: () => requests.filter(isWrite),
    /** Review comments of the first pull request, oldest first: those in the world and those that were posted. */
    comments: () =>
      reviewComments(first()).map(({ thread: { path, side, startLine, line }, comment: { author, body } }) => {
        return { path, side, startLine, line, author, body };
      }),
    conversation: () => first().conversation,
    reviews: () => first().reviews,
    threads: () => first().threads,
    /** All of the first pull request, to be changed as no request could. */
    pull: first,
    checkRuns: () => store.checkRuns,
    /** What runs uploaded, to be added to as no request of the API could. */
    artifacts: () => store.artifacts,
    /** The comment or review of this id, on whatever pull request. */
    said: (id: number) => findSaid(store, id),
    /** What the token's identity reacted with, in order, such as EYES. */
    reactions: (id: number) =>
      (findSaid(store, id).said.reactions ?? []).filter(({ by }) => by === world.viewer).map(({ content }) => content),
    /** Workflow runs that were asked to run again, by their ids. */
    reruns: () => store.reruns,
    /** What a person does, in the browser: no permission of the token is asked. */
    people: peopleOf(store),
    /** From now on these break, too. */
    breaks: faults.add,
    /** From now on nothing breaks any more. */
    mends: faults.end,
    /** From now on nothing breaks. */
    heals: faults.clear,
    /** A push to the pull request's branch, and to the one that it is to be merged into. */
    moveHead: async (sha: string, base = first().given.base.sha) => {
      const pull = first();
      pull.given = { ...pull.given, base: { ...pull.given.base, sha: base } };
      pull.diff = await readPullDiff(world.gitDirectory, { base, head: sha });
      pull.earlierHeads.push(pull.headSha);
      pull.headSha = sha;
    },
    close: async () => {
      await Promise.all([server.close(), gitServer.close()]);
    },
  };
}

function isWrite(request: RecordedRequest): boolean {
  if (request.path.startsWith('/api/graphql')) return /"query":"\s*mutation/.test(JSON.stringify(request.body));
  return request.method !== 'GET';
}

function recordOf(request: IncomingRequest, outcome: Outcome): RecordedRequest {
  const query = request.query.toString();
  return {
    method: request.method,
    path: query === '' ? request.path : `${request.path}?${query}`,
    body: parseJson(request.body.toString('utf8')),
    status: typeof outcome === 'string' ? null : outcome.status,
  };
}

const routes = [
  ...pullRoutes,
  ...reviewRoutes,
  ...commentRoutes,
  ...gitObjectRoutes,
  ...repositoryRoutes,
  ...checkRoutes,
  ...runRoutes,
  ...labelRoutes,
];

/** One request to REST or GraphQL: who asks, may they, and then the route. */
export async function answerApi(
  request: IncomingRequest,
  { store, origin }: { readonly store: Store; readonly origin: string },
): Promise<Reply> {
  const reply =
    refuseVersion(request) ?? (await refuseStranger(request, store)) ?? (await route(request, { store, origin }));
  const always = store.world.isEnterprise === true ? ofEnterprise : rateLimit;
  return { ...reply, headers: { ...always, ...reply.headers } };
}

const ofEnterprise = { 'x-github-enterprise-version': `enterprise-server@${enterpriseVersion}` };

function refuseVersion({ headers }: IncomingRequest): Reply | null {
  const version = headers['x-github-api-version']?.toString();
  return apiVersions.includes(version) ? null : problem(400, `${version} is not a valid version of the API.`);
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
  const { query } = request;
  if (request.path === '/api/graphql') return answerGraphql(store, body);
  const path = request.path.replace(/^\/api\/v3/, '');
  const asked = askedRepository(store, path);
  if (asked === null) return notFound();
  const { prefix, gitDirectory, isOwn } = asked;
  for (const one of isOwn ? routes : gitObjectRoutes) {
    const match = one.method === request.method ? one.pattern.exec(path.slice(prefix.length)) : null;
    if (match === null) continue;
    if (!mayUse(one, store)) return forbidden(acceptedBy(one));
    const names = Object.entries(match.groups ?? {}).map(([name, value]) => [name, decodeURIComponent(value)]);
    const url = `${origin}${request.path}`;
    return one.handle({ store, gitDirectory, url, query, body, names: Object.fromEntries(names) });
  }
  return notFound();
}

function askedRepository({ world }: Store, path: string) {
  const { gitDirectory, others = [] } = world;
  const own = repositoryNames(world).map((name) => ({ name, gitDirectory, isOwn: true }));
  const known = [...own, ...others.map((other) => ({ ...other, isOwn: false }))];
  const repositories = known.map(({ name, ...one }) => ({ ...one, prefix: `/repos/${name}` }));
  return repositories.find(({ prefix }) => path === prefix || path.startsWith(`${prefix}/`)) ?? null;
}

function mayUse({ needs }: Route, { world }: Store): boolean {
  const granted: Readonly<Record<string, Level>> = world.permissions;
  return needs.some((need) => {
    const [permission = '', level] = need.split(': ');
    return granted[permission] === level || granted[permission] === 'write';
  });
}

function acceptedBy({ needs }: Route): string {
  return needs.map((need) => need.replace(': ', '=').replaceAll('-', '_')).join('; ');
}
