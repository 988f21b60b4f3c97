import type { Anchor } from '../findings/finding.ts';
import { type ChangedFile, type Hunk, hunkLines, isOpaque } from '../pull-request/changed-file.ts';
import type { FindingMark, MarkedLines } from './mark.ts';

/** Where a finding of an earlier run is at the present head. */
export type Present =
  | {
      readonly kind: 'here';
      readonly path: string;
      readonly anchor: Anchor;
      /** Of removed lines: what their file is called at the merge base, where that is another name. */
      readonly oldPath?: string;
    }
  /** Every line that it was about is gone, or the file is. `path` is what the file is called now, where it is another name. */
  | { readonly kind: 'gone'; readonly path?: string }
  /** The old commit is gone: only the digests of its lines can know it again. */
  | { readonly kind: 'unmapped'; readonly path: string };

/** The file that was called so before the changes. */
export function fileThen(path: string, changes: readonly ChangedFile[]): ChangedFile | undefined {
  return changes.find(({ oldPath, status }) => oldPath === path && status !== 'added' && status !== 'copied');
}

/** The first item of a sorted list from which on the condition holds, by halving; undefined when it holds for none. */
export function firstWhere<T>(sorted: readonly T[], holds: (item: T) => boolean): T | undefined {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    const item = sorted[middle];
    if (item !== undefined && !holds(item)) low = middle + 1;
    else high = middle;
  }
  return sorted[low];
}

/** A line without its white space. */
export function plain(text: string): string {
  return text.replace(/\s+/g, '');
}

/** Where lines of an old commit are in a new one: the smallest range that holds all of them that survived. */
export function mapLines(
  { path: head, oldPath = head, lines }: Pick<FindingMark, 'path' | 'oldPath' | 'lines'>,
  changes: readonly ChangedFile[],
): Present {
  const path = lines?.side === 'LEFT' ? oldPath : head;
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

/** What became of the lines of an earlier finding, and of those around them. */
export type CodeChange =
  | { readonly kind: 'same' }
  /** `isIntact`: all its own lines are there, next to each other; only what is around them changed. */
  | { readonly kind: 'changed'; readonly isIntact: boolean; readonly hunks: readonly Hunk[] }
  | { readonly kind: 'file gone' }
  /** The commit is gone, or the diff cannot be read. */
  | { readonly kind: 'unknown' };

/** Lines around a finding that may hold its fix. */
const nearbyLines = 3;

/** `head` is the diff between the two heads, `side` that of the finding's side; null where the commit is gone. */
export function codeChange(
  { path, oldPath = path, lines }: Pick<FindingMark, 'path' | 'oldPath' | 'lines'>,
  { head, side }: { head: readonly ChangedFile[] | null; side: readonly ChangedFile[] | null },
): CodeChange {
  if (head === null || side === null) return { kind: 'unknown' };
  const file = fileThen(path, head);
  if (file?.status === 'deleted') return { kind: 'file gone' };
  if (lines?.side === 'LEFT') return removedLinesChange([path, oldPath, file?.path ?? path], [...head, ...side]);
  if (file === undefined) return { kind: 'same' };
  if (file.incomplete !== null || isOpaque(file)) return { kind: 'unknown' };
  if (lines === null) return changed(file.hunks, false);
  const touching = (from: number, to: number) => file.hunks.filter((hunk) => isTouched(hunk, { from, to }));
  const hunks = touching(lines.startLine - nearbyLines, lines.endLine + nearbyLines);
  return changed(hunks, touching(lines.startLine, lines.endLine).length === 0);
}

/** Lines that a change removed can come back anywhere in their file. */
function removedLinesChange(paths: readonly string[], files: readonly ChangedFile[]): CodeChange {
  const own = files.filter((file) => paths.includes(file.path) || paths.includes(file.oldPath));
  return changed(
    own.flatMap(({ hunks }) => hunks),
    true,
  );
}

function changed(hunks: readonly Hunk[], isIntact: boolean): CodeChange {
  return hunks.length === 0 ? { kind: 'same' } : { kind: 'changed', isIntact, hunks };
}

/** Whether a hunk removes one of these old lines, or adds one before, between or right behind them. */
function isTouched(hunk: Hunk, { from, to }: { from: number; to: number }): boolean {
  const next = firstWhere(changedPlaces(hunk), (place) => place >= from);
  return next !== undefined && next <= to;
}

/** In old lines: each that is removed, and between the two lines where one is added, as a half. Many findings may ask of one large hunk. */
const placesOf = new WeakMap<Hunk, readonly number[]>();

function changedPlaces(hunk: Hunk): readonly number[] {
  const known = placesOf.get(hunk);
  if (known !== undefined) return known;
  const places: number[] = [];
  let next = hunk.oldLines === 0 ? hunk.oldStart + 1 : hunk.oldStart;
  for (const line of hunk.lines) {
    if (line.startsWith('-')) places.push(next);
    else if (line.startsWith('+') && places.at(-1) !== next - 0.5) places.push(next - 0.5);
    if (!line.startsWith('+') && !line.startsWith('\\')) next += 1;
  }
  placesOf.set(hunk, places);
  return places;
}
