import type { FileSyntax } from '../../../src/core/languages/syntax.ts';

/** Everything a parse found, to be read in a snapshot: `call()`, `.member`, `head-end` of lines. */
export function renderSyntax(syntax: FileSyntax | null): string {
  if (syntax === null) return 'not parsed\n';
  const definitions = syntax.definitions.map(
    ({ kind, container, name, prototype, startLine, signatureEndLine, endLine }) => {
      const lines = [startLine, signatureEndLine, endLine].join('-');
      return `${lines.padEnd(9)} ${kind} ${container === null ? '' : `${container} › `}${name}${prototype === true ? ', a prototype' : ''}`;
    },
  );
  const uses = new Map<number, string[]>();
  for (const { line, name, call, member } of syntax.references) {
    uses.set(line, [...(uses.get(line) ?? []), `${member ? '.' : ''}${name}${call ? '()' : ''}`]);
  }
  const imports = syntax.imports.map(({ line, source, names }) => {
    const local = names.map(({ name, local }) => (name === local ? name : `${name} as ${local}`));
    return `${line} ${source}${local.length === 0 ? '' : ` { ${local.join(', ')} }`}`;
  });
  return [
    `${syntax.language}, by ${syntax.by}`,
    ...['', 'Definitions (first line, end of the head, last line)', ...definitions],
    ...['', 'Uses', ...[...uses].map(([line, names]) => `${line}: ${names.join(' ')}`)],
    ...['', 'Imports', ...imports, ''],
  ].join('\n');
}
