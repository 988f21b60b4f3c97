import type { Side } from '../repository/repository.ts';
import type { ChangedFile, Hunk } from './changed-file.ts';
import { changesLines } from './changed-file.ts';

/** Where GitHub accepts a review comment (FAILURES P1). A comment's first and last line must lie in the same hunk. */
export type CommentableLines = {
  /** The index of the hunk that shows a line (1-based) on a side, added, removed or context; null when none does. */
  hunkOf(side: Side, line: number): number | null;
};

/**
 * A hunk shows a gapless range of lines on each side, so its header is all that is needed. Asked by halving: a file may have thousands of
 * hunks, and as many findings.
 */
export function commentableLines(file: ChangedFile): CommentableLines {
  const ranges = rangesOf(file);
  return {
    hunkOf: (side, line) => {
      const own = ranges[side];
      let [low, high] = [0, own.length];
      while (low < high) {
        const middle = (low + high) >>> 1;
        if ((own[middle]?.end ?? 0) <= line) low = middle + 1;
        else high = middle;
      }
      const range = own[low];
      return range !== undefined && line >= range.start ? range.hunk : null;
    },
  };
}

/** `end` is the line behind the last. */
type Shown = { readonly hunk: number; readonly start: number; readonly end: number };
type Ranges = Readonly<Record<Side, readonly Shown[]>>;

/** Of each file once: every finding in it asks. */
const known = new WeakMap<ChangedFile, Ranges>();

function rangesOf(file: ChangedFile): Ranges {
  const ranges = known.get(file) ?? {
    RIGHT: shownRanges(file, ({ newStart, newLines }) => ({ start: newStart, count: newLines })),
    LEFT: shownRanges(file, ({ oldStart, oldLines }) => ({ start: oldStart, count: oldLines })),
  };
  known.set(file, ranges);
  return ranges;
}

/**
 * Those that show a line, in the order of their lines. GitHub shows no lines of what it takes for binary, nor those that Postil shows beside
 * the change.
 */
function shownRanges(
  { kind, hunks }: ChangedFile,
  rangeOf: (hunk: Hunk) => { readonly start: number; readonly count: number },
): readonly Shown[] {
  if (kind === 'binary') return [];
  return hunks
    .flatMap((hunk, index) => {
      const { start, count } = rangeOf(hunk);
      return count === 0 || !changesLines(hunk) ? [] : [{ hunk: index, start, end: start + count }];
    })
    .sort((one, other) => one.start - other.start);
}
