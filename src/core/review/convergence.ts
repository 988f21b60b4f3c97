import type { Finding, Origin } from '../findings/finding.ts';
import { hasEnded } from '../history/life.ts';
import type { PriorFinding } from '../history/memory.ts';
import type { Standing } from '../history/scope.ts';
import type { Message } from '../messages/message.ts';
import { type ChangedFile, hunkLines } from '../pull-request/changed-file.ts';
import { atLeast, type Severity } from '../settings/setting.ts';
import type { Settings } from '../settings/settings.ts';

/** What is known of earlier complete readings of a file; null where none holds. */
export type ReadBefore = (path: string) => {
  readonly readings: number;
  /** What was pushed to it since the last one; null for nothing. */
  readonly since: ChangedFile | null;
} | null;

/** What a run knows of earlier readings: of files that were reviewed as they are, or as they were before a push. */
export function readBefore({ files, read = files }: Standing): ReadBefore {
  return (path) => {
    const one = read.get(path);
    if (one?.kind === 'holds') return { readings: one.receipt.readings, since: null };
    return one?.kind === 'pushed' ? { readings: one.receipt.readings, since: one.since } : null;
  };
}

type Known = {
  readonly readBefore: ReadBefore;
  /** Earlier findings, place by place, with what this run makes of them. */
  readonly parts: readonly PriorFinding[];
};

/** Added lines of a fix: a change of more is new code. */
const mostOfFix = 20;

/**
 * Where a finding that no round knew comes from. `late`: nothing of what it is about changed since its file was read as a whole. `fix`: it stands in the
 * few lines that ended another one. A finding without lines is new, and so is everything in doubt.
 */
export function originOf(finding: Finding, { readBefore, parts }: Known): Origin {
  const { path, anchor } = finding;
  if (anchor.kind === 'file') return { kind: 'new' };
  const fixed = parts.find((part) => isIn(finding, part));
  if (fixed !== undefined) {
    return { kind: 'fix', of: fixed.mark.id, url: fixed.url, generation: (fixed.known?.finding.generation ?? 0) + 1 };
  }
  const before = readBefore(path);
  if (before === null || isTouched({ anchor }, before.since)) return { kind: 'new' };
  const cited = [...(finding.others ?? []), ...citedLines(finding)];
  const isOld = cited.every((place) => {
    const read = readBefore(place.path);
    // What is outside of the diff is what it was: the reading would not hold otherwise.
    return read === null || !isTouched(place, read.since);
  });
  return isOld ? { kind: 'late', reading: before.readings + 1 } : { kind: 'new' };
}

type Place = Pick<Finding, 'path' | 'anchor'>;

/** Whether a finding stands in the added lines that fixed an earlier one since the last round. */
function isIn({ path, anchor }: Finding, { life, known, change, present }: PriorFinding): boolean {
  const wasOpen = known !== null && !hasEnded(known.place.life);
  if (life !== 'fixed' || !wasOpen || change.kind !== 'changed' || anchor.kind === 'file') return false;
  if (anchor.side === 'LEFT' || (present.path ?? known.place.path) !== path) return false;
  const added = change.hunks.flatMap((hunk) =>
    [...hunkLines(hunk)].flatMap(({ kind, newLine, text }) =>
      kind === 'added' && newLine !== null && text.trim() !== '' ? [newLine] : [],
    ),
  );
  return added.length <= mostOfFix && added.some((line) => line >= anchor.startLine && line <= anchor.endLine);
}

/** Whether a push changed one of the lines of a place, or what stands next to them. */
function isTouched({ anchor }: Pick<Place, 'anchor'>, since: ChangedFile | null): boolean {
  if (since === null) return false;
  if (anchor.kind === 'file' || since.incomplete !== null || since.path !== since.oldPath) return true;
  if (anchor.side === 'LEFT') return true;
  return since.hunks.some((hunk) => {
    let next = hunk.newStart;
    return [...hunkLines(hunk)].some(({ kind, newLine }) => {
      if (newLine !== null) next = newLine + 1;
      const line = newLine ?? next;
      return kind !== 'context' && line >= anchor.startLine && line <= anchor.endLine + 1;
    });
  });
}

function citedLines({ citations = [] }: Finding): readonly Place[] {
  return citations.flatMap(({ path, side, lines }) => {
    const [, first, last = first] = /^(\d+)(?:-(\d+))?$/.exec(lines ?? '') ?? [];
    if (first === undefined) return [];
    return [{ path, anchor: { kind: 'lines', side, startLine: Number(first), endLine: Number(last), quote: '' } }];
  });
}

type Floors = Pick<Settings, 'lateFindings' | 'failOn'>;

/** Why a finding that comes late stands in the summary alone; null when it gets a comment. Rules and what fails the job always do. */
export function whyMuted({ origin, source, severity }: Finding, floors: Floors): Message | null {
  if (origin === undefined || origin.kind === 'new' || source === 'rule') return null;
  const floor = floorOf(origin, floors);
  if (floor === null || atLeast(severity, floor)) return null;
  if (origin.kind === 'fix') return { code: 'withheld.from-fix', level: floor };
  return { code: 'withheld.late', reading: origin.reading, level: floor };
}

function floorOf(origin: Exclude<Origin, { kind: 'new' }>, { lateFindings, failOn }: Floors): Severity | null {
  if (lateFindings === 'all') return null;
  const times = origin.kind === 'fix' ? origin.generation : origin.reading;
  const byTimes = times >= 3 ? 'critical' : 'warning';
  const own = origin.kind === 'late' && lateFindings !== 'auto' ? lateFindings : byTimes;
  return failOn !== 'never' && atLeast(own, failOn) ? failOn : own;
}
