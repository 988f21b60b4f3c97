import type { Anchor } from '../findings/finding.ts';
import { type ChangedFile, type Hunk, hunkLines } from '../pull-request/changed-file.ts';

/** What changed in a file since an earlier finding was made. Lines that only changed their white space did not change. */
export type NewLines = {
  /** Lines at head that were added, 1-based and inclusive, in order; blank lines left out. */
  readonly added: readonly (readonly [number, number])[];
  /** The text, without white space, of the lines that were removed. */
  readonly removed: ReadonlySet<string>;
};

export const noNewLines: NewLines = { added: [], removed: new Set() };

/** The new lines of the file that was called `path` then. Linear in the size of its diff. */
export function newLinesOf(path: string, changes: readonly ChangedFile[]): NewLines {
  const file = fileThen(path, changes);
  if (file === undefined) return noNewLines;
  const added: [number, number][] = [];
  const removed = new Set<string>();
  for (const block of file.hunks.flatMap((hunk) => [...blocksOf(hunk)])) {
    const changed = withoutKept(block);
    for (const text of changed.removed) removed.add(text);
    for (const line of changed.added) {
      const last = added.at(-1);
      if (last !== undefined && last[1] === line - 1) last[1] = line;
      else added.push([line, line]);
    }
  }
  return { added, removed };
}

/** The file that was called so before the changes. */
export function fileThen(path: string, changes: readonly ChangedFile[]): ChangedFile | undefined {
  return changes.find(({ oldPath, status }) => oldPath === path && status !== 'added' && status !== 'copied');
}

/** True when a place holds a line that was not there, or not yet removed, when the earlier finding was made. */
export function restsOnNewLine(anchor: Anchor, { added, removed }: NewLines): boolean {
  if (anchor.kind === 'file') return false;
  if (anchor.side === 'LEFT') return anchor.quote.split('\n').some((line) => removed.has(plain(line)));
  // The first range that does not end before the place. A file may have thousands of them, and as many findings.
  const next = firstWhere(added, ([, last]) => last >= anchor.startLine);
  return next !== undefined && next[0] <= anchor.endLine;
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

type Block = {
  readonly removed: string[];
  readonly added: { readonly line: number; readonly text: string }[];
};

/** Neighbouring changed lines, without the context between. */
function* blocksOf(hunk: Hunk): Generator<Block> {
  let block: Block = { removed: [], added: [] };
  for (const { kind, newLine, text } of hunkLines(hunk)) {
    if (kind === 'removed') block.removed.push(plain(text));
    else if (kind === 'added' && newLine !== null) block.added.push({ line: newLine, text: plain(text) });
    else if (block.removed.length + block.added.length > 0) {
      yield block;
      block = { removed: [], added: [] };
    }
  }
  yield block;
}

/** What is left of a block without the lines that were only indented anew: in the same order on both sides. A line that was moved is new. */
function withoutKept({ removed, added }: Block): {
  readonly removed: readonly string[];
  readonly added: readonly number[];
} {
  const places = new Map<string, number[]>();
  // Backwards, so that the first place of a text is at the end of its list.
  for (let index = removed.length - 1; index >= 0; index--) {
    const text = removed[index] ?? '';
    const list = places.get(text) ?? [];
    places.set(text, list);
    list.push(index);
  }
  const kept = new Set<number>();
  let next = 0;
  const isNew = ({ text }: Block['added'][number]) => {
    const list = places.get(text) ?? [];
    while ((list.at(-1) ?? next) < next) list.pop();
    const index = list.pop();
    if (index === undefined) return text !== '';
    kept.add(index);
    next = index + 1;
    return false;
  };
  const left = added.filter(isNew).map(({ line }) => line);
  return { added: left, removed: removed.filter((text, index) => text !== '' && !kept.has(index)) };
}

export function plain(text: string): string {
  return text.replace(/\s+/g, '');
}
