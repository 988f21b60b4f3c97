import type {
  Comment,
  HeadCheck,
  Linked,
  PostedReview,
  PullRequest,
  ReviewThread,
} from '../pull-request/pull-request.ts';
import { isMarkedEnded } from './ended-comment.ts';
import type { Life } from './life.ts';
import {
  digestOf,
  type FindingMark,
  type HeldFindingMark,
  type Mark,
  readMarks,
  type StickyMark,
  withoutNotice,
} from './mark.ts';
import type { Held, RunIdentity } from './memory.ts';
import { agrees, marksIn, type ReadMark } from './signed-marks.ts';

export type HeldMark = {
  readonly mark: FindingMark;
  readonly held: Held;
  readonly url: string | null;
  /** A mark without a valid signature says no more than that something was posted here. */
  readonly signed: boolean;
  /** What the last run made of it. */
  readonly life: Life;
  /** Of one that ended: see `HeldFindingMark`. */
  readonly isIntact: boolean;
};

/**
 * The findings that our own comments of this name hold. A mark counts only in a comment that the viewer wrote, and when GitHub's own word of
 * the comment agrees with it. Those that are signed stand before the others.
 */
export function priorMarks(pullRequest: PullRequest, name: string): readonly HeldMark[] {
  const sticky = stickyOf(pullRequest.conversation, name);
  const held = heldMarks(pullRequest, name);
  const deleted = deletedMarks(sticky, { held, reviews: pullRequest.reviews });
  const ended = (sticky?.ended ?? []).map((mark) => inSticky(mark));
  const all = [...held, ...deleted, ...ended].map((one) => asLastSeen(one, sticky));
  // The same finding in a second place (its thread and a review's body, or a thread that could not be opened again) is one finding.
  const rank = ({ signed, held: place }: HeldMark) =>
    (signed ? 0 : 4) + (place.in === 'sticky' ? 2 : isClosed(place) ? 1 : 0);
  const byId = new Map<string, HeldMark>();
  for (const one of all.toSorted((one, other) => rank(one) - rank(other))) {
    const id = idOf(one.mark, one);
    if (!byId.has(id)) byId.set(id, one);
  }
  return [...byId.values()];
}

/** What makes a mark the same finding of the same review, wherever it stands. */
function priorKey({ commit, path, lines, title, ruleId }: FindingMark): string {
  return JSON.stringify([commit, path, lines, title, ruleId]);
}

/** True for a comment that a run of ours closed: it resolved the thread, minimised the comment, or wrote so into it. */
export function isClosed(held: Held): boolean {
  if (held.in !== 'thread') return false;
  const { thread, comment } = held;
  return isResolvedByUs(thread) || comment.isMinimized || isMarkedEnded(comment.body);
}

function isResolvedByUs({ isResolved, resolvedBy, comments }: ReviewThread): boolean {
  // GitHub knows only people to have resolved a thread: of a bot it leaves out the suffix.
  const bare = (login: string | undefined) => login?.replace(/\[bot\]$/, '');
  return isResolved && resolvedBy !== null && bare(resolvedBy) === bare(comments[0]?.author);
}

/** The summary comment follows a finding from push to push; what people read, and answered, is the comment's own. */
function asLastSeen(one: HeldMark, sticky: StickyMark | null): HeldMark {
  if (!one.signed || one.held.in === 'sticky') return one;
  const id = idOf(one.mark, one);
  const kept = [...(sticky?.open ?? []), ...(sticky?.ended ?? [])];
  const record = kept.find((mark) => idOf(mark, { signed: true }) === id);
  if (record === undefined) return { ...one, life: wasEnded(one.held) ? 'fixed' : 'open' };
  const {
    commit,
    mergeBase,
    path,
    lines,
    severity,
    source,
    unplaced = false,
    life = 'open',
    isIntact = false,
  } = record;
  const seen = { commit, mergeBase, path, lines, severity, unplaced, source };
  return { ...one, mark: { ...one.mark, ...seen, id }, life, isIntact };
}

/** What the summary comment has no room for, the thread and its comment say. */
function wasEnded(held: Held): boolean {
  return held.in === 'thread' && (isResolvedByUs(held.thread) || isMarkedEnded(held.comment.body));
}

/** Such as `p-3f09ab12`: by name, since two reviewers may find the same. A mark without a valid signature gives no id of its own. */
export function idOf(mark: FindingMark, { signed }: Pick<HeldMark, 'signed'>): string {
  const given = signed ? mark.id : undefined;
  return given ?? `p-${digestOf(JSON.stringify([mark.name, priorKey(mark)]), 8)}`;
}

/** The same, with what two runs at once said twice. */
export function heldMarks(pullRequest: PullRequest, name: string): readonly HeldMark[] {
  return [
    ...pullRequest.threads.flatMap((thread) => inThread(thread, name)),
    ...pullRequest.reviews.flatMap((review) => inReview(review, name)),
    ...(stickyOf(pullRequest.conversation, name)?.others ?? []).map((mark) => inSticky(mark)),
  ];
}

function inSticky({ life = 'open', ...mark }: FindingMark & Partial<HeldFindingMark>, deleted = false): HeldMark {
  const { comment: _, isIntact = false, ...kept } = mark;
  const held: Held = deleted ? { in: 'sticky', deleted } : { in: 'sticky' };
  return { mark: kept, held, url: null, signed: true, life, isIntact };
}

/**
 * Findings without the comment that they should have: the summary comment remembers them, so that deleting it is no way to decline. They stand until somebody
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
  return gone.map((mark) => inSticky(mark, true));
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
  const { open } = mark;
  return {
    ...{ ...mark, others: ofName(mark.others), ended: ofName(mark.ended) },
    ...(open === undefined ? {} : { open: ofName(open) }),
  };
}

/** The summary comments of this name, those with a valid signature first. Without one, only what has the form of ours is taken for ours. */
export function stickyComments(conversation: readonly Comment[], name: string): readonly Comment[] {
  const ours = conversation.filter(({ isSelf, body }) => isSelf && stickyMarkIn(body, name) !== null);
  const isSigned = (comment: Comment) => stickyOf([comment], name) !== null;
  const unsigned = ours.filter((comment) => !isSigned(comment) && hasOurForm(comment));
  return [...ours.filter(isSigned), ...unsigned];
}

/** It begins with our name and ends with the mark: what repeats a text of somebody else has words of its own around it. */
function hasOurForm({ body }: Comment): boolean {
  return withoutNotice(body).startsWith('### Postil · ') && /-->\s*$/.test(body);
}

const unended = { life: 'open', isIntact: false } as const;

function inThread(thread: ReviewThread, name: string): readonly HeldMark[] {
  const [comment] = thread.comments;
  const found = markOfThread(thread, name);
  if (comment === undefined || found === null) return [];
  const held = { in: 'thread', thread, comment } as const;
  return [{ mark: found.mark, held, url: comment.url, signed: found.isSigned, ...unended }];
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
    .map(({ mark, isSigned }) => ({
      mark,
      held: { in: 'review', review },
      url: review.url,
      signed: isSigned,
      ...unended,
    }));
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
  const marks = said
    .flatMap(marksIn)
    .filter(({ isSigned, mark }) => isSigned && mark.name === name && mark.kind !== 'answer');
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
