import { onTestFinished } from 'vitest';
import { createGitHub, type GitHubOptions } from '../../../src/adapters/github/client.ts';
import { systemClock } from '../../../src/surroundings.ts';
import { at, listAt, textAt } from '../../fakes/every-pair.ts';
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

type Stored = Record<string, unknown>;

export type Desk = ReturnType<typeof reviewDesk>;

/** `after`: the request is carried out and its answer is lost. */
export type Fault = { readonly on: string; readonly when: 'before' | 'after'; readonly answer: Outcome };

/**
 * The part of GitHub where reviews of pull request 5 in o/r are handed in: it keeps what it accepts. It refuses the lines of
 * paths ending in `?`, and of paths ending in `!` the file, too.
 */
export function reviewDesk() {
  const reviews: Stored[] = [];
  const comments: Stored[] = [];
  /** Answers given instead of carrying a request out, in turn. */
  const faults: Fault[] = [];
  const keep = (comment: unknown, { review, commit }: { review: number | null; commit: unknown }) => {
    const id = comments.length + 1;
    comments.push({
      id,
      path: textAt(comment, 'path'),
      body: textAt(comment, 'body'),
      subject_type: at(comment, 'subject_type') ?? 'line',
      pull_request_review_id: review,
      original_commit_id: commit,
      html_url: `comment-${id}`,
    });
    return comments.at(-1);
  };
  const routes: Readonly<Record<string, (asked: Asked, url: string) => Reply>> = {
    'GET /reviews': (asked, url) => pageOf(reviews, { asked, url }),
    'GET /comments': (asked, url) => pageOf(comments.toReversed(), { asked, url }),
    'POST /reviews': ({ body }) => {
      if (reviews.some(({ state }) => state === 'PENDING')) {
        return invalid('User can only have one pending review per pull request');
      }
      const sent = listAt(body, 'comments');
      if (sent.some((comment) => /[?!]$/.test(textAt(comment, 'path')))) {
        return invalid('Pull request review thread line must be part of the diff');
      }
      const id = reviews.length + 101;
      const commit = at(body, 'commit_id');
      const state = at(body, 'event') === 'COMMENT' ? 'COMMENTED' : 'PENDING';
      reviews.push({ id, state, body: textAt(body, 'body'), commit_id: commit, html_url: `review-${id}` });
      for (const comment of sent) keep(comment, { review: id, commit });
      return reply(200, reviews.at(-1));
    },
    'POST /comments': ({ body }) => {
      if (textAt(body, 'path').endsWith('!')) return invalid('pull_request_review_thread.path is invalid');
      return reply(201, keep(body, { review: null, commit: at(body, 'commit_id') }));
    },
    'DELETE /reviews': ({ path }) => {
      const index = reviews.findIndex(({ id }) => path.endsWith(`/${id}`));
      return reply(200, reviews.splice(index, 1)[0]);
    },
  };
  const script: Script = (asked, { url }) => {
    const fault = faults.findIndex(({ on }) => on === `${asked.method} ${asked.path}`);
    const [broken] = fault === -1 ? [] : faults.splice(fault, 1);
    if (broken?.when === 'before') return broken.answer;
    const [, list = ''] = /^\/repos\/o\/r\/pulls\/5(\/\w+)/.exec(asked.path) ?? [];
    const real = routes[`${asked.method} ${list}`]?.(asked, url);
    return broken?.answer ?? real;
  };
  return { script, reviews, comments, faults };
}

function invalid(sentence: string): Reply {
  return reply(422, { message: 'Unprocessable Entity', errors: [sentence] });
}
