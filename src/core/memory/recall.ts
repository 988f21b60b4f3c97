import type { ChangedFile } from '../pull-request/changed-file.ts';
import type { PullRequest } from '../pull-request/pull-request.ts';
import { countReviews } from './count-reviews.ts';
import { mapLines } from './map-anchor.ts';
import type { FindingMark } from './mark.ts';
import type { Memory, Past, Present, PriorFinding, Refusal } from './memory.ts';
import { type HeldMark, priorMarks, stickyOf } from './prior-marks.ts';
import { refusalsOf } from './refusals.ts';
import type { RunIdentity } from './run-identity.ts';
import { decideScope } from './scope.ts';

export type RecallInput = {
  readonly pullRequest: PullRequest;
  readonly identity: RunIdentity;
  readonly incremental: boolean;
  readonly past: Past;
};

/** What earlier runs of this name said, where it is at the present head, who refused it, and what this run is to look at. */
export async function recall({ pullRequest, identity, incremental, past }: RecallInput): Promise<Memory> {
  // To go on where the last run ended takes all that it found: what its comments hold may be in the part that could not be read.
  const sticky = pullRequest.discussionRead ? stickyOf(pullRequest.conversation, identity.name) : null;
  const head = pullRequest.head.sha;
  const { mergeBase } = pullRequest;
  const changesOf = diffsTo({ head, mergeBase }, past);
  const marks = priorMarks(pullRequest, identity.name);
  const [scope, prior] = await Promise.all([
    decideScope({ incremental, sticky, identity, head, mergeBase, past }),
    Promise.all(marks.map((held, index) => priorFinding(held, { id: `p${index + 1}`, changesOf, past }))),
  ]);
  return { scope, sticky, prior, reviews: countReviews(pullRequest, identity) };
}

type Diff = readonly ChangedFile[] | null;

/** The diff from a mark's commit to the present one of its side, asked once for each commit. */
function diffsTo(
  { head, mergeBase }: { readonly head: string; readonly mergeBase: string },
  past: Past,
): (mark: FindingMark) => Promise<Diff> {
  const known = new Map<string, Promise<Diff>>();
  return (mark) => {
    const left = mark.lines?.side === 'LEFT';
    const [from, to] = left ? [mark.mergeBase, mergeBase] : [mark.commit, head];
    if (from === to) return Promise.resolve([]);
    const diff = known.get(`${from} ${to}`) ?? past.changesBetween(from, to);
    known.set(`${from} ${to}`, diff);
    return diff;
  };
}

type Work = {
  readonly id: string;
  readonly changesOf: (mark: FindingMark) => Promise<Diff>;
  readonly past: Past;
};

async function priorFinding(one: HeldMark, { id, changesOf, past }: Work): Promise<PriorFinding> {
  const [changes, refusals] = await Promise.all([changesOf(one.mark), refusalsTo(one, past)]);
  const present: Present = changes === null ? { kind: 'unmapped', path: one.mark.path } : mapLines(one.mark, changes);
  return { ...one, id, present, refusals, refused: refusals.some(({ canWrite }) => canWrite) };
}

function refusalsTo({ held }: HeldMark, past: Past): Promise<readonly Refusal[]> {
  return held.in === 'thread' ? refusalsOf(held.thread, (login) => past.canWrite(login)) : Promise.resolve([]);
}
