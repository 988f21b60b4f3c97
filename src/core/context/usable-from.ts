import { gathers, importedPaths } from './imported-paths.ts';
import type { IndexedFile } from './indexed-files.ts';
import { directoryOf } from './path-index.ts';
import { byImport } from './reach.ts';
import { resolveImport } from './resolve-import.ts';
import type { SymbolIndex } from './symbol-index.ts';
import type { Reference } from './syntax.ts';

type Use = {
  readonly file: IndexedFile;
  /** The file whose names are looked for. */
  readonly path: string;
  /** Names that so many files hold that a namesake is likelier than a use. */
  readonly common: ReadonlySet<string>;
};

/** Whether a reference in a file can mean what `path` defines, and not a namesake. */
export async function usableFrom(
  index: SymbolIndex,
  { file, path, common }: Use,
): Promise<(reference: Reference) => boolean> {
  if (file.path === path) return () => true;
  const { imports, definitions, language } = file.syntax;
  const isImported = (await importedPaths(index, file)).includes(path);
  const paths = await index.paths();
  // A prototype stands for what another file defines.
  const own = new Set(definitions.flatMap(({ name, prototype }) => (prototype === true ? [] : [name])));
  const isNear = isImported || directoryOf(file.path) === directoryOf(path);
  return ({ name, member }) => {
    if (common.has(name) && !isNear) return false;
    if (member) return true;
    const source = imports.find((each) => each.names.some(({ local }) => local === name));
    if (source === undefined) return byImport.has(language) ? isImported && !own.has(name) : !own.has(name);
    const meant = resolveImport(source, { path: file.path, language }, paths);
    // What is not resolved, or leads to a file that gathers exports of others, may be ours.
    return meant.length === 0 || meant.includes(path) || meant.some((each) => gathers(each));
  };
}
