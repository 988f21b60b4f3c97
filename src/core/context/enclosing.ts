import type { Definition, FileSyntax } from './syntax.ts';

/** The innermost function, method or type around a 1-based line; null at the top of the file. */
export function enclosingOf({ definitions }: Pick<FileSyntax, 'definitions'>, line: number): Definition | null {
  const known = innermost.get(definitions) ?? innermostByLine(definitions);
  innermost.set(definitions, known);
  return known.get(line) ?? null;
}

/** The same among what begins before the line. */
export function enclosingBefore({ definitions }: Pick<FileSyntax, 'definitions'>, line: number): Definition | null {
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
