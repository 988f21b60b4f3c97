import { estimateTokens } from '../agent/estimate.ts';
import type { Definition } from '../languages/syntax.ts';
import type { Hunk } from '../pull-request/changed-file.ts';
import type { ShownLine } from '../repository/shown.ts';
import { cutLine, groupBy } from '../text.ts';
import { describeDefinition, linesOf, readHead, type ShownChange } from './changed-symbols.ts';
import { localNames } from './resolve-import.ts';
import { definitionAt } from './scopes.ts';
import type { IndexedFile, SymbolIndex } from './symbol-index.ts';

/** A longer definition is shown by its head and the lines around its changes. Lines. */
const maxWhole = 200;
const maxHead = 8;
const around = 12;
/** Of the tokens, for the imports behind the names on the lines that are shown. */
const importShare = 0.1;

/** Characters: a longer line is cut, or data on a single one would take the room of all others. */
const maxLineCharacters = 300;
/** Numbers and sign. */
const tokensOfGutter = 3;

export type Surroundings<Change> = {
  readonly changes: readonly Change[];
  /** That the lines around the hunks take. */
  readonly tokens: number;
  /** Changed definitions that are not shown whole, such as `src/cart.ts:12-200 method Cart.total`. */
  readonly left: readonly string[];
};

/**
 * The changes with hunks that reach over the whole definitions that they change, and over the imports that these use: unchanged lines
 * in the diff itself, so that no line is shown twice. What takes the fewest tokens for each changed line comes first.
 */
export async function withSurroundings<Change extends ShownChange>(
  index: SymbolIndex | null,
  changes: readonly Change[],
  maxTokens: number,
): Promise<Surroundings<Change>> {
  const files = [];
  for (const change of changes)
    files.push({ change, head: await readHead(index, change.file), lines: new Set<number>() });
  const blocks = files.flatMap(({ change, head, lines }) => (head === null ? [] : blocksOf(change, { head, lines })));
  const left: string[] = [];
  let room = maxTokens;
  for (const block of blocks.toSorted((one, other) => one.worth - other.worth)) {
    const fitting = [block.whole, block.part].find((piece) => costOf(block, piece) <= room);
    if ((fitting?.length ?? 0) < block.missing) left.push(placeOf(block));
    if (fitting === undefined) continue;
    room -= costOf(block, fitting);
    for (const line of fitting) block.lines.add(line);
  }
  let importRoom = Math.min(room, maxTokens * importShare);
  for (const { change, head, lines } of files) {
    if (head === null) continue;
    for (const statement of usedImports(change, { head, lines })) {
      const fresh = statement.filter((line) => !lines.has(line));
      const cost = costOf({ head }, fresh);
      if (cost > importRoom) continue;
      importRoom -= cost;
      room -= cost;
      for (const line of fresh) lines.add(line);
    }
  }
  return {
    changes: files.map(({ change, head, lines }) =>
      head === null || lines.size === 0 ? change : { ...change, hunks: spliced(change, { head, lines }) },
    ),
    tokens: maxTokens - room,
    left,
  };
}

/** A changed definition, and the lines of it that the hunks leave out. */
type Block = {
  readonly head: IndexedFile;
  readonly definition: Definition;
  /** That are added to its file. */
  readonly lines: Set<number>;
  readonly missing: number;
  /** All of them; for a long definition the same as `part`. */
  readonly whole: readonly number[];
  /** Its head and what stands next to its changes. */
  readonly part: readonly number[];
  /** Tokens for each changed line: the fewer the better. */
  readonly worth: number;
};

type ReadFile = { readonly head: IndexedFile; readonly lines: Set<number> };

function blocksOf({ file, hunks }: ShownChange, { head, lines }: ReadFile): readonly Block[] {
  const changed = linesOf(hunks);
  const taken = new Set([...linesOf(file.hunks).shown, ...changed.shown]);
  const touched = groupBy(changed.touched, (line) =>
    definitionAt(head.syntax, { line, added: changed.added.has(line) }),
  );
  return [...touched].flatMap(([definition, at]) => {
    if (definition === null) return [];
    const { startLine, signatureEndLine, endLine } = definition;
    const missing = (from: number, to: number) => range(from, to).filter((line) => !taken.has(line));
    const near = at.flatMap((line) => missing(Math.max(startLine, line - around), Math.min(endLine, line + around)));
    const part = [...new Set([...missing(startLine, Math.min(signatureEndLine, startLine + maxHead - 1)), ...near])];
    const all = missing(startLine, endLine);
    const whole = endLine - startLine < maxWhole ? all : part;
    return { head, definition, lines, missing: all.length, whole, part, worth: costOf({ head }, whole) / at.length };
  });
}

function range(from: number, to: number): readonly number[] {
  return Array.from({ length: Math.max(0, to - from + 1) }, (_, at) => from + at);
}

function costOf({ head }: Pick<Block, 'head'>, lines: readonly number[]): number {
  return lines.reduce((sum, line) => sum + tokensOfGutter + estimateTokens(textOf(head.lines[line - 1])), 0);
}

function textOf(line: ShownLine | undefined): string {
  return cutLine(line?.text ?? '', maxLineCharacters);
}

function placeOf({ head, definition }: Block): string {
  return `${head.path}:${definition.startLine}-${definition.endLine} ${describeDefinition(definition)}`;
}

/** The statements that import what shown lines use, those of changed lines first; each by its lines. */
function usedImports({ file, hunks }: ShownChange, { head, lines }: ReadFile): readonly (readonly number[])[] {
  const { added, shown } = linesOf(hunks);
  const taken = new Set([...linesOf(file.hunks).shown, ...shown]);
  const usedOn = (at: ReadonlySet<number>) =>
    new Set(head.syntax.references.filter(({ line }) => at.has(line)).map(({ name }) => name));
  const [first, second] = [usedOn(added), usedOn(new Set([...shown, ...lines]))];
  const imports = [first, second].flatMap((names) =>
    head.syntax.imports.filter((each) => localNames(each).some((name) => names.has(name))),
  );
  return [...new Set(imports)].map(({ line }) => statementLines(head.lines, line).filter((each) => !taken.has(each)));
}

/** Of one import. */
const maxImportLines = 12;

function statementLines(lines: readonly ShownLine[], line: number): readonly number[] {
  const textAt = (at: number) => lines[at - 1]?.text ?? '';
  let [start, end] = [line, line];
  if (/^\s*[)}\]]/.test(textAt(line))) {
    while (start > 1 && line - start < maxImportLines && !/[({[]\s*$/.test(textAt(start))) start -= 1;
  }
  if (/[({[]\s*$/.test(textAt(line))) {
    while (end < lines.length && end - line < maxImportLines && !/[)}\]]\s*;?$/.test(textAt(end).trimEnd())) end += 1;
  }
  return range(start, end);
}

/** The hunks with these lines, in hunks of their own where they touch none. */
function spliced({ file, hunks }: ShownChange, { head, lines }: ReadFile): readonly Hunk[] {
  const pieces = [...hunks, ...runsOf(lines).map(([start, end]) => unchanged(start, { end, head, hunks: file.hunks }))];
  const joined: Hunk[] = [];
  for (const hunk of pieces.toSorted((one, other) => one.newStart - other.newStart)) {
    const last = joined.at(-1);
    if (last === undefined || !follows(last, hunk)) joined.push(hunk);
    else joined[joined.length - 1] = join(last, hunk);
  }
  return joined;
}

function runsOf(lines: ReadonlySet<number>): readonly (readonly [start: number, end: number])[] {
  const sorted = [...lines].sort((one, other) => one - other);
  const starts = sorted.filter((line) => !lines.has(line - 1));
  const ends = sorted.filter((line) => !lines.has(line + 1));
  return starts.map((start, at) => [start, ends[at] ?? start]);
}

function unchanged(start: number, file: { end: number; head: IndexedFile; hunks: readonly Hunk[] }): Hunk {
  const { end, head, hunks } = file;
  const before = hunks.findLast(({ newStart }) => newStart <= start);
  const [first] = hunks;
  const moved =
    before === undefined
      ? (first?.oldStart ?? 0) - (first?.newStart ?? 0)
      : before.oldStart + before.oldLines - before.newStart - before.newLines;
  const lines = head.lines.slice(start - 1, end).map((line) => ` ${textOf(line)}`);
  const count = lines.length;
  return { oldStart: start + moved, oldLines: count, newStart: start, newLines: count, heading: '', lines };
}

function follows(last: Hunk, next: Hunk): boolean {
  const isBehind = (start: number, count: number, at: number) => count > 0 && start + count === at;
  return (
    isBehind(last.newStart, last.newLines, next.newStart) &&
    isBehind(last.oldStart, last.oldLines, next.oldStart) &&
    next.newLines > 0 &&
    next.oldLines > 0
  );
}

function join(one: Hunk, other: Hunk): Hunk {
  return {
    ...one,
    oldLines: one.oldLines + other.oldLines,
    newLines: one.newLines + other.newLines,
    heading: one.heading === '' ? other.heading : one.heading,
    lines: [...one.lines, ...other.lines],
  };
}
