import type { Comment, ReviewThread } from '../pull-request/pull-request.ts';
import { threadMark } from './prior-marks.ts';
import { refusalsOf } from './refusals.ts';
import { stanceOf } from './says-no.ts';

/** A finding that somebody who may write turned down, and how. Its texts are untrusted. */
export type Lesson = {
  readonly path: string;
  readonly title: string;
  readonly ruleId: string | null;
  readonly by: string;
  /** Null for a 👎 without words. */
  readonly words: string | null;
  /** ISO 8601: of the answer, or of the comment that was voted down. */
  readonly date: string;
  readonly url: string;
};

export type LessonContext = {
  /** Whether we wrote the comment that opens a thread, of whatever name. */
  readonly isOurs: (comment: Comment) => boolean;
  readonly canWrite: (login: string) => Promise<boolean>;
};

/**
 * What a thread of ours teaches beyond its pull request; null when nothing. A no in words or by 👎 counts. That a thread was resolved does
 * not: what was fixed is resolved too.
 */
export async function lessonOf(thread: ReviewThread, { isOurs, canWrite }: LessonContext): Promise<Lesson | null> {
  const [first] = thread.comments;
  if (first === undefined || !isOurs(first)) return null;
  // Whoever runs this may be the one who answered: only the hand that opened the thread is ours.
  const comments = thread.comments.map((comment) => ({ ...comment, isSelf: comment.author === first.author }));
  const opened = { ...thread, comments, isResolved: false, resolvedBy: null };
  const mark = threadMark(opened, null);
  if (mark === null || (await isAgreed(comments, canWrite))) return null;
  const refusals = (await refusalsOf(opened, canWrite)).filter((one) => one.canWrite);
  const refusal = refusals.findLast(({ how }) => how === 'reply') ?? refusals[0];
  if (refusal === undefined) return null;
  const { by, how } = refusal;
  const answer =
    how === 'reply' ? comments.findLast((one) => one.author === by && stanceOf(one.body) === 'refuses') : undefined;
  const { date, url } = answer ?? first;
  const { title, ruleId } = mark;
  return { path: thread.path, title, ruleId, by, words: answer?.body ?? null, date, url: url ?? '' };
}

/** True when the last who took a side, and may write, agreed with the finding. */
async function isAgreed(comments: readonly Comment[], canWrite: LessonContext['canWrite']): Promise<boolean> {
  const sides = comments.filter(({ isSelf, body }) => !isSelf && stanceOf(body) !== 'neither');
  const last = sides.at(-1);
  return last !== undefined && stanceOf(last.body) === 'agrees' && (await canWrite(last.author));
}
