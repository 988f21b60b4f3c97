import type { Anchor } from '../findings/finding.ts';
import { isSameCode, type Sides } from '../languages/same-code.ts';
import type { ChangedFile } from '../pull-request/changed-file.ts';
import { type PairedLine, pairLines, plain } from '../pull-request/line-pairs.ts';
import { placeOfMove } from '../pull-request/select-files.ts';

/** What changed in a file since an earlier finding was made. */
export type NewLines = Changed & {
  /** Lines of which only the white space changed, and no parse proves that they are the same code; left out where there are none. */
  readonly spaced?: Changed;
  /** Where the file was moved to, or became a program, the same text may mean something else. */
  readonly elsewhere?: true;
};

type Changed = {
  /** Lines at head that were added, 1-based and inclusive, in order; blank lines left out. */
  readonly added: readonly (readonly [number, number])[];
  /** The text, without white space, of the lines that were removed. */
  readonly removed: ReadonlySet<string>;
};

export const noNewLines: NewLines = { added: [], removed: new Set() };

/** The new lines of the file that was called `path` then; `sides` can prove that white space is layout. Linear in the size of its diff. */
export function newLinesOf(path: string, changes: readonly ChangedFile[], sides: Sides | null = null): NewLines {
  const file = fileThen(path, changes);
  return file === undefined ? noNewLines : newLinesIn(file, sides);
}

export function newLinesIn(file: ChangedFile, sides: Sides | null = null): NewLines {
  const lines = pairLines(file);
  const changed = changedLines(lines, ({ pair }) => pair === null);
  const spaced = changedLines(
    lines,
    ({ pair }) => pair?.exact === false && !isSameCode(sides, pair.oldLine, pair.newLine),
  );
  const elsewhere = placeOfMove(file) === 'elsewhere' ? ({ elsewhere: true } as const) : {};
  return { ...changed, ...elsewhere, ...(spaced.removed.size === 0 ? {} : { spaced }) };
}

function changedLines(
  { removed, added: addedLines }: ReturnType<typeof pairLines>,
  isMeant: (line: PairedLine) => boolean,
): Changed {
  const added: [number, number][] = [];
  for (const { line } of [...addedLines.values()].filter(isMeant)) {
    const last = added.at(-1);
    if (last !== undefined && last[1] === line - 1) last[1] = line;
    else added.push([line, line]);
  }
  return { added, removed: new Set([...removed.values()].filter(isMeant).map(({ text }) => plain(text))) };
}

/** The file that was called so before the changes. */
export function fileThen(path: string, changes: readonly ChangedFile[]): ChangedFile | undefined {
  return changes.find(({ oldPath, status }) => oldPath === path && status !== 'added' && status !== 'copied');
}

/** True when a place holds a line that was not there, or not yet removed, when the earlier finding was made. */
export function restsOnNewLine(anchor: Anchor, { added, removed }: Changed): boolean {
  if (anchor.kind === 'file') return false;
  if (anchor.side === 'LEFT') return anchor.quote.split('\n').some((line) => removed.has(plain(line)));
  // The first range that does not end before the place. A file may have thousands of them, and as many findings.
  const next = firstWhere(added, ([, last]) => last >= anchor.startLine);
  return next !== undefined && next[0] <= anchor.endLine;
}

/** The same without the lines of a place: they are known. */
export function withoutLines(lines: NewLines, anchor: Anchor): NewLines {
  if (anchor.kind === 'file') return lines;
  const { side, startLine, endLine, quote } = anchor;
  if (side === 'LEFT') {
    const known = new Set(quote.split('\n').map(plain));
    return { ...lines, removed: new Set([...lines.removed].filter((line) => !known.has(line))) };
  }
  const added = lines.added.flatMap(([first, last]): readonly (readonly [number, number])[] => {
    const before = [first, Math.min(last, startLine - 1)] as const;
    const after = [Math.max(first, endLine + 1), last] as const;
    return [before, after].filter(([from, to]) => from <= to);
  });
  return { ...lines, added };
}

/** True when the white space of a line changed since the earlier finding, or the file was moved: it may do something else now. */
export function mayDoOtherwise(anchor: Anchor, { spaced = noNewLines, elsewhere }: NewLines): boolean {
  return elsewhere === true || restsOnNewLine(anchor, spaced);
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
