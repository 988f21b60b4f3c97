import type { Side } from '../repository/repository.ts';
import type { ChangedFile, Hunk } from './changed-file.ts';

/** Where GitHub accepts a review comment (FAILURES P1). A comment's first and last line must lie in the same hunk. */
export type CommentableLines = {
  /** The index of the hunk that shows a line (1-based) on a side, added, removed or context; null when none does. */
  hunkOf(side: Side, line: number): number | null;
};

/** A hunk shows a gapless range of lines on each side, so its header is all that is needed. */
export function commentableLines(file: ChangedFile): CommentableLines {
  return {
    hunkOf: (side, line) => {
      const index = file.hunks.findIndex((hunk) => {
        const { start, count } = shownRange(hunk, side);
        return line >= start && line < start + count;
      });
      return index === -1 ? null : index;
    },
  };
}

function shownRange(hunk: Hunk, side: Side): { start: number; count: number } {
  return side === 'RIGHT'
    ? { start: hunk.newStart, count: hunk.newLines }
    : { start: hunk.oldStart, count: hunk.oldLines };
}
