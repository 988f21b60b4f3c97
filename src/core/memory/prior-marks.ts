import type {
  Comment,
  HeadCheck,
  Linked,
  PostedReview,
  PullRequest,
  ReviewThread,
} from '../pull-request/pull-request.ts';
import { type FindingMark, type Mark, readMarks, type StickyMark } from './mark.ts';
import type { Held, RunIdentity } from './memory.ts';
import { agrees, marksIn, type ReadMark } from './signed-marks.ts';

export type HeldMark = {
  readonly mark: FindingMark;
  readonly held: Held;
  readonly url: string | null;
  /** A mark without a valid signature says no more than that something was posted here. */
  readonly signed: boolean;
};

/**
 * The findings that our own comments of this name hold. A mark counts only in a comment that the viewer wrote, and when GitHub's own word of
 * the comment agrees with it. Those that are signed stand before the others.
 */
export function priorMarks(pullRequest: PullRequest, name: string): readonly HeldMark[] {
  const known = new Set<string>();
  const held = heldMarks(pullRequest, name);
  const deleted = deletedMarks(stickyOf(pullRequest.conversation, name), { held, reviews: pullRequest.reviews });
  const all = [...held, ...deleted];
  // The same finding in a second place (its thread and a review's body) is one finding.
  return [...all.filter(({ signed }) => signed), ...all.filter(({ signed }) => !signed)].filter(({ mark }) => {
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
      (mark): HeldMark => ({ mark, held: { in: 'sticky' }, url: null, signed: true }),
    ),
  ];
}

/**
 * Findings whose comment is gone: the summary comment remembers them, so that deleting a comment is no way to decline. They stand until somebody
 * who may write declines them, or their lines are gone. What cannot be distinguished from a comment that is there counts as there.
 */
function deletedMarks(
  sticky: StickyMark | null,
  there: { held: readonly HeldMark[]; reviews: readonly PostedReview[] },
): readonly HeldMark[] {
  const reviews = there.reviews.filter(({ isSelf }) => isSelf);
  // A comment of ours that somebody rewrote holds it no more: its words are not what we signed.
  const signed = there.held.filter((one) => one.signed);
  const known = new Set([...signed.map(numberOf), ...reviews.map(({ restId }) => restId)]);
  const gone = (sticky?.open ?? []).filter(({ comment }) => comment === null || !known.has(comment));
  const held = { in: 'sticky', deleted: true } as const;
  return gone.map(({ comment: _, ...mark }) => ({ mark, held, url: null, signed: true }));
}

function numberOf({ held }: HeldMark): number | null {
  return held.in === 'thread' ? held.comment.restId : null;
}

/** The signed mark of the one summary comment of this name: of several the oldest counts, as it does for the next update. */
export function stickyOf(conversation: readonly Comment[], name: string): StickyMark | null {
  const marks = conversation.flatMap(marksIn).flatMap(({ mark, isSigned }) => (isSigned ? [mark] : []));
  return stickyAmong(marks, name);
}

/** The same of one text, which must be known to be our own. */
export function stickyMarkIn(body: string, name: string): StickyMark | null {
  return stickyAmong(readMarks(body), name);
}

function stickyAmong(marks: readonly Mark[], name: string): StickyMark | null {
  const mark = marks.find((one) => one.kind === 'sticky' && one.name === name);
  if (mark?.kind !== 'sticky') return null;
  const ofName = <M extends FindingMark>(marks: readonly M[]) => marks.filter((other) => other.name === name);
  return { ...mark, others: ofName(mark.others), ...(mark.open === undefined ? {} : { open: ofName(mark.open) }) };
}

/** The summary comments of this name, those with a valid signature first. Without one, only what has the form of ours is taken for ours. */
export function stickyComments(conversation: readonly Comment[], name: string): readonly Comment[] {
  const ours = conversation.filter(({ isSelf, body }) => isSelf && stickyMarkIn(body, name) !== null);
  const isSigned = (comment: Comment) => stickyOf([comment], name) !== null;
  const unsigned = ours.filter((comment) => !isSigned(comment) && hasOurForm(comment, name));
  return [...ours.filter(isSigned), ...unsigned];
}

/**
 * It begins with our name, in older versions with the reviewer's, and ends with the mark: what repeats a text of somebody else has words of
 * its own around it.
 */
function hasOurForm({ body }: Comment, name: string): boolean {
  const [title = ''] = /^### .* · /.exec(body) ?? [];
  const isNamed = title.startsWith('### Postil · ') || plain(title).startsWith(plain(name));
  return title !== '' && isNamed && /-->\s*$/.test(body);
}

/** As no escaping of Markdown changes it. */
function plain(text: string): string {
  return text.replace(/[^\p{L}\p{N}]+/gu, '');
}

function inThread(thread: ReviewThread, name: string): readonly HeldMark[] {
  const [comment] = thread.comments;
  const found = markOfThread(thread, name);
  if (comment === undefined || found === null) return [];
  return [{ mark: found.mark, held: { in: 'thread', thread, comment }, url: comment.url, signed: found.isSigned }];
}

/** The finding that the comment of ours holds which opens a thread, signed or not; of any name when that is null. */
export function threadMark(thread: ReviewThread, name: string | null): FindingMark | null {
  return markOfThread(thread, name)?.mark ?? null;
}

function markOfThread(thread: ReviewThread, name: string | null): FoundMark | null {
  const [comment] = thread.comments;
  if (comment === undefined) return null;
  const found = findingMarks(comment, name).filter(({ mark }) => agrees(mark, thread));
  return found.find(({ isSigned }) => isSigned) ?? found[0] ?? null;
}

function inReview(review: PostedReview, name: string): readonly HeldMark[] {
  if (review.state === 'PENDING') return [];
  return findingMarks(review, name)
    .filter(({ mark }) => review.commit === null || review.commit === mark.commit)
    .map(({ mark, isSigned }) => ({ mark, held: { in: 'review', review }, url: review.url, signed: isSigned }));
}

type FoundMark = ReadMark & { readonly mark: FindingMark };

function findingMarks(said: Comment | PostedReview, name: string | null): readonly FoundMark[] {
  return marksIn(said).flatMap(({ mark, isSigned }): readonly FoundMark[] =>
    mark.kind === 'finding' && (name === null || mark.name === name) ? [{ mark, isSigned }] : [],
  );
}

/**
 * How many runs of this name reviewed the pull request before this one. The summary comment counts; where it is turned off or was deleted,
 * the runs that left a review or a comment do. Signed marks alone count: a stranger's number neither ends the reviews nor starts them anew.
 */
export function countReviews(
  { conversation, reviews, threads }: Pick<PullRequest, 'conversation' | 'reviews' | 'threads'>,
  { name, run }: RunIdentity,
): number {
  const sticky = stickyOf(conversation, name);
  const counted = (sticky?.reviews ?? 0) - (sticky?.run === run ? 1 : 0);
  const said = [...conversation, ...reviews, ...threads.flatMap(({ comments }) => comments.slice(0, 1))];
  const marks = said.flatMap(marksIn).filter(({ isSigned, mark }) => isSigned && mark.name === name);
  const runs = new Set(marks.map(({ mark }) => mark.run).filter((other) => other !== run));
  return Math.max(counted, runs.size);
}

/** Without the checks of our own making: the check run of this name, and the jobs of the workflow that this run belongs to. */
export function withoutOwnChecks(linked: Linked, identity: RunIdentity | null): Linked {
  const { checks } = linked;
  if (checks === null || identity === null) return linked;
  const { name } = identity;
  const [run = ''] = identity.run.split('-');
  const workflow = checks.find((check) => check.run === run)?.workflow ?? name;
  const isOurs = (check: HeadCheck) => check.name === name || check.workflow === workflow;
  return { ...linked, checks: checks.filter((check) => !isOurs(check)) };
}
