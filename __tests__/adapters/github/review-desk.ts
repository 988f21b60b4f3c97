import { at, listAt, textAt } from '../../fakes/json.ts';
import type { Outcome } from '../../fakes/loopback.ts';
import { type Asked, pageOf, reply, type Script } from './scripted-github.ts';

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
