import type { IndexedFile } from './indexed-files.ts';
import { resolveImport } from './resolve-import.ts';
import type { SymbolIndex } from './symbol-index.ts';

const maxFiles = 60;

/** The repository's files that a file imports. */
export async function importedPaths(index: SymbolIndex, file: IndexedFile): Promise<readonly string[]> {
  const { imports, language } = file.syntax;
  const paths = await index.paths();
  const found = imports.flatMap((each) => resolveImport(each, { path: file.path, language }, paths));
  return [...new Set(found)].slice(0, maxFiles);
}

/** Whether a file is one of those that gather what others export, such as `index.ts`. */
export function gathers(path: string): boolean {
  return gathering.test(path);
}

const gathering = /(^|\/)(index\.[mc]?[jt]sx?|__init__\.py|mod\.rs|lib\.rs)$/;
