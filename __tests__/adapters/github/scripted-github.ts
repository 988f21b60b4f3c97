import { onTestFinished } from 'vitest';
import { createGitHub, type GitHubOptions } from '../../../src/adapters/github/client.ts';
import { systemClock } from '../../../src/run/machine.ts';
import { parseJson } from '../../fakes/every-pair.ts';
import type { Call } from '../../fakes/github-server/route.ts';
import { startGitHub } from '../../fakes/github-server/start-github.ts';
import type { GitHubWorld, WorldComment, WorldThread } from '../../fakes/github-server/world.ts';
import { type Outcome, type Reply, startLoopback } from '../../fakes/loopback.ts';
import { createWorld } from '../../fakes/world/create-world.ts';

type Asked = Pick<Call, 'url' | 'query' | 'body'> & { readonly path: string };

/** Answers a request, or undefined when it is not this route's. */
export type Script = (asked: Asked) => Outcome | undefined;

export type ScriptedGitHub = Awaited<ReturnType<typeof scriptedGitHub>>;

/** GitHub as far as a script goes: what the script does not answer is answered 404. */
export async function scriptedGitHub(script: Script, options: Partial<GitHubOptions> = {}) {
  /** Every request, as `METHOD path`. */
  const log: string[] = [];
  const waits: string[] = [];
  const server = await startLoopback(async (request) => {
    const { method, path, query } = request;
    log.push(`${method} ${path}`);
    const body = parseJson(request.body.toString('utf8'));
    return script({ path, query, url: `${server.url}${path}`, body }) ?? reply(404, { message: 'Not Found' });
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
  return { github, url: server.url, log, waits };
}

export function reply(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Reply {
  return { status, headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(body) };
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
  const lastWords = () => createGitHub({ token, apiUrl, graphqlUrl, pace: 'none', ...told });
  const github = createGitHub({ token, apiUrl, graphqlUrl, pace: 'none', ...told, ...cancel });
  return { fake, github, lastWords, reference: { owner, repository, number: smallWorld.pull.number, serverUrl } };
}
