import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import type { ChangedFile } from '../pull-request/changed-file.ts';
import type { PullRequest } from '../pull-request/pull-request.ts';
import { mapLines } from './map-anchor.ts';
import type { FindingMark, StickyMark } from './mark.ts';
import type { Memory, Past, Present, PriorFinding, Refusal, RunIdentity } from './memory.ts';
import { type NewLines, newLinesOf, noNewLines } from './new-lines.ts';
import { countReviews, type HeldMark, priorKey, priorMarks, stickyComments, stickyOf } from './prior-marks.ts';
import { refusalsOf } from './refusals.ts';
import { decideScope } from './scope.ts';

/** What earlier runs of this name said, where it is at the present head, who declined it, and what this run is to look at. */
export async function recall(input: {
  pullRequest: PullRequest;
  identity: RunIdentity;
  incremental: boolean;
  /** Whether marks without a valid signature keep findings from being posted again: only where another place remembers these. */
  heedsUnsigned: boolean;
  past: Past;
}): Promise<Memory> {
  const { pullRequest, identity, incremental, past } = input;
  // To go on where the last run ended takes all that it found: what its comments hold may be in the part that could not be read.
  const sticky = pullRequest.discussionRead ? stickyOf(pullRequest.conversation, identity.name) : null;
  const head = pullRequest.head.sha;
  const { mergeBase } = pullRequest;
  const diffs = diffsTo({ head, mergeBase }, past);
  const marks = priorMarks(pullRequest, identity.name).filter(({ signed }) => signed || input.heedsUnsigned);
  const isUnsigned = sticky === null && stickyComments(pullRequest.conversation, identity.name).length > 0;
  const [scope, prior] = await Promise.all([
    decideScope({ incremental, sticky, isUnsigned, identity, head, mergeBase, base: pullRequest.base.ref, past }),
    Promise.all(marks.map((held) => priorFinding(held, { diffs, past }))),
  ]);
  return { scope, sticky, prior, reviews: countReviews(pullRequest, identity) };
}

type Diff = readonly ChangedFile[] | null;

type Diffs = {
  /** The diff from a mark's commit to the present one of its side. */
  readonly ofSide: (mark: FindingMark) => Promise<Diff>;
  /** What changed in the file of a mark since the head that it was made at. */
  readonly newLines: (mark: FindingMark) => Promise<NewLines>;
};

/** Each diff is asked for once, and each file of it looked at once. */
function diffsTo({ head, mergeBase }: { head: string; mergeBase: string }, past: Past): Diffs {
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
    newLines: ({ commit, path }) => {
      const key = JSON.stringify([commit, path]);
      const known =
        files.get(key) ??
        between(commit, head).then((changes) => (changes === null ? noNewLines : newLinesOf(path, changes)));
      files.set(key, known);
      return known;
    },
  };
}

async function priorFinding(one: HeldMark, { diffs, past }: { diffs: Diffs; past: Past }): Promise<PriorFinding> {
  const { mark } = one;
  const [changes, newLines, refusals] = await Promise.all([
    diffs.ofSide(mark),
    diffs.newLines(mark),
    refusalsTo(one, past),
  ]);
  const present: Present = changes === null ? { kind: 'unmapped', path: mark.path } : mapLines(mark, changes);
  return { ...one, id: idOf(mark), present, newLines, refusals, refused: refusals.some(({ canWrite }) => canWrite) };
}

/** The same in every run, so that another job can read what a model said of it. */
function idOf(mark: FindingMark): string {
  return `p-${bytesToHex(sha256(utf8ToBytes(priorKey(mark)))).slice(0, 8)}`;
}

function refusalsTo({ held, signed }: HeldMark, past: Past): Promise<readonly Refusal[]> {
  return signed && held.in === 'thread'
    ? refusalsOf(held.thread, (login) => past.canWrite(login))
    : Promise.resolve([]);
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
