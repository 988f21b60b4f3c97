import { createGitHub, type GitHub, type GitHubOptions } from '../../../src/adapters/github/client.ts';
import { systemClock } from '../../../src/compose.ts';
import { type Loopback, type Outcome, type Reply, startLoopback } from '../../fakes/loopback.ts';

export type Asked = {
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly body: unknown;
};

/** Answers a request, or undefined when it is not this route's. */
export type Script = (asked: Asked, server: { readonly url: string }) => Outcome | undefined;

export type ScriptedGitHub = {
  readonly github: GitHub;
  readonly url: string;
  /** Every request, as `METHOD path`. */
  readonly log: readonly string[];
  readonly requests: readonly Asked[];
  readonly waits: readonly string[];
  close(): Promise<void>;
};

/** GitHub as far as a script goes: what the script does not answer is answered 404. */
export async function scriptedGitHub(script: Script, options: Partial<GitHubOptions> = {}): Promise<ScriptedGitHub> {
  const requests: Asked[] = [];
  const waits: string[] = [];
  const server: Loopback = await startLoopback(async (request) => {
    const text = request.body.toString('utf8');
    const asked = {
      method: request.method,
      path: request.path,
      query: Object.fromEntries(request.query),
      body: text === '' ? null : JSON.parse(text),
    };
    requests.push(asked);
    return script(asked, { url: server.url }) ?? reply(404, { message: 'Not Found' });
  });
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
  return {
    github,
    url: server.url,
    requests,
    waits,
    close: server.close,
    get log() {
      return requests.map(({ method, path }) => `${method} ${path}`);
    },
  };
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
