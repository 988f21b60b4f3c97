import type { Node, QueryCapture, QueryMatch } from 'web-tree-sitter';
import type {
  Definition,
  DefinitionKind,
  FileSyntax,
  Import,
  ImportedName,
  Reference,
} from '../../core/languages/syntax.ts';

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

/** A definition or another scope, by the characters it covers. */
type Span = {
  readonly start: number;
  readonly end: number;
  /** A function or method: what is declared in it is local. */
  readonly isFunction: boolean;
};

type CollectedDefinitions = {
  readonly definitions: readonly Definition[];
  /** Outer ones before inner ones. */
  readonly spans: readonly Span[];
  /** Where the names of the definitions start. */
  readonly names: ReadonlySet<number>;
};

/** Definitions with what they stand in. Where several patterns meet one name, the first of the query counts. */
function collectDefinitions(matches: readonly (readonly QueryCapture[])[]): CollectedDefinitions {
  const found = [...firstOfEach(matches)].sort((one, other) => one.start - other.start || other.end - one.end);
  const open: FoundName[] = [];
  const fields = new Set<string>();
  const definitions = found.flatMap((item) => {
    while (open.length > 0 && (open.at(-1)?.end ?? 0) < item.end) open.pop();
    const outer = [...open];
    if (item.kind !== 'field') open.push(item);
    if (item.kind === 'scope') return [];
    const definition = describe({ ...item, kind: item.kind }, outer);
    // A field is declared once; Python's `self.total = …` may stand in every method.
    const key = `${definition.container}.${definition.name}`;
    if (definition.kind === 'field' && fields.has(key)) return [];
    fields.add(key);
    return [definition];
  });
  return {
    definitions,
    spans: found.map(({ start, end, kind }) => ({ start, end, isFunction: kind === 'function' || kind === 'method' })),
    names: new Set(found.map(({ nameStart }) => nameStart)),
  };
}

type FoundName = {
  readonly kind: DefinitionKind | 'scope';
  readonly name: string;
  readonly nameStart: number;
  readonly receiver: string | null;
  readonly node: Node;
  readonly start: number;
  readonly end: number;
  readonly prototype: boolean;
};

const kinds: ReadonlySet<string> = new Set<DefinitionKind>([
  ...(['function', 'method', 'class', 'interface', 'struct', 'trait', 'enum'] as const),
  ...(['type', 'module', 'constant', 'variable', 'field', 'macro'] as const),
]);

function isKind(text: string): text is DefinitionKind {
  return kinds.has(text);
}

function firstOfEach(matches: readonly (readonly QueryCapture[])[]): Iterable<FoundName> {
  const byName = new Map<number, { readonly order: number; readonly found: FoundName }>();
  for (const captures of matches) {
    if (captures.length === 1) continue;
    const outer = captures.find(({ name }) => name === 'scope' || name.startsWith('definition.'));
    const name = captures.find((capture) => capture.name === 'name')?.node;
    if (outer === undefined || name === undefined) continue;
    const order = outer.patternIndex;
    const known = byName.get(name.startIndex);
    if (known !== undefined && known.order <= order) continue;
    byName.set(name.startIndex, { order, found: foundIn(captures, { outer, name }) });
  }
  return [...byName.values()].map(({ found }) => found);
}

function foundIn(captures: readonly QueryCapture[], { outer, name }: { outer: QueryCapture; name: Node }): FoundName {
  const [, kind = '', form] = outer.name.split('.');
  return {
    kind: isKind(kind) ? kind : 'scope',
    // A symbol of Ruby stands with its colon.
    name: name.text.replace(/^:/, ''),
    nameStart: name.startIndex,
    // Without the parameters of a template.
    receiver: captures.find((capture) => capture.name === 'receiver')?.node.text.replace(/<.*/s, '') ?? null,
    node: outer.node,
    start: outer.node.startIndex,
    end: outer.node.endIndex,
    prototype: form === 'prototype',
  };
}

const typeKinds: ReadonlySet<string> = new Set(['class', 'interface', 'struct', 'trait', 'enum', 'scope']);

function describe(found: FoundName & { readonly kind: DefinitionKind }, outer: readonly FoundName[]): Definition {
  const { name, kind, node, receiver, prototype } = found;
  const around = kind === 'field' ? withoutFunctions(outer) : outer;
  const container = [...around.map((each) => each.name), ...(receiver === null ? [] : [receiver])].join('.');
  const inType = typeKinds.has(outer.at(-1)?.kind ?? '');
  const startLine = node.startPosition.row + 1;
  const endLine = lastLine(node);
  return {
    name,
    kind: kind === 'function' && inType ? 'method' : kind,
    container: container === '' ? null : container,
    startLine,
    signatureEndLine: Math.min(Math.max(signatureEnd(node), startLine), endLine),
    endLine,
    ...(prototype ? { prototype } : {}),
  };
}

/** Python's `self.total = …` and PHP's promoted parameters declare fields of the type around the method. */
function withoutFunctions(outer: readonly FoundName[]): readonly FoundName[] {
  const type = outer.findLastIndex(({ kind }) => typeKinds.has(kind));
  return type === -1 ? outer : outer.slice(0, type + 1);
}

/** A node that ends with its line ends at the beginning of the next. */
function lastLine(node: Node): number {
  const { row, column } = node.endPosition;
  return column === 0 && row > node.startPosition.row ? row : row + 1;
}

/** The line before the body where the body has lines of its own, as in Python or with a brace below; else the brace's line. */
function signatureEnd(node: Node): number {
  const body = bodyOf(node);
  if (body === null) return lastLine(node);
  const { row } = body.startPosition;
  const before = body.previousSibling ?? body.parent?.previousSibling ?? null;
  return before !== null && before.endPosition.row < row ? row : row + 1;
}

function bodyOf(node: Node): Node | null {
  const own = node.childForFieldName('body');
  if (own !== null) return own;
  for (const field of ['value', 'right', 'type']) {
    const body = node.childForFieldName(field)?.childForFieldName('body') ?? null;
    if (body !== null) return body;
  }
  return null;
}
