import type { QueryCapture } from 'web-tree-sitter';
import type { Import, Reference } from '../../core/context/syntax.ts';
import type { Span } from './collect-definitions.ts';

type Declared = {
  readonly spans: readonly Span[];
  /** Where names of definitions start: they are no uses. */
  readonly names: ReadonlySet<number>;
  readonly imports: readonly Import[];
};

/** Every use of a name but those of parameters and local variables, in the order of the file. */
export function collectReferences(captures: readonly QueryCapture[], declared: Declared): readonly Reference[] {
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
