import type { Definition, FileSyntax } from './syntax.ts';

/** The innermost function, method or type around a 1-based line; null at the top of the file. */
export function enclosingOf(syntax: Pick<FileSyntax, 'definitions'>, line: number): Definition | null {
  const around = syntax.definitions.filter(
    ({ kind, startLine, endLine }) => holds.has(kind) && startLine <= line && line <= endLine,
  );
  // Outer ones stand before what they hold.
  return around.at(-1) ?? null;
}

/** Such as `method Cart.total`, for a heading. */
export function describeDefinition({ kind, container, name }: Definition): string {
  return `${kind} ${container === null ? '' : `${container}.`}${name}`;
}

const holds: ReadonlySet<Definition['kind']> = new Set<Definition['kind']>([
  ...(['function', 'method', 'class', 'interface', 'struct', 'trait', 'enum', 'module'] as const),
]);
