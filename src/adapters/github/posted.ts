import { setTimeout } from 'node:timers/promises';
import type { Message } from '../../core/messages/message.ts';
import type { Translator } from '../../core/messages/translator.ts';
import type { PostEvent, ReviewComment } from '../../core/review/review.ts';
import { type GitHub, inPull, NothingLeftToSay, refusalOf } from './client.ts';
import type { PullRequestReference } from './pull.ts';

export type PostedReview = { readonly id: number; readonly url: string };

/** Sends reviews of one run, each of them once. The function throws what Octokit throws. */
export function reviewSender(
  github: GitHub,
  reference: PullRequestReference,
): (request: ReviewRequest) => Promise<PostedReview> {
  const sent: Set<number> = new Set();
  return async (request) => {
    const review = await writeOnce(github, {
      write: () => createReview(github, { reference, request }),
      look: () => findReview(github, { reference, request, sent }),
    });
    sent.add(review.id);
    return review;
  };
}

type Sending = { readonly reference: PullRequestReference; readonly request: ReviewRequest };
type ListedReview = Awaited<ReturnType<GitHub['rest']['pulls']['listReviews']>>['data'][number];

async function createReview(github: GitHub, { reference, request }: Sending): Promise<PostedReview> {
  const create = () => github.rest.pulls.createReview({ ...inPull(reference), ...reviewParameters(request) });
  try {
    return posted((await create()).data);
  } catch (error) {
    if (refusalOf(error)?.kind !== 'pending' || !(await removePending(github, { reference, request }))) throw error;
    return posted((await create()).data);
  }
}

/**
 * GitHub shows a pending review to its author alone, so it belongs to the identity that this run posts as. It is removed when
 * that is a bot, or when it is what this run wants to say; the draft of a person who lent their token stays.
 */
async function removePending(github: GitHub, { reference, request }: Sending): Promise<boolean> {
  const reviews = await listReviews(github, reference);
  const pending = reviews.find((review) => review.state === 'PENDING');
  if (pending === undefined) return false;
  const expendable = pending.user?.type === 'Bot' || (request.body !== '' && sameText(pending.body, request.body));
  if (!expendable) return false;
  await github.rest.pulls.deletePendingReview({ ...inPull(reference), review_id: Number(pending.id) });
  return true;
}

/** What a lost answer was about: the same commit, the same text, and at least one of the comments. @throws when two lists do not agree. */
async function findReview(
  github: GitHub,
  { reference, request, sent }: Sending & { readonly sent: ReadonlySet<number> },
): Promise<PostedReview | null> {
  const [reviews, comments] = await Promise.all([
    listReviews(github, reference),
    newestComments(github, { reference, atLeast: request.comments.length }),
  ]);
  const found = reviews.findLast((review) => {
    const sameReview = review.commit_id === request.commit && sameText(review.body, capped(request.body));
    if (!sameReview || review.state === 'PENDING' || sent.has(Number(review.id))) return false;
    const own = comments.filter((comment) => comment.pull_request_review_id === review.id);
    return request.comments.length === 0 || pairUp(request.comments, own).size > 0;
  });
  if (found !== undefined) return posted(found);
  const others = comments.filter(({ pull_request_review_id: id }) => !sent.has(Number(id)));
  const traces = pairUp(
    request.comments,
    others.filter((comment) => comment.original_commit_id === request.commit),
  );
  if (traces.size > 0) throw new Error('GitHub lists comments of the review and not the review itself.');
  return null;
}

function listReviews(github: GitHub, reference: PullRequestReference): Promise<readonly ListedReview[]> {
  return github.paginate(github.rest.pulls.listReviews, { ...inPull(reference), per_page: 100 });
}

function posted(review: { id: number | bigint; html_url: string }): PostedReview {
  return { id: Number(review.id), url: review.html_url };
}

/**
 * Sends a review, and as a comment when GitHub does not let this identity approve or ask for changes. The refused event is not
 * tried again.
 */
export function degradingEvent(
  send: (request: ReviewRequest) => Promise<PostedReview>,
  // `isSaid`: a bare approval that became a comment has nothing new to say.
  { onDegrade, isSaid, t }: { onDegrade: (reason: Message) => void; isSaid: boolean; t: Translator },
): (request: ReviewRequest) => Promise<PostedReview> {
  let refused: string | null = null;
  const asComment = (request: ReviewRequest, reason: string) => {
    if (isSaid && request.comments.length === 0 && request.event === 'APPROVE') throw new NothingLeftToSay(reason);
    const note =
      request.event === 'APPROVE'
        ? t({ code: 'review.approval-is-comment', reason })
        : t({ code: 'review.changes-is-comment', reason });
    return send({ ...request, event: 'COMMENT', body: `> ${note}\n\n${request.body}` });
  };
  return async (request) => {
    if (request.event === 'COMMENT') return await send(request);
    if (refused !== null) return await asComment(request, refused);
    try {
      return await send(request);
    } catch (error) {
      const refusal = refusalOf(error);
      if (refusal?.kind !== 'event') throw error;
      refused = refusal.reason;
      const why = refusal.reason;
      onDegrade(
        request.event === 'APPROVE'
          ? { code: 'delivery.approval-refused', why }
          : { code: 'delivery.changes-refused', why },
      );
      return await asComment(request, refusal.reason);
    }
  };
}

/** A review comment as GitHub lists it. */
export type PostedComment = Awaited<ReturnType<GitHub['rest']['pulls']['listReviewComments']>>['data'][number];

/** The newest review comments of a pull request, whoever wrote them, newest first: a page more than `atLeast` fills. */
export async function newestComments(
  github: GitHub,
  { reference, atLeast }: { reference: PullRequestReference; atLeast: number },
): Promise<readonly PostedComment[]> {
  const enough = atLeast + 100;
  let seen = 0;
  return await github.paginate(
    github.rest.pulls.listReviewComments,
    { ...inPull(reference), sort: 'created', direction: 'desc', per_page: 100 },
    (page, done) => {
      seen += page.data.length;
      if (seen >= enough) done();
      return page.data;
    },
  );
}

/** Pairs each comment that was sent with one that GitHub lists: same path, same text. None is used twice. */
export function pairUp<Sent extends { readonly path: string; readonly body: string }>(
  sent: readonly Sent[],
  listed: readonly PostedComment[],
): ReadonlyMap<Sent, PostedComment> {
  const pairs: Map<Sent, PostedComment> = new Map();
  const free = new Set(listed);
  for (const comment of sent) {
    const twin = [...free].find((one) => one.path === comment.path && sameText(one.body, capped(comment.body)));
    if (twin === undefined) continue;
    free.delete(twin);
    pairs.set(comment, twin);
  }
  return pairs;
}

/** GitHub may store other line ends and drop blanks at the end, and sends null for no text. */
export function sameText(one: string | null, other: string): boolean {
  const [first, second] = [one ?? '', other].map((text) => text.replaceAll('\r\n', '\n').trim());
  return first === second;
}

/** One request to the reviews API: a body, comments, or both. */
export type ReviewRequest = {
  readonly commit: string;
  readonly event: PostEvent;
  readonly body: string;
  readonly comments: readonly ReviewComment[];
};

/** Characters that GitHub takes. */
export const longestBody = 65_536;
const cutNote = '\n\n… (cut: too long for GitHub)';

/** What the API takes. With the event the review is created and published at once, and never left pending. */
function reviewParameters(request: ReviewRequest) {
  return {
    commit_id: request.commit,
    event: request.event,
    ...(request.body === '' ? {} : { body: capped(request.body) }),
    ...(request.comments.length === 0 ? {} : { comments: request.comments.map(commentParameters) }),
  } as const;
}

/** The last guard before the wire: renderers cut where it reads well. Marks stand at the end and are never cut. */
export function capped(body: string): string {
  if (body.length <= longestBody) return body;
  const text = body.slice(0, startOfMarks(body));
  const marks = body.slice(text.length);
  // Half a surrogate pair would not be valid text.
  const start = text.slice(0, Math.max(0, longestBody - cutNote.length - marks.length)).replace(/[\uD800-\uDBFF]$/, '');
  return `${start}${cutNote}${marks}`;
}

function startOfMarks(body: string): number {
  let start = body.length;
  for (;;) {
    const before = body.slice(0, start).trimEnd();
    const mark = before.lastIndexOf('<!-- postil:v');
    if (mark === -1 || !/^<!-- postil:v\d+ [^\r\n<>]* -->$/.test(before.slice(mark))) return start;
    start = before.slice(0, mark).trimEnd().length;
  }
}

// A start that equals the line is refused, so a single line has none.
function commentParameters(comment: ReviewComment) {
  const { path, side, line, startLine } = comment;
  const several = startLine !== null && startLine < line;
  const start = several ? { start_line: startLine, start_side: side } : {};
  return { path, side, line, body: capped(comment.body), ...start };
}

type Attempt<Written> = {
  readonly write: () => Promise<Written>;
  /** Left out where to write the same again does no harm. */
  readonly look?: () => Promise<Written | null>;
};

/**
 * Writes, and never twice. After an unclear answer it looks for what was written, and writes again, once,
 * only when two looks, some time apart, succeeded and found nothing: a list may lag behind. `look` answers null when nothing is there, and
 * throws when it cannot tell. What is not written then is left to the next run.
 */
export async function writeOnce<Written>(
  { settleMilliseconds }: GitHub,
  { write, look = async () => null }: Attempt<Written>,
): Promise<Written> {
  const lookAfter = async (error: unknown): Promise<Written | null> => {
    if (refusalOf(error)?.kind !== 'uncertain') throw error;
    try {
      await setTimeout(settleMilliseconds);
      const seen = await look();
      if (seen !== null) return seen;
      await setTimeout(2 * settleMilliseconds);
      return await look();
    } catch {
      // Unsure whether it was written: the first error tells more than that the look failed, too.
      throw error;
    }
  };
  try {
    return await write();
  } catch (error) {
    const written = await lookAfter(error);
    if (written !== null) return written;
  }
  try {
    return await write();
  } catch (error) {
    const written = await lookAfter(error);
    if (written !== null) return written;
    throw error;
  }
}
