import type {
  Comment,
  HeadCheck,
  Linked,
  PostedReview,
  PullRequest,
  ReviewThread,
} from '../pull-request/pull-request.ts';
import { isMarkedEnded } from './ended-comment.ts';
import { type FindingMark, type Mark, readMarks, readWrittenMarks, type StateMark, withoutNotice } from './mark.ts';
import type { Held, KnownPart, RunIdentity } from './memory.ts';
import { agrees, type MarkKeys, marksIn, type ReadMark } from './signed-marks.ts';
import { type KnownFinding, type State, unpackState } from './state.ts';

type Discussion = Pick<PullRequest, 'conversation' | 'reviews' | 'threads'>;

/**
 * What is known of the rounds before. `lost`: there were some, and what they knew cannot be believed, or is older than what they posted. `newest` is
 * the number of the newest state that a mark of ours names, 0 for none.
 */
export type EarlierState = { readonly newest: number } & (
  | { readonly kind: 'none' | 'lost' }
  | { readonly kind: 'known'; readonly state: State }
);

/** The state in the one summary comment of this name, if no mark of ours is newer. */
export function earlierState(discussion: Discussion, name: string): EarlierState {
  const marks = signedMarks(discussion, name);
  const newest = Math.max(0, ...marks.map(numberOf));
  const summary = marks.find((mark) => mark.kind === 'state');
  if (summary?.kind !== 'state') {
    const isForeign = summaryComments(discussion.conversation, name).some(({ body }) => holdsData(body, name));
    return { kind: newest > 0 || isForeign ? 'lost' : 'none', newest };
  }
  const state = summary.data === null ? null : unpackState(summary.data, summary);
  return state === null || state.number < newest ? { kind: 'lost', newest } : { kind: 'known', state, newest };
}

function holdsData(body: string, name: string): boolean {
  return typeof stateMarkIn(body, name)?.data === 'string';
}

/** The marks of this name that a run with our key wrote where they stand. Of several summary comments the oldest counts. */
function signedMarks({ conversation, reviews, threads }: Discussion, name: string): readonly Mark[] {
  const all = [...conversation, ...reviews, ...threads.flatMap(({ comments }) => comments.slice(0, 1))];
  return all.flatMap(marksIn).flatMap(({ mark, isSigned }) => (isSigned && mark.name === name ? [mark] : []));
}

function numberOf(mark: Mark): number {
  if (mark.kind === 'answer') return 0;
  return mark.kind === 'state' ? mark.number : mark.state;
}

/** The mark of the summary comment in a text, which must be known to be our own. */
export function stateMarkIn(body: string, name: string): StateMark | null {
  const mark = readMarks(body).find((one) => one.kind === 'state' && one.name === name);
  return mark?.kind === 'state' ? mark : null;
}

/** The state in a comment as it is now; null where no key of ours signed it for this one. */
export function signedStateIn(
  body: string,
  { comment, name, keys }: { comment: number; name: string; keys: Pick<MarkKeys, 'accepts'> },
): State | null {
  const written = readWrittenMarks(body).find(({ mark }) => mark.kind === 'state' && mark.name === name);
  if (written?.mark.kind !== 'state' || written.mark.data === null) return null;
  return keys.accepts(written, { in: 'summary', comment }) ? unpackState(written.mark.data, written.mark) : null;
}

/** The summary comments of this name, those with a valid signature first. Without one, only what has the form of ours is taken for ours. */
export function summaryComments(conversation: readonly Comment[], name: string): readonly Comment[] {
  const ours = conversation.filter(({ isSelf, body }) => isSelf && stateMarkIn(body, name) !== null);
  const isSigned = (comment: Comment) =>
    marksIn(comment).some((one) => one.isSigned && one.mark.kind === 'state' && one.mark.name === name);
  const unsigned = ours.filter((comment) => !isSigned(comment) && hasOurForm(comment));
  return [...ours.filter(isSigned), ...unsigned];
}

/** It begins with our name and ends with the mark: what repeats a text of somebody else has words of its own around it. */
function hasOurForm({ body }: Comment): boolean {
  return withoutNotice(body).startsWith('### Postil · ') && /-->\s*$/.test(body);
}

/**
 * The findings of earlier rounds, place by place: what the state knows, and what only comments of their own tell of. A mark counts only in a comment
 * that the viewer wrote, and when GitHub's own word of the comment agrees with it.
 */
export function knownParts(
  discussion: Discussion,
  { name, state }: { name: string; state: State | null },
): readonly KnownPart[] {
  const posted = postedMarks(discussion, name);
  const holders = holdersById(posted.filter(({ signed }) => signed));
  const findings = state?.findings ?? [];
  const ids = new Set([...findings.map(({ id }) => id), ...(state?.twins ?? [])]);
  // A state that was kept knew what we closed, and had no more room for it.
  const closed = ({ held }: PostedMark) => state !== null && isClosed(held);
  const adopted = [...holders].flatMap(([id, one]) => (ids.has(id) ? [] : [asPart(one, { isOver: closed(one) })]));
  const unsigned = posted
    .filter(({ signed }) => !signed)
    .map((one, index) => asPart(one, { id: `unsigned-${index + 1}` }));
  return [
    ...findings.flatMap((finding) => partsOf(finding, { holder: holders.get(finding.id), name })),
    ...adopted,
    ...unsigned,
  ];
}

/** Threads that nobody closed, of findings that another thread holds. */
export function doubledThreads(
  discussion: Discussion,
  { name, state }: { name: string; state: State | null },
): readonly KnownPart[] {
  const open = postedMarks(discussion, name).filter(
    ({ signed, held }) => signed && held.in === 'thread' && !isClosed(held),
  );
  const holders = holdersById(open);
  const known = new Set(state?.findings.map(({ id }) => id));
  const twins = new Set(state?.twins?.filter((id) => !known.has(id)));
  return open.filter((one) => twins.has(one.mark.id) || holders.get(one.mark.id) !== one).map((one) => asPart(one));
}

/** A finding as a comment holds it. */
export type PostedMark = Pick<KnownPart, 'mark' | 'held' | 'url' | 'signed'>;

/** All of them, with what two runs at once said twice. */
export function postedMarks(
  { threads, reviews }: Omit<Discussion, 'conversation'>,
  name: string,
): readonly PostedMark[] {
  return [
    ...threads.flatMap((thread) => inThread(thread, name)),
    ...reviews.flatMap((review) => inReview(review, name)),
  ];
}

/** A thread in which people answered before other open ones, these before one that we closed, and all before the body of a review. */
function holdersById(posted: readonly PostedMark[]): ReadonlyMap<string, PostedMark> {
  const rank = ({ held }: PostedMark) => {
    if (held.in !== 'thread') return 3;
    return isClosed(held) ? 2 : isAnswered(held.thread) ? 0 : 1;
  };
  const byId = new Map<string, PostedMark>();
  for (const one of posted.toSorted((first, second) => rank(first) - rank(second))) {
    if (!byId.has(one.mark.id)) byId.set(one.mark.id, one);
  }
  return byId;
}

/** What its own comment alone tells of: the thread and its comment say whether it ended. */
function asPart(
  one: PostedMark,
  { id = one.mark.id, isOver = false }: { id?: string; isOver?: boolean } = {},
): KnownPart {
  return { ...one, id, part: 0, life: isOver || wasEnded(one.held) ? 'fixed' : 'open', known: null };
}

/** Somebody wrote or voted in it, or resolved it. */
function isAnswered(thread: ReviewThread): boolean {
  return thread.isResolved || thread.comments.some(({ isSelf, thumbsDown }) => !isSelf || thumbsDown.length > 0);
}

function partsOf(
  finding: KnownFinding,
  { holder, name }: { holder: PostedMark | undefined; name: string },
): readonly KnownPart[] {
  const { id, title, severity, category, ruleId, source, unplaced = false } = finding;
  // A comment of ours that somebody rewrote holds it no more: its words are not what we signed.
  const deleted = finding.quiet === true ? {} : ({ deleted: true } as const);
  const held: Held = holder?.held ?? { in: 'sticky', ...deleted };
  return finding.places.map((place, part): KnownPart => {
    const { path, oldPath = path, lines, commit, mergeBase, life } = place;
    const where = { commit, mergeBase, path, oldPath, lines };
    const details = { title, severity, category, ruleId, source, unplaced };
    const mark = { kind: 'finding', name, run: holder?.mark.run ?? '', state: 1, id, ...where, ...details } as const;
    const known = { finding, place };
    return { id: idOfPart(id, part), part, mark, held, url: holder?.url ?? null, signed: true, life, known };
  });
}

/** Such as `p-3f09ab12.2`. */
export function idOfPart(id: string, part: number): string {
  return part === 0 ? id : `${id}.${part + 1}`;
}

/** True for a comment that a run of ours closed: it resolved the thread, minimised the comment, or wrote so into it. */
export function isClosed(held: Held): boolean {
  if (held.in !== 'thread') return false;
  return wasEnded(held) || held.comment.isMinimized;
}

function wasEnded(held: Held): boolean {
  return held.in === 'thread' && (isResolvedByUs(held.thread) || isMarkedEnded(held.comment.body));
}

function isResolvedByUs({ isResolved, resolvedBy, comments }: ReviewThread): boolean {
  // GitHub knows only people to have resolved a thread: of a bot it leaves out the suffix.
  const bare = (login: string | undefined) => login?.replace(/\[bot\]$/, '');
  return isResolved && resolvedBy !== null && bare(resolvedBy) === bare(comments[0]?.author);
}

function inThread(thread: ReviewThread, name: string): readonly PostedMark[] {
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

function inReview(review: PostedReview, name: string): readonly PostedMark[] {
  if (review.state === 'PENDING') return [];
  return findingMarks(review, name)
    .filter(({ mark }) => review.commit === null || review.commit === mark.commit)
    .map(({ mark, isSigned }) => ({ mark, held: { in: 'review', review }, url: review.url, signed: isSigned }));
}

type FoundMark = ReadMark & { readonly mark: FindingMark };

function findingMarks(comment: Comment | PostedReview, name: string | null): readonly FoundMark[] {
  return marksIn(comment).flatMap(({ mark, isSigned }): readonly FoundMark[] =>
    mark.kind === 'finding' && (name === null || mark.name === name) ? [{ mark, isSigned }] : [],
  );
}

/**
 * How many runs of this name reviewed the pull request before this one. The state counts; where it is lost, the runs that left a review or a comment
 * do. Signed marks alone count: a stranger's number neither ends the reviews nor starts them anew.
 */
export function countReviews(discussion: Discussion, { name, run }: RunIdentity, state: State | null): number {
  const counted = (state?.reviews ?? 0) - (state?.run === run ? 1 : 0);
  const marks = signedMarks(discussion, name).filter((mark) => mark.kind !== 'answer');
  const runs = new Set(marks.map((mark) => mark.run).filter((other) => other !== run));
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
