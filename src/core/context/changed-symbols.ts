import type { Definition, FileSyntax, Reference } from '../languages/syntax.ts';
import { type ChangedFile, type Hunk, hunkLines } from '../pull-request/changed-file.ts';
import type { IndexedFile, SymbolIndex, UsedName } from './symbol-index.ts';

/** A changed file and those of its hunks that the model is shown. */
export type ShownChange = { readonly file: ChangedFile; readonly hunks: readonly Hunk[] };

export type ChangedSymbols = {
  readonly path: string;
  /** The file at head; null when the change deletes it. */
  readonly head: IndexedFile | null;
  /** What added lines use, the most used first. */
  readonly used: readonly UsedName[];
  /** What the change touches: changed definitions, and those that it removes. */
  readonly defined: readonly Definition[];
  /** Of the file; what uses its names is of the same. */
  readonly language: string;
  /** Lines at head that the diff shows. */
  readonly shown: ReadonlySet<number>;
};

/** What a change uses and defines; null where its file cannot be read. */
export async function changedSymbols(index: SymbolIndex, change: ShownChange): Promise<ChangedSymbols | null> {
  const { file, hunks } = change;
  if (file.kind !== 'text') return null;
  const head = file.status === 'deleted' ? null : await index.file(file.path);
  const lines = linesOf(hunks);
  const removed = lines.removed.size === 0 ? null : await index.file(file.oldPath, 'merge-base');
  if (head === null && removed === null) return null;
  const kept = new Set(head?.syntax.definitions.map(({ name }) => name));
  return {
    path: file.path,
    head,
    used: head === null ? [] : usedNames(head.syntax.references.filter(({ line }) => lines.added.has(line))),
    defined: [
      ...(head === null ? [] : touched(head, lines.touched)),
      ...(removed?.syntax.definitions.filter(
        ({ name, startLine }) => lines.removed.has(startLine) && !kept.has(name),
      ) ?? []),
    ].filter(({ kind }) => kind !== 'module'),
    language: (head ?? removed)?.syntax.language ?? '',
    shown: lines.shown,
  };
}

type Lines = {
  readonly shown: Set<number>;
  readonly added: Set<number>;
  /** Added lines, and the first line behind removed ones. */
  readonly touched: Set<number>;
  /** Of the old side. */
  readonly removed: Set<number>;
};

function linesOf(hunks: readonly Hunk[]): Lines {
  const lines: Lines = { shown: new Set(), added: new Set(), touched: new Set(), removed: new Set() };
  for (const hunk of hunks) {
    let next = hunk.newStart;
    for (const { kind, newLine, oldLine } of hunkLines(hunk)) {
      if (kind === 'removed') {
        if (oldLine !== null) lines.removed.add(oldLine);
        lines.touched.add(next);
      }
      if (newLine === null) continue;
      next = newLine + 1;
      lines.shown.add(newLine);
      if (kind !== 'added') continue;
      lines.added.add(newLine);
      lines.touched.add(newLine);
    }
  }
  return lines;
}

function usedNames(references: readonly Reference[]): readonly UsedName[] {
  const uses = new Map<string, { count: number; member: boolean }>();
  for (const { name, member, call } of references) {
    const known = uses.get(name) ?? { count: 0, member: true };
    // A call says more about what a line does than a mention.
    uses.set(name, { count: known.count + (call ? 2 : 1), member: known.member && member });
  }
  return [...uses]
    .sort(([, one], [, other]) => Number(one.member) - Number(other.member) || other.count - one.count)
    .map(([name, { member }]) => ({ name, member }));
}

/** The innermost definition around each line, and every one whose own head is among them. */
function touched({ syntax }: IndexedFile, lines: ReadonlySet<number>): readonly Definition[] {
  const innermost = new Set([...lines].map((line) => enclosingOf(syntax, line)));
  return syntax.definitions.filter((definition) => {
    if (innermost.has(definition)) return true;
    for (let line = definition.startLine; line <= definition.signatureEndLine; line += 1) {
      if (lines.has(line)) return true;
    }
    return false;
  });
}

/** The innermost function, method or type around a 1-based line; null at the top of the file. */
export function enclosingOf({ definitions }: Pick<FileSyntax, 'definitions'>, line: number): Definition | null {
  const known = innermost.get(definitions) ?? innermostByLine(definitions);
  innermost.set(definitions, known);
  return known.get(line) ?? null;
}

/** The same among what begins before the line. */
function enclosingBefore({ definitions }: Pick<FileSyntax, 'definitions'>, line: number): Definition | null {
  const around = ({ kind, startLine, endLine }: Definition) => holds.has(kind) && startLine < line && line <= endLine;
  // Outer ones stand before what they hold.
  return definitions.findLast(around) ?? null;
}

type ByLine = ReadonlyMap<number, Definition>;

/** Of each file once: every changed line of it asks, and a file may define something on each of a hundred thousand lines. */
const innermost = new WeakMap<readonly Definition[], ByLine>();

/** From the last definition, so that each line is given away once: outer ones stand before what they hold. */
function innermostByLine(definitions: readonly Definition[]): ByLine {
  const found = new Map<number, Definition>();
  const nextFree = freeLines();
  for (const definition of definitions.toReversed()) {
    if (!holds.has(definition.kind)) continue;
    for (let line = nextFree(definition.startLine); line <= definition.endLine; line = nextFree(line)) {
      found.set(line, definition);
      nextFree.take(line);
    }
  }
  return found;
}

/** The first line from this one on that was not taken. Ways that were gone once are cut short. */
function freeLines(): ((line: number) => number) & { readonly take: (line: number) => void } {
  const after = new Map<number, number>();
  const nextFree = (line: number): number => {
    let free = line;
    for (let next = after.get(free); next !== undefined; next = after.get(free)) free = next;
    for (let at = line; at !== free; ) {
      const next = after.get(at) ?? free;
      after.set(at, free);
      at = next;
    }
    return free;
  };
  return Object.assign(nextFree, { take: (line: number) => void after.set(line, line + 1) });
}

/** Such as `method Cart.total`, for a heading. */
export function describeDefinition({ kind, container, name }: Definition): string {
  return `${kind} ${container === null ? '' : `${container}.`}${name}`;
}

const holds: ReadonlySet<Definition['kind']> = new Set<Definition['kind']>([
  ...(['function', 'method', 'class', 'interface', 'struct', 'trait', 'enum', 'module'] as const),
]);

/** Characters: a heading helps to find one's way, and is paid for in every call. */
const longest = 100;

/**
 * The hunks of a change, each headed by what its first changed line stands in at head, such as `method Cart.total`. Where the file
 * is not parsed git's own heading stays, as far as it can be one. Never throws: a heading is worth no failed review.
 */
export async function withHeadings(index: SymbolIndex | null, { file, hunks }: ShownChange): Promise<readonly Hunk[]> {
  const head = file.status === 'deleted' || file.kind !== 'text' ? null : await parsed(index, file.path);
  return hunks.map((hunk) => ({
    ...hunk,
    heading: cut(head === null ? gitHeading(hunk, file.path) : headingIn(head, hunk)),
  }));
}

/** The same parse as the context chain's: an index reads each file once. Null without a parser for the language. */
async function parsed(index: SymbolIndex | null, path: string): Promise<IndexedFile | null> {
  if (index === null || !index.knows(path)) return null;
  try {
    const file = await index.file(path);
    return file?.syntax.by === 'parser' ? file : null;
  } catch {
    // What cannot be read is reported by whoever needs it.
    return null;
  }
}

function headingIn({ syntax }: IndexedFile, hunk: Hunk): string {
  const change = firstChange(hunk);
  if (change === null) return '';
  // Removed lines stood before this one: what only begins here did not hold them.
  const definition = (change.added ? enclosingOf : enclosingBefore)(syntax, change.line);
  return definition === null ? '' : describeDefinition(definition);
}

/** The first added line of the first changed lines; where they are only removed the line at head that follows them. */
function firstChange(hunk: Hunk): { readonly line: number; readonly added: boolean } | null {
  // An empty side begins behind the line that git names.
  let next = hunk.newLines === 0 ? hunk.newStart + 1 : hunk.newStart;
  let removed = false;
  for (const { kind, newLine } of hunkLines(hunk)) {
    if (kind === 'added') return { line: newLine ?? next, added: true };
    if (kind === 'context' && removed) break;
    if (kind === 'removed') removed = true;
    else next = (newLine ?? next) + 1;
  }
  return removed ? { line: next, added: false } : null;
}

/** In prose git takes any line that begins with a letter. */
function gitHeading({ heading }: Hunk, path: string): string {
  return /\.(?:md|mdx|markdown|txt|rst|adoc)$/i.test(path) ? '' : heading;
}

function cut(text: string): string {
  const heading = text.replaceAll(/\s+/g, ' ').trim();
  return heading.length > longest ? `${heading.slice(0, longest - 1).trimEnd()}…` : heading;
}
