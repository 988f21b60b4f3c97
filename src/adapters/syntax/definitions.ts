import type { Node, QueryCapture } from 'web-tree-sitter';
import type { Definition, DefinitionKind } from '../../core/languages/syntax.ts';

/** A definition or another scope, by the characters it covers. */
export type Span = {
  readonly start: number;
  readonly end: number;
  /** A function or method: what is declared in it is local. */
  readonly isFunction: boolean;
};

export type CollectedDefinitions = {
  readonly definitions: readonly Definition[];
  /** Outer ones before inner ones. */
  readonly spans: readonly Span[];
  /** Where the names of the definitions start. */
  readonly names: ReadonlySet<number>;
};

/** Definitions with what they stand in. Where several patterns meet one name, the first of the query counts. */
export function collectDefinitions(matches: readonly (readonly QueryCapture[])[]): CollectedDefinitions {
  const found = [...firstOfEach(matches)].sort((one, other) => one.start - other.start || other.end - one.end);
  const open: Found[] = [];
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

type Found = {
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

function firstOfEach(matches: readonly (readonly QueryCapture[])[]): Iterable<Found> {
  const byName = new Map<number, { readonly order: number; readonly found: Found }>();
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

function foundIn(captures: readonly QueryCapture[], { outer, name }: { outer: QueryCapture; name: Node }): Found {
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

function describe(found: Found & { readonly kind: DefinitionKind }, outer: readonly Found[]): Definition {
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
function withoutFunctions(outer: readonly Found[]): readonly Found[] {
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
