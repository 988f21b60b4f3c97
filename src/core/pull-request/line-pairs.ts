import { type ChangedFile, type Hunk, hunkLines } from './changed-file.ts';

/** A removed and an added line that read the same but for white space, in the same order on both sides. A line that was moved is in no pair. */
type LinePair = {
  readonly oldLine: number;
  readonly newLine: number;
  /** Also the white space is the same. */
  readonly exact: boolean;
};

export type PairedLine = { readonly line: number; readonly text: string; readonly pair: LinePair | null };

/** The changed lines of a file by their numbers, in order; blank ones left out. */
type PairedLines = { readonly removed: Numbered; readonly added: Numbered };
type Numbered = ReadonlyMap<number, PairedLine>;

/** Without its white space. */
export function plain(text: string): string {
  return text.replace(/\s+/g, '');
}

/** Many findings may ask for one file. Of a larger one nobody asks twice, and it would stay in memory. */
const keptLines = 100_000;
const pairedOf = new WeakMap<ChangedFile, PairedLines>();

/** Linear in the size of the diff. */
export function pairLines(file: ChangedFile): PairedLines {
  const known = pairedOf.get(file);
  if (known !== undefined) return known;
  const removed = new Map<number, PairedLine>();
  const added = new Map<number, PairedLine>();
  for (const block of file.hunks.flatMap((hunk) => [...blocksOf(hunk)])) {
    const pairs = pairsIn(block);
    const byOld = new Map(pairs.map((pair) => [pair.oldLine, pair]));
    const byNew = new Map(pairs.map((pair) => [pair.newLine, pair]));
    const filled = ({ text }: Line) => plain(text) !== '';
    for (const one of block.removed.filter(filled))
      removed.set(one.line, { ...one, pair: byOld.get(one.line) ?? null });
    for (const one of block.added.filter(filled)) added.set(one.line, { ...one, pair: byNew.get(one.line) ?? null });
  }
  const paired = { removed, added };
  if (file.additions + file.deletions <= keptLines) pairedOf.set(file, paired);
  return paired;
}

type Line = { readonly line: number; readonly text: string };
type Block = { readonly removed: Line[]; readonly added: Line[] };

/** Neighbouring changed lines, without the context between. */
function* blocksOf(hunk: Hunk): Generator<Block> {
  let block: Block = { removed: [], added: [] };
  for (const { oldLine, newLine, text } of hunkLines(hunk)) {
    if (newLine === null && oldLine !== null) block.removed.push({ line: oldLine, text });
    else if (oldLine === null && newLine !== null) block.added.push({ line: newLine, text });
    else if (block.removed.length + block.added.length > 0) {
      yield block;
      block = { removed: [], added: [] };
    }
  }
  yield block;
}

function pairsIn({ removed, added }: Block): readonly LinePair[] {
  const places = new Map<string, number[]>();
  // Backwards, so that the first place of a text is at the end of its list.
  for (let index = removed.length - 1; index >= 0; index--) {
    const text = plain(removed[index]?.text ?? '');
    const list = places.get(text) ?? [];
    places.set(text, list);
    list.push(index);
  }
  let next = 0;
  return added.flatMap((now) => {
    const list = places.get(plain(now.text)) ?? [];
    while ((list.at(-1) ?? next) < next) list.pop();
    const index = list.pop();
    const before = index === undefined ? undefined : removed[index];
    if (index === undefined || before === undefined) return [];
    next = index + 1;
    return [{ oldLine: before.line, newLine: now.line, exact: before.text === now.text }];
  });
}

/** The text of a file before its change, from the text after it; null where its hunks are not the whole change, or of another text. */
export function linesBefore(file: ChangedFile, now: readonly string[]): readonly string[] | null {
  if (file.incomplete !== null) return null;
  const before: string[] = [];
  let next = 1;
  for (const hunk of file.hunks) {
    const first = hunk.newLines === 0 ? hunk.newStart + 1 : hunk.newStart;
    for (; next < first; next += 1) before.push(now[next - 1] ?? '');
    for (const { newLine, oldLine, text } of hunkLines(hunk)) {
      if (newLine !== null && now[newLine - 1] !== text) return null;
      if (oldLine !== null) before.push(text);
    }
    next = first + hunk.newLines;
  }
  return [...before, ...now.slice(next - 1)];
}
