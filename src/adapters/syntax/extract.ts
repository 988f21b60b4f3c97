import type { QueryCapture, QueryMatch } from 'web-tree-sitter';
import type { FileSyntax, Import, ImportedName, Reference } from '../../core/languages/syntax.ts';
import { collectDefinitions, type Span } from './definitions.ts';

type Extracted = Pick<FileSyntax, 'definitions' | 'references' | 'imports'> & {
  /** Characters of the text that the parser could make nothing of. */
  readonly errorCharacters: number;
};

/**
 * What a query found, by the names of its captures: `definition.<kind>`, or `definition.<kind>.prototype` without a body, with `name`
 * (and `receiver`, the type that a method stands outside of), `scope`, `import` with `source`; `local`, `ignored`, and the kinds of use.
 */
export function extractSyntax(matches: readonly QueryMatch[]): Extracted {
  const captures = matches.map((match) => match.captures);
  const { definitions, spans, names } = collectDefinitions(captures);
  const imports = collectImports(captures);
  const singles = captures.flatMap((match) => (match.length === 1 ? match : match.filter(isSingle)));
  const references = collectReferences(singles, { spans, names, imports });
  return { definitions, references, imports, errorCharacters: errorCharacters(singles) };
}

/** Captures that mean something alone, without the others of their pattern. */
function isSingle({ name }: QueryCapture): boolean {
  return name === 'local' || name === 'ignored' || name === 'call' || name === 'call.member';
}

function errorCharacters(captures: readonly QueryCapture[]): number {
  let characters = 0;
  let end = 0;
  for (const { name, node } of captures) {
    // Errors inside an error are in its extent already.
    if (name !== 'error' || node.startIndex < end) continue;
    end = node.endIndex;
    characters += end - node.startIndex;
  }
  return characters;
}

type Declared = {
  readonly spans: readonly Span[];
  /** Where names of definitions start: they are no uses. */
  readonly names: ReadonlySet<number>;
  readonly imports: readonly Import[];
};

/** Every use of a name but those of parameters and local variables, in the order of the file. */
function collectReferences(captures: readonly QueryCapture[], declared: Declared): readonly Reference[] {
  const uses = usesByPlace(captures, declared.names);
  const locals = localScopes(captures, declared);
  return [...uses]
    .sort(([one], [other]) => one - other)
    .filter(([start, { name, member }]) => member || !isLocal(locals.get(name) ?? [], start))
    .map(([, { name, line, call, member }]) => ({ name, line, call, member }));
}

type Use = Reference & { readonly rank: number };

// The more a pattern says, the more it counts: a call's name is also a plain identifier to the last pattern.
const roles: ReadonlyMap<string, { readonly call: boolean; readonly member: boolean; readonly rank: number }> = new Map(
  [
    ['call.member', { call: true, member: true, rank: 4 }],
    ['call', { call: true, member: false, rank: 3 }],
    ['member', { call: false, member: true, rank: 2 }],
    ['use', { call: false, member: false, rank: 1 }],
  ],
);

function usesByPlace(captures: readonly QueryCapture[], names: ReadonlySet<number>): ReadonlyMap<number, Use> {
  const uses = new Map<number, Use>();
  const noUses = new Set(names);
  for (const { name, node } of captures) {
    if (name === 'local' || name === 'ignored') noUses.add(node.startIndex);
    const role = roles.get(name);
    if (role === undefined || (uses.get(node.startIndex)?.rank ?? 0) >= role.rank) continue;
    uses.set(node.startIndex, { ...role, name: node.text, line: node.startPosition.row + 1 });
  }
  for (const start of noUses) uses.delete(start);
  return uses;
}

type Scope = Pick<Span, 'start' | 'end'>;

const wholeFile: Scope = { start: 0, end: Number.POSITIVE_INFINITY };

/** Where each local name holds: in the innermost function around its declaration, else in the whole file. */
function localScopes(captures: readonly QueryCapture[], { spans, names, imports }: Declared): Map<string, Scope[]> {
  const functions = spans.filter(({ isFunction }) => isFunction);
  const imported = new Set(imports.flatMap((each) => each.names.map(({ local }) => local)));
  const scopes = new Map<string, Scope[]>();
  const open: Scope[] = [];
  let next = 0;
  const locals = captures.filter(({ name, node }) => name === 'local' && !names.has(node.startIndex));
  for (const { node } of locals.sort((one, other) => one.node.startIndex - other.node.startIndex)) {
    for (let scope = functions[next]; scope !== undefined && scope.start <= node.startIndex; scope = functions[next]) {
      open.push(scope);
      next += 1;
    }
    while (open.length > 0 && (open.at(-1)?.end ?? 0) <= node.startIndex) open.pop();
    const scope = open.at(-1) ?? wholeFile;
    // `const { tax } = require('./tax')` at the top declares what it imports.
    if (scope === wholeFile && imported.has(node.text)) continue;
    const known = scopes.get(node.text);
    if (known === undefined) scopes.set(node.text, [scope]);
    else if (!known.includes(scope)) known.push(scope);
  }
  return scopes;
}

function isLocal(scopes: readonly Scope[], at: number): boolean {
  return scopes.some(({ start, end }) => start <= at && at < end);
}

/** One import for each source that a line names, with all names that it brings. */
function collectImports(matches: readonly (readonly QueryCapture[])[]): readonly Import[] {
  const imports = new Map<string, { readonly source: string; readonly line: number; readonly names: ImportedName[] }>();
  for (const captures of matches) {
    const source = captures.find(({ name }) => name === 'source')?.node;
    if (source === undefined) continue;
    const line = source.startPosition.row + 1;
    const text = unquoted(source.text);
    const key = `${source.startIndex} ${text}`;
    const known = imports.get(key) ?? { source: text, line, names: [] };
    imports.set(key, known);
    const name = importedName(captures);
    if (name !== null && !known.names.some(({ local }) => local === name.local)) known.names.push(name);
  }
  return [...imports.values()].sort((one, other) => one.line - other.line);
}

function unquoted(text: string): string {
  return text.replace(/^["'<]|["'>]$/g, '').replace(/\s+/g, ' ');
}

function importedName(captures: readonly QueryCapture[]): ImportedName | null {
  const textOf = (wanted: string) => captures.find(({ name }) => name === wanted)?.node.text ?? null;
  const [whole, usual, name] = [textOf('namespace'), textOf('default'), textOf('imported')];
  if (whole !== null) return { name: '*', local: whole };
  if (usual !== null) return { name: 'default', local: usual };
  return name === null ? null : { name, local: textOf('alias') ?? name };
}
