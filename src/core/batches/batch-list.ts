import { type ChangedFile, type Hunk, withHunks } from '../pull-request/changed-file.ts';
import { anyText, count, exactly, type Infer, listOf, yesOrNo } from '../schema.ts';
import { type Batch, type BatchFile, cutHunk, type HunkRange, rangeOf } from './batch.ts';

const pieceSchema = exactly({
  path: anyText,
  part: listOf(count, 'Which part of a file that several batches share, and of how many; empty for a whole one.'),
  hunks: listOf(listOf(count), 'Of each hunk: start and lines before, start and lines after.'),
});
type Piece = Infer<typeof pieceSchema>;

/** A batch by the places of what it holds: it is made again from the same commits. */
export const listedBatchSchema = exactly({
  name: anyText,
  estimatedTokens: count,
  trivial: yesOrNo,
  files: listOf(pieceSchema),
});
export type ListedBatch = Infer<typeof listedBatchSchema>;

export function listBatch({ name, estimatedTokens, trivial = false, files }: Batch): ListedBatch {
  const pieces = files.map(({ file, hunks, part }) => ({
    path: file.path,
    part: part === null ? [] : [part.index, part.of],
    hunks: hunks.map(rangeOf),
  }));
  return { name, estimatedTokens, trivial, files: pieces };
}

/** Of these files the hunks that are in a batch. A file of no batch is left out. */
export function narrowToList(files: readonly ChangedFile[], listed: readonly ListedBatch[]): readonly ChangedFile[] {
  const ranges = new Map<string, HunkRange[]>();
  for (const { path, hunks } of listed.flatMap((batch) => batch.files)) {
    const own = ranges.get(path) ?? [];
    ranges.set(path, own);
    own.push(...hunks);
  }
  return files.flatMap((file) => {
    const own = ranges.get(file.path);
    if (own === undefined) return [];
    const find = hunkFinder(file);
    const held = new Set(own.map(find));
    return [
      withHunks(
        file,
        file.hunks.filter((hunk) => held.has(hunk)),
      ),
    ];
  });
}

/** The batches of these files, as `narrowToList` leaves them; null when they are not of the commits that were planned. */
export function batchesFromList(
  files: readonly ChangedFile[],
  listed: readonly ListedBatch[],
): readonly Batch[] | null {
  const known = new Map(files.map((file) => [file.path, { file, find: hunkFinder(file) }]));
  const batches: Batch[] = [];
  for (const { name, estimatedTokens, trivial, files: pieces } of listed) {
    const own = pieces.flatMap((piece) => pieceFrom(piece, known.get(piece.path)) ?? []);
    if (own.length < pieces.length) return null;
    batches.push({ name, files: own, estimatedTokens, ...(trivial ? { trivial } : {}) });
  }
  return batches;
}

type Known = { readonly file: ChangedFile; readonly find: ReturnType<typeof hunkFinder> };

function pieceFrom({ part: [index, of], hunks: ranges }: Piece, known: Known | undefined): BatchFile | null {
  if (known === undefined) return null;
  const { file, find } = known;
  const hunks = ranges.flatMap((range) => cutFrom(find(range), range) ?? []);
  const part = index === undefined || of === undefined ? null : { index, of };
  return hunks.length === ranges.length ? { file, hunks, part } : null;
}

function cutFrom(hunk: Hunk | undefined, range: HunkRange): Hunk | null {
  if (hunk === undefined) return null;
  return keyOf(rangeOf(hunk)) === keyOf(range) ? hunk : cutHunk(hunk, range);
}

/** Finds the hunk of a file that holds a range. A file may have thousands, and nearly all ranges are whole ones. */
function hunkFinder({ hunks }: ChangedFile): (range: HunkRange) => Hunk | undefined {
  const whole = new Map(hunks.map((hunk) => [keyOf(rangeOf(hunk)), hunk]));
  return (range) => whole.get(keyOf(range)) ?? hunks.find((hunk) => holds(hunk, range));
}

function holds({ newStart, newLines, oldStart, oldLines }: Hunk, [before = 0, , after = 0]: HunkRange): boolean {
  const isIn = (at: number, from: number, lines: number) => at >= from && at <= from + lines;
  return isIn(before, oldStart, oldLines) && isIn(after, newStart, newLines);
}

function keyOf(range: HunkRange): string {
  return range.join(' ');
}
