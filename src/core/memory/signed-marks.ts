import type { Comment, PostedReview, PullRequest, ReviewThread } from '../pull-request/pull-request.ts';
import type { FindingMark, Mark } from './mark.ts';
import type { MarkKeys, MarkPlace } from './mark-keys.ts';
import { readWrittenMarks } from './mark-text.ts';

export type Said = Pick<PullRequest, 'conversation' | 'reviews' | 'threads'>;

/** The same, with the signatures that hold named in `signed`: once in a comment of our own, and where the mark was signed for. */
export function withSignatures<Discussion extends Said>(discussion: Discussion, keys: MarkKeys): Discussion {
  const conversation = discussion.conversation.map((comment) => {
    const { restId } = comment;
    return {
      ...comment,
      signed: restId === null ? [] : held(comment, { keys, place: { in: 'summary', comment: restId } }),
    };
  });
  const reviews = discussion.reviews.map((review) => ({
    ...review,
    signed: held(review, { keys, place: { in: 'review' } }),
  }));
  const threads = firstOnly(discussion.threads.map((one) => inThread(one, keys)));
  return { ...discussion, conversation, reviews, threads };
}

type Where = {
  readonly keys: MarkKeys;
  readonly place: MarkPlace;
  /** Whether GitHub's own word of the place agrees with the mark. */
  readonly fits?: (mark: Mark) => boolean;
};

function held(
  { body, isSelf }: Pick<Comment, 'body' | 'isSelf'>,
  { keys, place, fits = () => true }: Where,
): readonly string[] {
  if (!isSelf || !keys.signs) return [];
  const marks = readWrittenMarks(body).filter((written) => fits(written.mark) && keys.accepts(written, place));
  return marks.flatMap(({ signature }) => signature ?? []);
}

function inThread(thread: ReviewThread, keys: MarkKeys): ReviewThread {
  const [first, ...replies] = thread.comments;
  if (first === undefined) return thread;
  const fits = (mark: Mark) => mark.kind === 'finding' && mark.path === thread.path && agrees(mark, thread);
  const signed = held(first, { keys, place: { in: 'thread', words: first.body }, fits });
  return { ...thread, comments: [{ ...first, signed }, ...replies.map((reply) => ({ ...reply, signed: [] }))] };
}

/** Whether a thread is on the lines of a mark. A comment on a file may hold a finding on lines that GitHub refused. */
export function agrees({ lines }: FindingMark, thread: ReviewThread): boolean {
  if (thread.subject === 'file') return true;
  if (lines === null || lines.side !== thread.side) return false;
  const { originalLine, originalStartLine } = thread;
  if (originalLine === null) return false;
  return lines.endLine === originalLine && lines.startLine === (originalStartLine ?? originalLine);
}

/** Of several comments with the same words and the same mark the oldest is ours: the others were copied from it. */
function firstOnly(threads: readonly ReviewThread[]): readonly ReviewThread[] {
  const oldest = new Map<string, number>();
  for (const { comments } of threads) {
    for (const signature of comments[0]?.signed ?? []) {
      oldest.set(signature, Math.min(oldest.get(signature) ?? Number.POSITIVE_INFINITY, age(comments[0])));
    }
  }
  return threads.map((thread) => {
    const [first, ...replies] = thread.comments;
    if (first === undefined) return thread;
    const signed = (first.signed ?? []).filter((signature) => oldest.get(signature) === age(first));
    return { ...thread, comments: [{ ...first, signed }, ...replies] };
  });
}

function age(comment: Comment | undefined): number {
  return comment?.restId ?? Number.MAX_SAFE_INTEGER;
}

/** The marks in a comment or review of ours. `isSigned`: it was written by a run with our key, for this place. */
export function marksIn({
  isSelf,
  body,
  signed = [],
}: Pick<Comment | PostedReview, 'isSelf' | 'body' | 'signed'>): readonly ReadMark[] {
  if (!isSelf) return [];
  return readWrittenMarks(body).map(({ mark, signature }) => ({
    mark,
    isSigned: signature !== null && signed.includes(signature),
  }));
}

export type ReadMark = { readonly mark: Mark; readonly isSigned: boolean };

type Unsigned = {
  readonly pullRequest: Said;
  readonly reviewEvent: 'comment' | 'request-changes' | 'approve';
  readonly mode: 'review-and-post' | 'review' | 'post';
};

/** What a person should know of a run that has no key, where that makes a difference: an approval is asked for, or something was posted before. */
export function noteWithoutKeys(keys: MarkKeys, { pullRequest, reviewEvent, mode }: Unsigned): readonly string[] {
  if (keys.signs || mode === 'review') return [];
  const { conversation, reviews, threads } = pullRequest;
  const said = [...conversation, ...reviews, ...threads.flatMap(({ comments }) => comments.slice(0, 1))];
  return reviewEvent === 'approve' || said.some((one) => marksIn(one).length > 0) ? [withoutKeys] : [];
}

const withoutKeys =
  'This run has no key to sign its comments with, so this review is a full one, nothing is approved, and what people declined before does not count. Set `state-key` to a random text of 20 characters or more. Runs for forks and Dependabot get no secrets.';
