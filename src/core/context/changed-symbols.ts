import type { Definition } from '../languages/syntax.ts';
import { type ChangedFile, type Hunk, hunkLines } from '../pull-request/changed-file.ts';
import { isProsePath } from './paths.ts';
import { definitionAt, enclosingOf, receiversOf } from './scopes.ts';
import type { IndexedFile, SymbolIndex, UsedName } from './symbol-index.ts';

/** A changed file and those of its hunks that the model is shown. */
export type ShownChange = { readonly file: ChangedFile; readonly hunks: readonly Hunk[] };

export type ChangedSymbols = {
  readonly path: string;
  /** The file at head; null when the change deletes it. */
  readonly head: IndexedFile | null;
  /** What added lines use: heads and calls first, then the most used. */
  readonly used: readonly UsedName[];
  /** What the change touches: changed definitions, and those that it removes. */
  readonly defined: readonly ChangedDefinition[];
  /** Of the file; what uses its names is of the same. */
  readonly language: string;
  /** Lines at head that the diff shows. */
  readonly shown: ReadonlySet<number>;
};

/** `contract`: its head changed, or it is gone, so its callers may have to change. */
type ChangedDefinition = { readonly definition: Definition; readonly contract: boolean };

/** What a change uses and defines; null where its file is not parsed. */
export async function changedSymbols(index: SymbolIndex, change: ShownChange): Promise<ChangedSymbols | null> {
  const { file, hunks } = change;
  if (file.kind !== 'text') return null;
  const head = file.status === 'deleted' ? null : await index.file(file.path);
  if (head === null && file.status !== 'deleted') return null;
  const lines = linesOf(hunks);
  const removed = lines.removed.size === 0 ? null : await index.file(file.oldPath, 'merge-base');
  if (head === null && removed === null) return null;
  const kept = new Set(head?.syntax.definitions.map(({ name }) => name));
  const gone = removed?.syntax.definitions.filter(
    ({ name, startLine }) => lines.removed.has(startLine) && !kept.has(name),
  );
  const defined = [
    ...(head === null ? [] : touched(head, lines.touched)),
    ...(gone ?? []).map((definition) => ({ definition, contract: true })),
  ];
  return {
    path: file.path,
    head,
    used: head === null ? [] : usedNames(head, { lines: lines.added, defined }),
    defined: defined.filter(({ definition }) => definition.kind !== 'module'),
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

/** The lines that hunks show and change. */
export function linesOf(hunks: readonly Hunk[]): Lines {
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

function usedNames(
  { syntax, lines: texts }: IndexedFile,
  { lines, defined }: { lines: ReadonlySet<number>; defined: readonly ChangedDefinition[] },
): readonly UsedName[] {
  const heads = new Set<number>();
  for (const { definition } of defined) {
    for (let line = definition.startLine; line <= definition.signatureEndLine; line += 1) heads.add(line);
  }
  const uses = new Map<string, UsedName & { readonly receivers: Receiver[] }>();
  for (const { name, line, member, call } of syntax.references) {
    if (!lines.has(line)) continue;
    const known = uses.get(name) ?? { name, member: true, call: false, inHead: false, count: 0, receivers: [] };
    if (member && known.receivers.length < maxReceivers) {
      for (const receiver of receiversOf(texts[line - 1]?.text ?? '', name)) known.receivers.push({ receiver, line });
    }
    uses.set(name, {
      ...known,
      member: known.member && member,
      call: known.call || call,
      inHead: known.inHead || (!member && heads.has(line)),
      // A call says more about what a line does than a mention.
      count: known.count + (call ? 2 : 1),
    });
  }
  const weight = ({ member, call, inHead, count }: UsedName) =>
    Number(inHead) * 4 + Number(!member) * 2 + Number(call) * 3 + Math.min(count, 5) / 10;
  return [...uses.values()].sort((one, other) => weight(other) - weight(one));
}

type Receiver = UsedName['receivers'][number];
/** Of one name: they seldom differ. */
const maxReceivers = 4;

/** The innermost definition around each line, and every one whose own head is among them. */
function touched({ syntax }: IndexedFile, lines: ReadonlySet<number>): readonly ChangedDefinition[] {
  const innermost = new Set([...lines].map((line) => enclosingOf(syntax, line)));
  const isChanged = ({ startLine, signatureEndLine }: Definition) => {
    for (let line = startLine; line <= signatureEndLine; line += 1) if (lines.has(line)) return true;
    return false;
  };
  return syntax.definitions
    .map((definition) => ({ definition, contract: isChanged(definition) }))
    .filter(({ definition, contract }) => contract || innermost.has(definition));
}

/** Such as `method Cart.total`, for a heading. */
export function describeDefinition({ kind, container, name }: Definition): string {
  return `${kind} ${container === null ? '' : `${container}.`}${name}`;
}

/** Characters: a heading helps to find one's way, and is paid for in every call. */
const longest = 100;

/**
 * The hunks of a change, each headed by what its first changed line stands in at head, such as `method Cart.total`. Where the file
 * is not parsed git's own heading stays, as far as it can be one. Never throws: a heading is worth no failed review.
 */
export async function withHeadings(index: SymbolIndex | null, { file, hunks }: ShownChange): Promise<readonly Hunk[]> {
  const head = await readHead(index, file);
  return hunks.map((hunk) => ({
    ...hunk,
    heading: cut(head === null ? gitHeading(hunk, file.path) : headingIn(head, hunk)),
  }));
}

/** A changed file at head, by the same parse as the context chain's: an index reads each file once. Null for what is not parsed. */
export async function readHead(index: SymbolIndex | null, file: ChangedFile): Promise<IndexedFile | null> {
  if (index === null || file.status === 'deleted' || file.kind !== 'text') return null;
  try {
    return await index.file(file.path);
  } catch {
    // What cannot be read is reported by whoever needs it.
    return null;
  }
}

function headingIn({ syntax }: IndexedFile, hunk: Hunk): string {
  const change = firstChange(hunk);
  if (change === null) return '';
  const definition = definitionAt(syntax, change);
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
  return isProsePath(path) ? '' : heading;
}

function cut(text: string): string {
  const heading = text.replaceAll(/\s+/g, ' ').trim();
  return heading.length > longest ? `${heading.slice(0, longest - 1).trimEnd()}…` : heading;
}
