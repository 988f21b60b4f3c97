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
