import { type ChangedFile, type Hunk, isOpaque } from '../pull-request/changed-file.ts';
import type { FindingMark } from './mark.ts';
import { fileThen, firstWhere } from './positions.ts';

/** What became of the lines of an earlier finding, and of those around them. */
export type CodeChange =
  | { readonly kind: 'same' }
  /** `isIntact`: all its own lines are there, next to each other; only what is around them changed. */
  | { readonly kind: 'changed'; readonly isIntact: boolean; readonly hunks: readonly Hunk[] }
  | { readonly kind: 'file gone' }
  /** The commit is gone, or the diff cannot be read. */
  | { readonly kind: 'unknown' };

/** Lines around a finding that may hold its fix. */
const nearby = 3;

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
  const hunks = touching(lines.startLine - nearby, lines.endLine + nearby);
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
