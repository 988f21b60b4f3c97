export type HunkRange = {
  readonly oldStart: number;
  readonly oldEnd: number;
  readonly newStart: number;
  readonly newEnd: number;
};

/**
 * The hunks of one file's patch. Written on its own, without the product's parser, so that a mistake there cannot hide
 * here: GitHub takes comments on every line a hunk shows, and a hunk shows a gapless range of lines on each side.
 */
export function hunkRanges(patch: string): readonly HunkRange[] {
  return patch.split('\n').flatMap((line) => {
    const header = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/.exec(line);
    if (header === null) return [];
    const [, oldStart, oldCount, newStart, newCount] = header;
    return {
      oldStart: Number(oldStart),
      oldEnd: Number(oldStart) + Number(oldCount ?? 1) - 1,
      newStart: Number(newStart),
      newEnd: Number(newStart) + Number(newCount ?? 1) - 1,
    };
  });
}

/** Index of the hunk that shows a line; -1 when none does. */
export function hunkIndex(
  hunks: readonly HunkRange[],
  { side, line }: { readonly side: 'RIGHT' | 'LEFT'; readonly line: number },
): number {
  return hunks.findIndex((hunk) =>
    side === 'RIGHT' ? line >= hunk.newStart && line <= hunk.newEnd : line >= hunk.oldStart && line <= hunk.oldEnd,
  );
}
