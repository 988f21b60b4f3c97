import { type CheckRunOptions, checkRun } from '../../../src/adapters/github/check-run.ts';
import { readDiscussion } from '../../../src/adapters/github/discussion.ts';
import { pullRequestReview } from '../../../src/adapters/github/review-sink.ts';
import { findSticky, type StickyOptions, summaryComment } from '../../../src/adapters/github/sticky.ts';
import { placed as placedAt } from '../../../src/core/findings/finding.ts';
import { withoutMarks, writeMark } from '../../../src/core/history/mark.ts';
import { inEnglish } from '../../../src/core/messages/languages.ts';
import type { Message } from '../../../src/core/messages/message.ts';
import type { PullRequest } from '../../../src/core/pull-request/pull-request.ts';
import { renderNotReviewed } from '../../../src/core/report/not-reviewed.ts';
import { deliver } from '../../../src/core/review/deliver.ts';
import type { Review, ReviewComment, ReviewPost } from '../../../src/core/review/review.ts';
import type { Delivery, Destination, ReviewRecord } from '../../../src/core/review/sink.ts';
import { type Gate, openGate } from '../../../src/core/review/verdict.ts';
import { stateIn, stateMark } from '../../fakes/earlier-rounds.ts';
import { context, finding, pullRequest, recordOf, review } from '../../fakes/review-record.ts';
import { head, type StrictGitHub, strictGitHub } from './scripted-github.ts';

export type CheckDesk = Awaited<ReturnType<typeof checkDesk>>;

/** A check over a strict GitHub, with a clock and a fallback of its own. */
export async function checkDesk({
  options = {},
  ...world
}: Parameters<typeof strictGitHub>[0] & { readonly options?: Partial<CheckRunOptions> } = {}) {
  const strict = await strictGitHub(world);
  /** Findings that went to the workflow commands. */
  const commanded: string[] = [];
  let now = Date.parse('2026-11-02T10:00:00Z');
  const fallback: Destination = {
    name: 'annotations',
    deliver: async ({ review: { findings } }) => {
      const ids = findings.map(({ id }) => id);
      commanded.push(...ids);
      const delivered = ids.map((findingId) => ({ findingId, place: 'annotation', url: null }) as const);
      return { sink: 'annotations', status: 'delivered', reason: [], delivered, url: null };
    },
  };
  const check = checkRun(strict, {
    headSha: head,
    name: 'Review',
    detailsUrl: null,
    now: () => now,
    fallback,
    render: () => 'The summary.',
    redact: (text) => text,
    t: inEnglish,
    ...options,
  });
  const wait = (milliseconds: number) => {
    now += milliseconds;
  };
  return { ...strict, check, commanded, wait };
}

/** Starts the check, as the first event of a run does, and waits until it is there. */
export async function startCheck({ check, fake }: CheckDesk): Promise<void> {
  check.reporter({ type: 'review-start', version: '1', model: null, profile: 'offline', subject: 'octo/spoon#7' });
  while (!fake.requests.some(({ path }) => path.endsWith('/check-runs'))) await soon();
  await soon();
}

/** Delivers a review to the check: annotations first, then the conclusion. */
export async function deliverTo(
  { check }: CheckDesk,
  changes: Partial<Review> = {},
  gate: Gate = openGate,
): Promise<ReviewRecord> {
  const to = { destinations: [check.annotations, check.conclusion], gate };
  return await deliver(review({ outcome: 'findings', ...changes }), to, () => undefined);
}

/** Findings that are to be posted, called `f0`, `f1` and so on. */
export function placed(count: number): Review['findings'] {
  return Array.from({ length: count }, (_, index) => placedAt(finding({ id: `f${index}` }), 'inline'));
}

export function deliveryOf({ deliveries }: ReviewRecord, sink: string): Delivery {
  const found = deliveries.find((delivery) => delivery.sink === sink);
  if (found === undefined) throw new Error(`Nothing was delivered to ${sink}.`);
  return found;
}

/** What the check says by now. */
export function stateOf({ fake }: CheckDesk): readonly unknown[] {
  return fake.checkRuns().map(({ content }) => [content['status'], content['conclusion']]);
}

export async function soon(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 60));
}

type Words = { readonly run: string; readonly words: string; readonly head?: string; readonly name?: string };

type Recording = Partial<Pick<StickyOptions, 'existing' | 'currentHead' | 'renderJoined' | 'signs'>> & {
  readonly run: string;
  readonly name?: string;
  /** The head that the run is about. */
  readonly at?: string;
  /** By the number of the comment, where it is signed. */
  readonly body: string | null | ((comment: number | null) => string);
};

/** A pull request on which several runs keep their summary comment. */
export async function stickyDesk(options: Parameters<typeof strictGitHub>[0] = {}) {
  const strict = await strictGitHub(options);
  const { github, reference } = strict;
  const present = async (): Promise<string | null> => head;
  const comment = ({ run, name = 'Review', at = head, body, ...more }: Recording): Destination =>
    summaryComment(strict, {
      identity: { name, run },
      existing: null,
      render: (_, { comment }) => (typeof body === 'function' ? body(comment) : body),
      // Both know the same.
      renderJoined: (_, present) => present,
      stateIn: ({ body: present }) => stateIn(present, name),
      signs: true,
      renderNotReviewed: ({ review: failed }, present) =>
        renderNotReviewed(failed, { present, head: at, identity: { name, run }, context }),
      look: async () => (await readDiscussion(github, reference)).conversation,
      currentHead: present,
      ...more,
    });
  return { ...strict, currentHead: present, comment };
}

export type StickyDesk = Awaited<ReturnType<typeof stickyDesk>>;

/** A whole run: it reads the conversation, something may happen `meanwhile`, and it writes. */
export async function runOn(desk: StickyDesk, words: Words, meanwhile?: () => unknown): Promise<Delivery> {
  const { run, name = 'Review' } = words;
  const existing = findSticky((await readDiscussion(desk.github, desk.reference)).conversation, name);
  const comment = desk.comment({ run, name, body: said(words), existing, currentHead: desk.currentHead });
  await meanwhile?.();
  return await comment.deliver(recordAt(words.head ?? head));
}

/** A review of this head. */
export function recordAt(sha: string): ReviewRecord {
  return recordOf({ pullRequest: { ...pullRequest, head: { ...pullRequest.head, sha } } });
}

/** A summary comment with its mark. */
export function said({ run, words, head: reviewed = head, name = 'Review' }: Words): string {
  return `### Postil · ${name} · ${words}\n\n${writeMark(stateMark({ run, head: reviewed }, name))}`;
}

/** What the comments below the pull request say. */
export function bodies({ fake }: StrictGitHub): readonly string[] {
  return fake.conversation().map(({ body }) => withoutMarks(body).replace(/^### Postil · \w+ · /, ''));
}

/** Every write with its status, such as `POST 201`. */
export function writesOf({ fake }: StrictGitHub): readonly string[] {
  return fake.writes().map(({ method, status }) => `${method} ${status}`);
}

/** A review whose findings with these ids go into the body. */
export function someReview(inBody: readonly string[] = [], changes: Partial<PullRequest> = {}): Review {
  const reason: Message = { code: 'place.not-in-diff' };
  const placements = inBody.map((id) => placedAt(finding({ id }), 'body', { reason }));
  return review({ outcome: 'findings', pullRequest: { ...pullRequest, ...changes }, findings: placements });
}

/**
 * A post with a comment of each of these words, on line 5; the findings are called `f1`, `f2` and so on. Words that end in `?`
 * stand on a line that GitHub refuses, and those that end in `!` in a file that it refuses, too.
 */
export function somePost(words: readonly string[], more: Partial<ReviewPost> = {}): ReviewPost {
  const comments = words.map((body, index) => {
    const place = { path: body.endsWith('!') ? 'gone.txt' : 'src/lines.txt', line: body.endsWith('?') ? 30 : 5 };
    return someComment({ ...place, findingIds: [`f${index + 1}`], body });
  });
  const post = { commit: head, event: 'COMMENT', body: 'What was found.', bodyFindings: [], fileComments: [] } as const;
  return { ...post, comments, ...more };
}

export function someComment(more: Partial<ReviewComment> = {}): ReviewComment {
  const words = { body: 'Text', onFile: `On the file: ${more.body ?? 'Text'}` };
  return { findingIds: ['f1'], path: 'src/lines.txt', side: 'RIGHT', startLine: null, line: 5, ...words, ...more };
}

type PostOptions = Partial<Pick<Parameters<typeof pullRequestReview>[1], 'currentHead' | 'whyNotApprove'>>;

/** Posts this to a strict GitHub, and what it asks there. */
export async function postOver(
  post: ReviewPost | null,
  options: PostOptions & Parameters<typeof strictGitHub>[0] = {},
) {
  const { currentHead = async () => head, whyNotApprove = async () => null, ...world } = options;
  const strict = await strictGitHub(world);
  const destination = pullRequestReview(strict, {
    identity: { name: 'Review', run: '1-1', settings: '0123456789abcdef' },
    commit: head,
    signs: false,
    t: inEnglish,
    render: () => post,
    currentHead,
    whyNotApprove,
    look: async () => ({ threads: [], conversation: [], reviews: [] }),
    blocking: () => false,
  });
  const log = () =>
    strict.fake.requests.map(({ method, path }) => `${method} ${path.replace(/^.*\/octo\/spoon|\?.*$/g, '')}`);
  const deliver = (composed: Review) => destination.deliver(recordOf(composed));
  return { ...strict, deliver, log };
}
