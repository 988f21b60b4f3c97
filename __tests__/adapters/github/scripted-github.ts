import { onTestFinished } from 'vitest';
import { createGitHub, type GitHubOptions } from '../../../src/adapters/github/client.ts';
import { systemClock } from '../../../src/surroundings.ts';
import { startGitHub } from '../../fakes/github-server/start-github.ts';
import type { GitHubWorld, WorldComment, WorldThread } from '../../fakes/github-server/store.ts';
import { type Outcome, type Reply, startLoopback } from '../../fakes/loopback.ts';
import { createWorld } from '../../fakes/world/create-world.ts';

export type Asked = {
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly body: unknown;
};

/** Answers a request, or undefined when it is not this route's. */
export type Script = (asked: Asked, server: { readonly url: string }) => Outcome | undefined;

export type ScriptedGitHub = Awaited<ReturnType<typeof scriptedGitHub>>;

/** GitHub as far as a script goes: what the script does not answer is answered 404. */
export async function scriptedGitHub(script: Script, options: Partial<GitHubOptions> = {}) {
  const requests: Asked[] = [];
  /** Every request, as `METHOD path`. */
  const log: string[] = [];
  const waits: string[] = [];
  const server = await startLoopback(async (request) => {
    const text = request.body.toString('utf8');
    const asked = {
      method: request.method,
      path: request.path,
      query: Object.fromEntries(request.query),
      body: text === '' ? null : JSON.parse(text),
    };
    requests.push(asked);
    log.push(`${asked.method} ${asked.path}`);
    return script(asked, { url: server.url }) ?? reply(404, { message: 'Not Found' });
  });
  onTestFinished(() => server.close());
  const github = createGitHub({
    token: 'a-token',
    apiUrl: server.url,
    graphqlUrl: `${server.url}/graphql`,
    userAgent: 'postil-test',
    onWait: (text) => waits.push(text),
    clock: systemClock,
    pace: 'none',
    ...options,
  });
  return { github, url: server.url, log, requests, waits };
}

export function reply(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Reply {
  return { status, headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(body) };
}

/** One page of a list, with the `Link` header that GitHub adds. */
export function pageOf(
  items: readonly unknown[],
  { asked, url }: { readonly asked: Asked; readonly url: string },
): Reply {
  const size = Number(asked.query['per_page'] ?? 30);
  const page = Number(asked.query['page'] ?? 1);
  const next = new URLSearchParams({ ...asked.query, page: String(page + 1) });
  const more = page * size < items.length;
  return reply(
    200,
    items.slice((page - 1) * size, page * size),
    more ? { link: `<${url}${asked.path}?${next}>; rel="next"` } : {},
  );
}

export const reference = { owner: 'o', repository: 'r', number: 5, serverUrl: 'https://github.example' };

const lines = Array.from({ length: 40 }, (_, index) => `line ${index + 1}`);

/** One file, changed on line 5. */
export const smallWorld = createWorld({
  base: { 'src/lines.txt': `${lines.join('\n')}\n` },
  head: { 'src/lines.txt': `${lines.with(4, 'line 5 changed').join('\n')}\n` },
});

export const head = smallWorld.commits.head;

export type StrictGitHub = Awaited<ReturnType<typeof strictGitHub>>;

/** The client over a GitHub that refuses what GitHub refuses. */
export async function strictGitHub(
  more: Partial<GitHubWorld> & {
    readonly threads?: readonly WorldThread[];
    readonly conversation?: readonly WorldComment[];
    readonly signal?: AbortSignal;
  } = {},
) {
  const { threads = [], conversation = [], signal, ...world } = more;
  const pullRequests = [{ ...smallWorld.pull, threads, conversation }];
  const fake = await startGitHub({ ...smallWorld.github, pullRequests, ...world });
  onTestFinished(() => fake.close());
  const { owner, repository, token } = fake.world;
  const { apiUrl, graphqlUrl, serverUrl } = fake;
  const cancel = signal === undefined ? {} : { signal };
  const told = { userAgent: 'postil-test', onWait: () => undefined, clock: systemClock };
  const github = createGitHub({ token, apiUrl, graphqlUrl, pace: 'none', ...told, ...cancel });
  return { fake, github, reference: { owner, repository, number: smallWorld.pull.number, serverUrl } };
}
