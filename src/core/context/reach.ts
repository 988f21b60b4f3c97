import type { IndexedFile } from './indexed-files.ts';
import { resolveImport } from './resolve-import.ts';
import type { SymbolIndex } from './symbol-index.ts';
import type { UsedName } from './used-name.ts';

/** Languages in which a name is defined in the file, imported by name, or the language's own. */
export const byImport: ReadonlySet<string> = new Set(['ecmascript', 'python']);

/**
 * Whether a name that a file uses and that neither the file nor its imports define may be defined elsewhere in the repository. A
 * name from a library, or of the language itself, would only find namesakes.
 */
export async function reachFrom(index: SymbolIndex, from: IndexedFile): Promise<(used: UsedName) => boolean> {
  const { imports, language } = from.syntax;
  if (!byImport.has(language)) return () => true;
  const paths = await index.paths();
  // An alias or a package with a scope may be part of the same repository, though its path does not tell where.
  const unresolved = imports.filter(
    (each) =>
      !isLibrary(each.source, language) && resolveImport(each, { path: from.path, language }, paths).length === 0,
  );
  const names = new Set(unresolved.flatMap((each) => each.names.map(({ local }) => local)));
  return ({ name, member }) => member || names.has(name);
}

function isLibrary(source: string, language: string): boolean {
  return language === 'python' ? !source.startsWith('.') : /^[a-z]/.test(source);
}
