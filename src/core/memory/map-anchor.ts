import type { Anchor } from '../findings/finding.ts';
import { type ChangedFile, type Hunk, hunkLines } from '../pull-request/changed-file.ts';
import type { MarkedLines } from './mark.ts';
import type { Present } from './memory.ts';

/** Where lines of an old commit are in a new one: the smallest range that holds all of them that survived. */
export function mapLines(
  { path, lines }: { readonly path: string; readonly lines: MarkedLines | null },
  changes: readonly ChangedFile[],
): Present {
  const file = changes.find(
    (changed) => changed.oldPath === path && changed.status !== 'added' && changed.status !== 'copied',
  );
  const now = file?.path ?? path;
  if (file?.status === 'deleted') return { kind: 'gone' };
  if (lines === null) return { kind: 'here', path: now, anchor: { kind: 'file' } };
  if (file === undefined) return { kind: 'here', path, anchor: anchorAt(lines, lines) };
  // Without its hunks the diff cannot tell where the lines went.
  if (file.incomplete !== null) return { kind: 'unmapped', path: now };
  const survivors = survivingLines(lines, file.hunks);
  const [first] = survivors;
  const last = survivors.at(-1);
  if (first === undefined || last === undefined) return { kind: 'gone' };
  return { kind: 'here', path: now, anchor: anchorAt(lines, { startLine: first, endLine: last }) };
}

function anchorAt(
  { side }: MarkedLines,
  { startLine, endLine }: { readonly startLine: number; readonly endLine: number },
): Anchor {
  return { kind: 'lines', side, startLine, endLine, quote: '' };
}

/** The new numbers of the old lines that the hunks leave alone, in order. */
function survivingLines({ startLine, endLine }: MarkedLines, hunks: readonly Hunk[]): readonly number[] {
  const survivors: number[] = [];
  let shift = 0;
  let next = startLine;
  for (const hunk of hunks) {
    const { from, to } = oldRange(hunk);
    for (; next <= endLine && next < from; next++) survivors.push(next + shift);
    for (const { oldLine, newLine } of keptLines(hunk)) {
      if (oldLine >= next && oldLine <= endLine) survivors.push(newLine);
    }
    next = Math.max(next, to);
    shift += hunk.newLines - hunk.oldLines;
  }
  for (; next <= endLine; next++) survivors.push(next + shift);
  return survivors.toSorted((one, other) => one - other);
}

/** Half open. A hunk without old lines stands behind the line that its header names. */
function oldRange({ oldStart, oldLines }: Hunk): { readonly from: number; readonly to: number } {
  const from = oldLines === 0 ? oldStart + 1 : oldStart;
  return { from, to: from + oldLines };
}

type Kept = { readonly oldLine: number; readonly newLine: number };

/** Context lines, and lines that only changed their white space or their place in the hunk: they are still what was talked about. */
function keptLines(hunk: Hunk): readonly Kept[] {
  const lines = [...hunkLines(hunk)];
  const added = new Map<string, number[]>();
  for (const { kind, newLine, text } of lines) {
    if (kind === 'added' && newLine !== null) added.set(plain(text), [...(added.get(plain(text)) ?? []), newLine]);
  }
  return lines.flatMap(({ oldLine, newLine, text }): readonly Kept[] => {
    if (oldLine === null) return [];
    const now = newLine ?? (plain(text) === '' ? undefined : added.get(plain(text))?.shift());
    return now === undefined ? [] : [{ oldLine, newLine: now }];
  });
}

function plain(text: string): string {
  return text.replace(/\s+/g, '');
}
