import type { Anchor } from '../findings/finding.ts';
import type { SidesOf } from '../languages/same-code.ts';
import { type ChangedFile, type Hunk, hunkLines, isOpaque } from '../pull-request/changed-file.ts';
import { plain } from '../pull-request/line-pairs.ts';
import type { PullRequest } from '../pull-request/pull-request.ts';
import { type Evidence, evidenceOf, pauseOf } from './answers.ts';
import { type CodeChange, codeChange } from './code-change.ts';
import { type Commands, commandsFor, declinesOf, notesOnCommands } from './declines.ts';
import { withoutEchoes } from './echoes.ts';
import type { Life } from './life.ts';
import type { FindingMark, MarkedLines, StickyMark } from './mark.ts';
import type { Memory, Past, Present, PriorFinding, RunIdentity, State } from './memory.ts';
import { fileThen, type NewLines, newLinesIn, newLinesOf, noNewLines } from './new-lines.ts';
import { countReviews, type HeldMark, idOf, priorMarks, stickyComments, stickyOf } from './prior-marks.ts';

/** What earlier runs of this name said, where it is at the present head, and who declined it. */
export async function recall(input: {
  pullRequest: PullRequest;
  identity: RunIdentity;
  /** Whether marks without a valid signature keep findings from being posted again: only where another place remembers these. */
  heedsUnsigned: boolean;
  /** Whether this run has a key to sign with. */
  signs: boolean;
  /** A job that only reviews may hold another key than the one that posts, which signs. */
  isOwnKey?: boolean;
  past: Past;
  /** Parses what changed its white space under a declined finding; without it every such line is new. */
  sidesOf?: SidesOf;
  /** By which `@` calls this reviewer in a comment; empty where only `/postil` does. */
  called?: string;
  /** Whether people may ask for anything in comments. */
  hears?: boolean;
}): Promise<Memory> {
  const { pullRequest, identity, past, called = '', hears = true } = input;
  // To go on where the last run ended takes all that it found: what its comments hold may be in the part that could not be read.
  const sticky = pullRequest.discussionRead ? stickyOf(pullRequest.conversation, identity.name) : null;
  const head = pullRequest.head.sha;
  const { mergeBase } = pullRequest;
  const diffs = diffsTo({ head, mergeBase, sidesOf: input.sidesOf ?? null }, past);
  const marks = priorMarks(pullRequest, identity.name).filter(({ signed }) => signed || input.heedsUnsigned);
  const ids = marks.filter(({ signed }) => signed).map((one) => idOf(one.mark, one));
  const commands = commandsFor(ids, pullRequest, called);
  const evidence = evidenceOf(pullRequest, identity.name);
  const canWrite = (login: string) => past.canWrite(login);
  const isUnsigned = sticky === null && stickyComments(pullRequest.conversation, identity.name).length > 0;
  const [prior, notes, paused] = await Promise.all([
    Promise.all(marks.map((held) => priorFinding(held, { diffs, canWrite, commands, evidence, called }))),
    notesOnCommands(commands, canWrite),
    hears ? pauseOf(pullRequest, { name: called, canWrite }) : null,
  ]);
  // It held findings that nothing else holds, and nobody can tell what of it is ours.
  const isLost = !pullRequest.discussionRead || (isUnsigned && input.signs && input.isOwnKey !== false);
  const earlier = isLost ? 'unknown' : input.signs ? 'known' : 'not-kept';
  const reviews = countReviews(pullRequest, identity);
  const { linesSince } = diffs;
  const state = sticky === null ? null : stateOf(sticky);
  return { sticky, state, isUnsigned, prior: withoutEchoes(prior), notes, reviews, paused, earlier, linesSince };
}

function stateOf({ head, mergeBase, base, settings, readings }: StickyMark): State {
  return { head, mergeBase, base, settings, readings: readings ?? null };
}

type Diff = readonly ChangedFile[] | null;

type Diffs = {
  /** The diff from a mark's commit to the present one of its side. */
  readonly ofSide: (mark: FindingMark) => Promise<Diff>;
  /** The diff from the head that a mark was made at to the present one. */
  readonly ofHead: (mark: FindingMark) => Promise<Diff>;
  /** What changed in the file of a mark since the head that it was made at. Only for what is declined it matters whether white space is layout. */
  readonly newLines: (mark: FindingMark, declined: boolean) => Promise<NewLines>;
  readonly linesSince: NonNullable<Memory['linesSince']>;
  /** Whether lines of source stand at head as they stood at this commit. */
  readonly holds: (at: Evidence) => Promise<boolean>;
};

/** Each diff is asked for once, and each file of it looked at once. */
function diffsTo(
  { head, mergeBase, sidesOf }: { head: string; mergeBase: string; sidesOf: SidesOf | null },
  past: Past,
): Diffs {
  const diffs = new Map<string, Promise<Diff>>();
  const files = new Map<string, Promise<NewLines>>();
  const between = (from: string, to: string): Promise<Diff> => {
    if (from === to) return Promise.resolve([]);
    const diff = diffs.get(`${from} ${to}`) ?? past.changesBetween(from, to);
    diffs.set(`${from} ${to}`, diff);
    return diff;
  };
  return {
    ofSide: ({ lines, ...mark }) =>
      lines?.side === 'LEFT' ? between(mark.mergeBase, mergeBase) : between(mark.commit, head),
    ofHead: ({ commit }) => between(commit, head),
    newLines: ({ commit, path }, declined) => {
      const key = JSON.stringify([commit, path, declined]);
      const newLines = async (changes: Diff) => {
        const found = changes === null ? noNewLines : newLinesOf(path, changes);
        const file = declined && found.spaced !== undefined ? fileThen(path, changes ?? []) : undefined;
        if (changes === null || sidesOf === null || file === undefined) return found;
        return newLinesOf(path, changes, await sidesOf(file));
      };
      const known = files.get(key) ?? between(commit, head).then(newLines);
      files.set(key, known);
      return known;
    },
    holds: async ({ commit, proof: { path, ...lines } }) => {
      const changes = await between(commit, head);
      if (changes === null) return false;
      const now = mapLines({ path, lines: { side: 'RIGHT', ...lines, digests: [] } }, changes);
      if (now.kind !== 'here' || now.anchor.kind === 'file') return false;
      return now.anchor.endLine - now.anchor.startLine === lines.endLine - lines.startLine;
    },
    linesSince: async (commit, path) => {
      const changes = await between(commit, head);
      if (changes === null) return null;
      const file = changes.find((one) => one.path === path);
      if (file === undefined) return noNewLines;
      const found = newLinesIn(file);
      return sidesOf === null || found.spaced === undefined ? found : newLinesIn(file, await sidesOf(file));
    },
  };
}

async function priorFinding(
  { isIntact, ...one }: HeldMark,
  { diffs, canWrite, commands, evidence, called }: Answering,
): Promise<PriorFinding> {
  const { mark, held, signed } = one;
  const id = idOf(mark, one);
  const proven = await standing(evidence.get(id) ?? [], diffs);
  const urls = held.in === 'thread' ? held.thread.comments.map(({ url }) => url) : [];
  const byId = [...commands.about(id, urls), ...proven.map(({ act }) => act)];
  const said = { thread: held.in === 'thread' ? held.thread : null, byId, name: called };
  const [side, head, answered] = await Promise.all([
    diffs.ofSide(mark),
    diffs.ofHead(mark),
    signed ? declinesOf(said, canWrite) : [],
  ]);
  const present: Present = side === null ? { kind: 'unmapped', path: mark.path } : mapLines(mark, side);
  const change = codeChange(mark, { head, side });
  const provenFixed = answered.some(({ how }) => how === 'fixed');
  const byPeople = answered.filter(({ how }) => how !== 'fixed');
  const declines = byPeople.filter(({ how }) => how !== 'resolved' || !saysFixed(one.life, change));
  const saidFixed = byPeople.some((one) => one.canWrite && !declines.includes(one));
  const isBack = change.kind === 'same' || (change.kind === 'changed' && change.isIntact && !isIntact);
  const declined = declines.some(({ canWrite }) => canWrite);
  const newLines = await diffs.newLines(mark, declined);
  // Somebody took back what an answer had proved, and a review counted since.
  const isTakenBack = !provenFixed && proven.some(({ verdict }) => verdict === 'fixed');
  const life = isTakenBack && one.life === 'fixed' ? ('changed' as const) : one.life;
  const known = { id, life, present, newLines, change, isBack, saidFixed, declines, declined };
  return { ...one, ...known, ...(provenFixed ? { provenFixed } : {}) };
}

type Answering = {
  readonly diffs: Diffs;
  readonly canWrite: Past['canWrite'];
  readonly commands: Commands;
  readonly evidence: ReadonlyMap<string, readonly Evidence[]>;
  readonly called: string;
};

/** What was proven holds for as long as the lines stand that prove it. */
async function standing(evidence: readonly Evidence[], diffs: Diffs): Promise<readonly Evidence[]> {
  const held = await Promise.all(evidence.map((one) => diffs.holds(one)));
  return evidence.filter((_, index) => held[index]);
}

/** Who resolves the thread of what is as it was declines it; of what changed, or was fixed before, they say that it is fixed. */
function saysFixed(before: Life, change: CodeChange): boolean {
  if (before === 'declined' || before === 'withdrawn') return false;
  const hasChanged = change.kind === 'file gone' || (change.kind === 'changed' && !change.isIntact);
  return before === 'fixed' || before === 'gone' || hasChanged;
}

/** True when what another run wrote meanwhile stays: a run that is no longer the latest takes nothing back. */
export function isOvertaken({
  present,
  ours,
  currentHead,
}: {
  /** What the summary comment says now: another text than the one that this run began with. */
  present: StickyMark;
  /** `head` is the full hash that this run reviewed. */
  ours: { readonly run: string; readonly head: string };
  /** Head of the pull request now; null when that cannot be found out. */
  currentHead: string | null;
}): boolean {
  if (present.run === ours.run) return false;
  if (present.head === ours.head) return isLaterRun(present.run, ours.run);
  return currentHead !== null && currentHead !== ours.head;
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

/** Where lines of an old commit are in a new one: the smallest range that holds all of them that survived. */
export function mapLines(
  { path, lines }: Pick<FindingMark, 'path' | 'lines'>,
  changes: readonly ChangedFile[],
): Present {
  const file = fileThen(path, changes);
  const now = file?.path ?? path;
  if (file?.status === 'deleted') return { kind: 'gone' };
  if (lines === null) return { kind: 'here', path: now, anchor: { kind: 'file' } };
  if (file === undefined) return { kind: 'here', path, anchor: anchorAt(lines, lines) };
  // Without its hunks the diff cannot tell where the lines went.
  if (file.incomplete !== null || isOpaque(file)) return { kind: 'unmapped', path: now };
  const survivors = survivingLines(lines, file.hunks);
  if (survivors !== null) return { kind: 'here', path: now, anchor: anchorAt(lines, survivors) };
  return now === path ? { kind: 'gone' } : { kind: 'gone', path: now };
}

type Range = Pick<MarkedLines, 'startLine' | 'endLine'>;

function anchorAt({ side }: MarkedLines, { startLine, endLine }: Range): Anchor {
  return { kind: 'lines', side, startLine, endLine, quote: '' };
}

/** The first and the last new number of the old lines that the hunks leave alone; null when none is left. */
function survivingLines({ startLine, endLine }: MarkedLines, hunks: readonly Hunk[]): Range | null {
  let [first, last] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  const survive = (from: number, to: number) => {
    first = Math.min(first, from);
    last = Math.max(last, to);
  };
  let shift = 0;
  let next = startLine;
  for (const hunk of hunks) {
    const { from, to } = oldRange(hunk);
    if (next > endLine || from > endLine) break;
    if (next < from) survive(next + shift, Math.min(endLine, from - 1) + shift);
    next = Math.max(next, from);
    if (next < to) {
      const kept = keptLines(hunk);
      for (let old = next; old <= Math.min(endLine, to - 1); old += 1) {
        const now = kept.get(old);
        if (now !== undefined) survive(now, now);
      }
    }
    next = Math.max(next, to);
    shift += hunk.newLines - hunk.oldLines;
  }
  if (next <= endLine) survive(next + shift, endLine + shift);
  return first <= last ? { startLine: first, endLine: last } : null;
}

/** Half open. A hunk without old lines stands behind the line that its header names. */
function oldRange({ oldStart, oldLines }: Hunk): { readonly from: number; readonly to: number } {
  const from = oldLines === 0 ? oldStart + 1 : oldStart;
  return { from, to: from + oldLines };
}

/** By its old number the new one of each line that is still there. */
type LineMap = ReadonlyMap<number, number>;

/** Many findings may be followed through one hunk of a hundred thousand lines. */
const keptOf = new WeakMap<Hunk, LineMap>();

/** Context lines, and lines that only changed their white space or their place in the hunk: they are still what was talked about. */
function keptLines(hunk: Hunk): LineMap {
  const known = keptOf.get(hunk);
  if (known !== undefined) return known;
  const lines = [...hunkLines(hunk)];
  // Equal lines are taken in their order; a hunk may be nothing else.
  const added = new Map<string, { readonly lines: number[]; taken: number }>();
  for (const { kind, newLine, text } of lines) {
    if (kind !== 'added' || newLine === null) continue;
    const equal = added.get(plain(text)) ?? { lines: [], taken: 0 };
    added.set(plain(text), equal);
    equal.lines.push(newLine);
  }
  const kept = new Map<number, number>();
  for (const { oldLine, newLine, text } of lines) {
    if (oldLine === null) continue;
    const equal = newLine === null && plain(text) !== '' ? added.get(plain(text)) : undefined;
    const now = newLine ?? equal?.lines[equal.taken++];
    if (now !== undefined) kept.set(oldLine, now);
  }
  keptOf.set(hunk, kept);
  return kept;
}
