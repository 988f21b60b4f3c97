import type { StickyMark } from './mark.ts';

export type Overlap = {
  /** What the summary comment says by now: another text than the one that this run began with. */
  readonly present: StickyMark;
  /** `head` is the full hash that this run reviewed. */
  readonly ours: { readonly run: string; readonly head: string };
  /** Head of the pull request by now; null when that cannot be learnt. */
  readonly currentHead: string | null;
};

/** True when what another run wrote meanwhile stays: a run that is no longer the latest takes nothing back (FAILURES P17). */
export function isOvertaken({ present, ours, currentHead }: Overlap): boolean {
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
