import { type ChangedFile, type Hunk, hunkLines } from '../pull-request/changed-file.ts';
import { enclosingOf } from './enclosing.ts';
import type { IndexedFile } from './indexed-files.ts';
import type { SymbolIndex } from './symbol-index.ts';
import type { Definition, Reference } from './syntax.ts';
import type { UsedName } from './used-name.ts';

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
