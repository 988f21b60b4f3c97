import type { ChangedFile } from '../pull-request/changed-file.ts';
import type { PullRequest } from '../pull-request/pull-request.ts';
import { type Evidence, evidenceOf, pauseOf } from './answers.ts';
import { type Commands, commandsFor, declinesOf, notesOnCommands } from './declines.ts';
import { countReviews, doubledThreads, earlierState, knownParts } from './known-findings.ts';
import { hasEnded, type Life } from './life.ts';
import type { FindingMark } from './mark.ts';
import type { KnownPart, Memory, Past, PriorFinding, RunIdentity } from './memory.ts';
import { type CodeChange, codeChange, fileThen, mapLines, type Present } from './positions.ts';
import type { Surroundings } from './surroundings.ts';
import { withoutTwins } from './twins.ts';

/** What earlier runs of this name said, where it is at the present head, and who declined it. */
export async function recall(input: {
  pullRequest: PullRequest;
  identity: RunIdentity;
  /** Whether this run has a key to sign with: without one it knows of no state. */
  signs: boolean;
  /** A job that only reviews may hold another key than the one that posts, which signs. */
  isOwnKey?: boolean;
  past: Past;
  surroundings: Surroundings;
  /** By which `@` calls this reviewer in a comment; empty where only `/postil` does. */
  called?: string;
  /** Whether people may ask for anything in comments. */
  hears?: boolean;
}): Promise<Memory> {
  const { pullRequest, identity, past, called = '', hears = true } = input;
  const { head, mergeBase } = { head: pullRequest.head.sha, mergeBase: pullRequest.mergeBase };
  const earlier = earlierState(pullRequest, identity.name);
  // To go on where the last run ended takes all that it found: what its comments hold may be in the part that could not be read.
  const state = earlier.kind === 'known' && pullRequest.discussionRead ? earlier.state : null;
  const known = knownParts(pullRequest, { name: identity.name, state });
  const ids = new Set(known.filter(({ signed }) => signed).map(({ mark }) => mark.id));
  const commands = commandsFor([...ids], pullRequest, called);
  const evidence = evidenceOf(pullRequest, identity.name);
  const canWrite = (login: string) => past.canWrite(login);
  const answering = { diffs: diffsTo({ head, mergeBase }, past), canWrite, commands, evidence, called };
  const [prior, notes, paused] = await Promise.all([
    Promise.all(known.map((one) => priorFinding(one, { ...answering, surroundings: input.surroundings }))),
    notesOnCommands(commands, canWrite),
    hears ? pauseOf(pullRequest, { name: called, canWrite }) : null,
  ]);
  const { prior: single, twins } = withoutTwins(prior);
  const doubled = doubledThreads(pullRequest, { name: identity.name, state });
  // It held findings that nothing else holds, and nobody can tell what of it is ours.
  const isLost = !pullRequest.discussionRead || (earlier.kind === 'lost' && input.signs && input.isOwnKey !== false);
  return {
    ...{ state, notes, paused, prior: single, twins: [...twins, ...doubled] },
    isLost: earlier.kind === 'lost',
    nextState: earlier.newest + 1,
    reviews: countReviews(pullRequest, identity, state),
    earlier: isLost ? 'unknown' : input.signs ? 'known' : 'not-kept',
  };
}

type Diff = readonly ChangedFile[] | null;

type Diffs = {
  readonly toHead: (commit: string) => Promise<Diff>;
  /** The diff from a mark's commit to the present one of its side. */
  readonly ofSide: (mark: FindingMark) => Promise<Diff>;
};

/** Each diff is asked for once. */
function diffsTo({ head, mergeBase }: { head: string; mergeBase: string }, past: Past): Diffs {
  const diffs = new Map<string, Promise<Diff>>();
  const between = (from: string, to: string): Promise<Diff> => {
    if (from === to) return Promise.resolve([]);
    const diff = diffs.get(`${from} ${to}`) ?? past.changesBetween(from, to);
    diffs.set(`${from} ${to}`, diff);
    return diff;
  };
  return {
    toHead: (commit) => between(commit, head),
    ofSide: ({ lines, ...mark }) =>
      lines?.side === 'LEFT' ? between(mark.mergeBase, mergeBase) : between(mark.commit, head),
  };
}

type Answering = {
  readonly diffs: Diffs;
  readonly surroundings: Surroundings;
  readonly canWrite: Past['canWrite'];
  readonly commands: Commands;
  /** By the id of a finding. */
  readonly evidence: ReadonlyMap<string, readonly Evidence[]>;
  readonly called: string;
};

async function priorFinding(one: KnownPart, answering: Answering): Promise<PriorFinding> {
  const { diffs, surroundings } = answering;
  const { mark, signed, life } = one;
  const [side, head] = await Promise.all([diffs.ofSide(mark), diffs.toHead(mark.commit)]);
  const present: Present = side === null ? { kind: 'unmapped', path: mark.path } : mapLines(mark, side);
  const change = codeChange(mark, { head, side });
  const around =
    present.kind === 'here' ? await surroundings.around(pathAtHead(mark, present, head), present.anchor) : null;
  const given = answering.evidence.get(mark.id) ?? [];
  const held = await Promise.all(given.map((each) => holds(each, { around, ...answering })));
  const proven = given.filter((_, index) => held[index]);
  const answered = signed ? await declinesWith(one, proven, answering) : [];
  const provenFixed = answered.some(({ how }) => how === 'fixed');
  const byPeople = answered.filter(({ how }) => how !== 'fixed');
  const declines = byPeople.filter(({ how }) => how !== 'resolved' || !saysFixed(life, change));
  const saidFixed = byPeople.some((each) => each.canWrite && !declines.includes(each));
  const isIntact = one.known?.place.isIntact === true;
  const isBack = change.kind === 'same' || (change.kind === 'changed' && change.isIntact && !isIntact);
  const declined = declines.some(({ canWrite }) => canWrite);
  // What an answer proved, until somebody takes it back or the code of it changes.
  const isTaken = !provenFixed && life === 'fixed' && given.some(({ verdict }) => verdict === 'fixed');
  const isExcluded = life === 'withdrawn' && !declined;
  const isLoose = isTaken || (isExcluded && proven.length === 0) || (await isProofGone(one, surroundings));
  const now = { present, change, around, isBack, saidFixed, declines, declined };
  return { ...one, ...now, ...(provenFixed ? { provenFixed } : {}), ...(isLoose ? { isLoose } : {}) };
}

/** Removed lines are mapped by what their file is called at the merge base. */
function pathAtHead({ path, lines }: FindingMark, present: Present, head: Diff): string {
  if (lines?.side !== 'LEFT') return present.path ?? path;
  return (head === null ? undefined : fileThen(path, head)?.path) ?? path;
}

async function declinesWith(
  { mark, held }: KnownPart,
  proven: readonly Evidence[],
  { commands, canWrite, called }: Answering,
) {
  const thread = held.in === 'thread' ? held.thread : null;
  const urls = thread?.comments.map(({ url }) => url) ?? [];
  const byId = [...commands.about(mark.id, urls), ...proven.map(({ act }) => act)];
  return await declinesOf({ thread, byId, name: called }, canWrite);
}

/** What was proven holds while the definitions around the finding and around the proof are what they were. */
async function holds(
  { commit, proof: { path, ...lines }, around }: Evidence,
  at: Pick<Answering, 'diffs' | 'surroundings'> & { readonly around: string | null },
): Promise<boolean> {
  if (around === undefined || at.around !== around.finding) return false;
  const changes = await at.diffs.toHead(commit);
  const now = changes === null ? null : mapLines({ path, lines: { side: 'RIGHT', ...lines, digests: [] } }, changes);
  return now?.kind === 'here' && (await at.surroundings.around(now.path, now.anchor)) === around.proof;
}

/** The code that proved a fix stands no more, or in other code. */
async function isProofGone({ life, known }: KnownPart, { find, around }: Surroundings): Promise<boolean> {
  const proof = life === 'fixed' ? known?.place.proof : undefined;
  if (proof === undefined) return false;
  for (const { start: startLine, end: endLine } of await find(proof.path, proof.digests)) {
    const anchor = { kind: 'lines', side: 'RIGHT', startLine, endLine, quote: '' } as const;
    if ((await around(proof.path, anchor)) === proof.around) return false;
  }
  return true;
}

/** Who resolves the thread of what is as it was declines it; of what changed, or was fixed before, they say that it is fixed. */
function saysFixed(before: Life, change: CodeChange): boolean {
  if (before === 'declined' || before === 'withdrawn') return false;
  const hasChanged = change.kind === 'file gone' || (change.kind === 'changed' && !change.isIntact);
  return hasEnded(before) || hasChanged;
}

/** True when one run is later than the other: by its number, then by its attempt, such as `4711-2`. */
export function isLaterRun(one: string, other: string): boolean {
  const [run = 0, attempt = 0] = numbersIn(one);
  const [otherRun = 0, otherAttempt = 0] = numbersIn(other);
  return run === otherRun ? attempt > otherAttempt : run > otherRun;
}

function numbersIn(run: string): readonly number[] {
  return run.split('-').map((part) => Number.parseInt(part, 10) || 0);
}
