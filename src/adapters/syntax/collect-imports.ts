import type { QueryCapture } from 'web-tree-sitter';
import type { Import, ImportedName } from '../../core/context/syntax.ts';

/** One import for each source that a line names, with all names that it brings. */
export function collectImports(matches: readonly (readonly QueryCapture[])[]): readonly Import[] {
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
