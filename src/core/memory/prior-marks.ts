import type { Comment, PostedReview, PullRequest, ReviewThread } from '../pull-request/pull-request.ts';
import type { FindingMark, Mark, StickyMark } from './mark.ts';
import { readMarks } from './mark-text.ts';
import type { Held } from './memory.ts';

export type HeldMark = { readonly mark: FindingMark; readonly held: Held; readonly url: string | null };

/**
 * The findings that our own comments of this name hold. A mark counts only in a comment that the viewer wrote, and when GitHub's own word of
 * the comment agrees with it (FAILURES P18).
 */
export function priorMarks(pullRequest: PullRequest, name: string): readonly HeldMark[] {
  const known = new Set<string>();
  const held = heldMarks(pullRequest, name);
  const deleted = deletedMarks(stickyOf(pullRequest.conversation, name), { held, reviews: pullRequest.reviews });
  // The same finding in a second place (its thread and a review's body) is one finding.
  return [...held, ...deleted].filter(({ mark }) => {
    const key = priorKey(mark);
    const isNew = !known.has(key);
    known.add(key);
    return isNew;
  });
}

/** What makes a mark the same finding of the same review, wherever it stands. */
export function priorKey({ commit, path, lines, title, ruleId }: FindingMark): string {
  return JSON.stringify([commit, path, lines, title, ruleId]);
}

/** The same, with what two runs at once said twice. */
export function heldMarks(pullRequest: PullRequest, name: string): readonly HeldMark[] {
  return [
    ...pullRequest.threads.flatMap((thread) => inThread(thread, name)),
    ...pullRequest.reviews.flatMap((review) => inReview(review, name)),
    ...(stickyOf(pullRequest.conversation, name)?.others ?? []).map(
      (mark): HeldMark => ({ mark, held: { in: 'sticky' }, url: null }),
    ),
  ];
}

/**
 * Findings whose comment is gone: the summary comment remembers them, so that deleting a comment is no way to decline. They stand until somebody
 * who may write declines them, or their lines are gone. What cannot be told apart from a comment that is there counts as there.
 */
function deletedMarks(
  sticky: StickyMark | null,
  there: { readonly held: readonly HeldMark[]; readonly reviews: readonly PostedReview[] },
): readonly HeldMark[] {
  const reviews = there.reviews.filter(({ isSelf }) => isSelf);
  const known = new Set([...there.held.map(numberOf), ...reviews.map(({ restId }) => restId)]);
  return (sticky?.open ?? [])
    .filter(({ comment }) => comment === null || !known.has(comment))
    .map(({ comment: _, ...mark }): HeldMark => ({ mark, held: { in: 'sticky', deleted: true }, url: null }));
}

function numberOf({ held }: HeldMark): number | null {
  return held.in === 'thread' ? held.comment.restId : null;
}

/** The mark of the one summary comment of this name: of several the oldest counts, as it does for the next update. */
export function stickyOf(conversation: readonly Comment[], name: string): StickyMark | null {
  for (const { isSelf, body } of conversation) {
    const mark = isSelf ? stickyMarkIn(body, name) : null;
    if (mark !== null) return mark;
  }
  return null;
}

/** The same of one text, which must be known to be our own. */
export function stickyMarkIn(body: string, name: string): StickyMark | null {
  const mark = readMarks(body).find((one) => one.kind === 'sticky' && one.name === name);
  if (mark?.kind !== 'sticky') return null;
  const ofName = <M extends FindingMark>(marks: readonly M[]) => marks.filter((other) => other.name === name);
  return { ...mark, others: ofName(mark.others), ...(mark.open === undefined ? {} : { open: ofName(mark.open) }) };
}

function inThread(thread: ReviewThread, name: string): readonly HeldMark[] {
  const [comment] = thread.comments;
  const mark = threadMark(thread, name);
  if (comment === undefined || mark === null) return [];
  return [{ mark, held: { in: 'thread', thread, comment }, url: comment.url }];
}

/** The finding that the comment of ours holds which opens a thread; of any name when that is null. */
export function threadMark(thread: ReviewThread, name: string | null): FindingMark | null {
  const [comment] = thread.comments;
  if (comment === undefined || !comment.isSelf) return null;
  return findingMarks(comment.body, name).find((mark) => agrees(mark, thread)) ?? null;
}

/** A comment on a file may hold a finding on lines that GitHub refused. */
function agrees({ lines }: FindingMark, thread: ReviewThread): boolean {
  if (thread.subject === 'file') return true;
  if (lines === null || lines.side !== thread.side) return false;
  const { originalLine, originalStartLine } = thread;
  if (originalLine === null) return false;
  return lines.endLine === originalLine && lines.startLine === (originalStartLine ?? originalLine);
}

function inReview(review: PostedReview, name: string): readonly HeldMark[] {
  if (!review.isSelf || review.state === 'PENDING') return [];
  return findingMarks(review.body, name)
    .filter(({ commit }) => review.commit === null || review.commit === commit)
    .map((mark) => ({ mark, held: { in: 'review', review }, url: review.url }));
}

function findingMarks(body: string, name: string | null): readonly FindingMark[] {
  const isNamed = (mark: Mark) => name === null || mark.name === name;
  return readMarks(body).filter((mark: Mark): mark is FindingMark => mark.kind === 'finding' && isNamed(mark));
}
