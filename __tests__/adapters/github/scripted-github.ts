import { onTestFinished } from 'vitest';
import { createGitHub, type GitHub, type GitHubOptions } from '../../../src/adapters/github/client.ts';
import type { PullRequestReference } from '../../../src/adapters/github/pull.ts';
import { systemClock } from '../../../src/surroundings.ts';
import { at, listAt, textAt } from '../../fakes/every-pair.ts';
import { type FakeGitHub, startGitHub } from '../../fakes/github-server/start-github.ts';
import type { GitHubWorld, WorldComment, WorldThread } from '../../fakes/github-server/store.ts';
import { type Loopback, type Outcome, type Reply, startLoopback } from '../../fakes/loopback.ts';
import { createWorld } from '../../fakes/world/create-world.ts';

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

const lines = Array.from({ length: 40 }, (_, index) => `line ${index + 1}`);

/** One file, changed on line 5. */
export const smallWorld = createWorld({
  base: { 'src/lines.txt': `${lines.join('\n')}\n` },
  head: { 'src/lines.txt': `${lines.with(4, 'line 5 changed').join('\n')}\n` },
});

export const head = smallWorld.commits.head;

export type StrictGitHub = {
  readonly fake: FakeGitHub;
  readonly github: GitHub;
  readonly reference: PullRequestReference;
};

/** The client over a GitHub that refuses what GitHub refuses. */
export async function strictGitHub(
  more: Partial<GitHubWorld> & {
    readonly threads?: readonly WorldThread[];
    readonly conversation?: readonly WorldComment[];
    readonly signal?: AbortSignal;
  } = {},
): Promise<StrictGitHub> {
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

export type Desk = {
  readonly script: Script;
  readonly reviews: Stored[];
  readonly comments: Stored[];
  /** Paths whose lines GitHub refuses; paths ending in `!` are refused for the file, too. */
  readonly badPaths: Set<string>;
  /** Answers given instead of carrying a request out, in turn: see `faultsOn`. */
  readonly faults: Fault[];
};

/** `after`: the request is carried out and its answer is lost. */
export type Fault = { readonly on: string; readonly when: 'before' | 'after'; readonly answer: Outcome };

const reviewsPath = '/repos/o/r/pulls/5/reviews';
const commentsPath = '/repos/o/r/pulls/5/comments';

/** The part of GitHub where reviews of pull request 5 in o/r are handed in: it keeps what it accepts. */
export function reviewDesk(): Desk {
  const desk = { reviews: [], comments: [], badPaths: new Set<string>(), faults: [], script: () => undefined };
  return { ...desk, script: (asked, server) => answer(desk, { asked, url: server.url }) };
}

type Request = { readonly asked: Asked; readonly url: string };

function answer(desk: Omit<Desk, 'script'>, request: Request): Outcome | undefined {
  const { method, path } = request.asked;
  const fault = desk.faults.findIndex(({ on }) => on === `${method} ${path}`);
  const [broken] = fault === -1 ? [] : desk.faults.splice(fault, 1);
  if (broken?.when === 'before') return broken.answer;
  const real = carryOut(desk, request);
  return broken === undefined ? real : broken.answer;
}

function carryOut(desk: Omit<Desk, 'script'>, { asked, url }: Request): Outcome | undefined {
  const { method, path } = asked;
  if (method === 'POST' && path === reviewsPath) return addReview(desk, asked.body);
  if (method === 'GET' && path === reviewsPath) return pageOf(desk.reviews, { asked, url });
  if (method === 'DELETE' && path.startsWith(`${reviewsPath}/`)) return removeReview(desk, path);
  if (method === 'POST' && path === commentsPath) return addFileComment(desk, asked.body);
  if (method === 'GET' && path === commentsPath) return pageOf(desk.comments.toReversed(), { asked, url });
  return undefined;
}

function addReview(desk: Omit<Desk, 'script'>, body: unknown): Outcome {
  const comments = listAt(body, 'comments');
  if (desk.reviews.some((review) => review['state'] === 'PENDING')) {
    return invalid('User can only have one pending review per pull request');
  }
  if (comments.some((comment) => isBad(desk, comment))) {
    return invalid('Pull request review thread line must be part of the diff');
  }
  const id = desk.reviews.length + 101;
  const state = at(body, 'event') === 'COMMENT' ? 'COMMENTED' : 'PENDING';
  const review = { id, state, body: textAt(body, 'body'), commit_id: at(body, 'commit_id'), html_url: `review-${id}` };
  desk.reviews.push(review);
  for (const comment of comments) store(desk, { comment, review: id, commit: at(body, 'commit_id') });
  return reply(200, review);
}

function addFileComment(desk: Omit<Desk, 'script'>, body: unknown): Outcome {
  const path = textAt(body, 'path');
  if (path.endsWith('!')) return invalid('pull_request_review_thread.path is invalid');
  return reply(201, store(desk, { comment: body, review: null, commit: at(body, 'commit_id') }));
}

function store(
  desk: Omit<Desk, 'script'>,
  { comment, review, commit }: { comment: unknown; review: number | null; commit: unknown },
): Stored {
  const id = desk.comments.length + 1;
  const stored = {
    id,
    path: textAt(comment, 'path'),
    body: textAt(comment, 'body'),
    line: at(comment, 'line') ?? null,
    subject_type: at(comment, 'subject_type') ?? 'line',
    pull_request_review_id: review,
    original_commit_id: commit,
    html_url: `comment-${id}`,
  };
  desk.comments.push(stored);
  return stored;
}

function removeReview(desk: Omit<Desk, 'script'>, path: string): Outcome {
  const index = desk.reviews.findIndex((review) => path === `${reviewsPath}/${review['id']}`);
  return reply(200, desk.reviews.splice(index, 1)[0]);
}

function isBad(desk: Omit<Desk, 'script'>, comment: unknown): boolean {
  const path = textAt(comment, 'path');
  return desk.badPaths.has(path) || path.endsWith('!');
}

function invalid(sentence: string): Outcome {
  return reply(422, { message: 'Unprocessable Entity', errors: [sentence] });
}
