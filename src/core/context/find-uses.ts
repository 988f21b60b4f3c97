import type { TextMatch } from '../repository/repository.ts';
import type { IndexedFile } from './indexed-files.ts';
import { compareNearness } from './nearness.ts';
import { type FoundLines, readFiles, type SymbolIndex } from './symbol-index.ts';
import type { Reference } from './syntax.ts';
import { usableFrom } from './usable-from.ts';

export type FoundUse = { readonly file: IndexedFile; readonly reference: Reference };

/** What a file defines, or did before the change. */
export type DefinedNames = {
  readonly path: string;
  readonly language: string;
  readonly names: readonly string[];
};

export type FoundUses = {
  /** For each file that was asked about; those in the nearest files first. */
  readonly uses: readonly (readonly FoundUse[])[];
  /** Why there may be more; null when there are not. */
  readonly incomplete: FoundLines['incomplete'] | 'files';
};

const limits = { names: 60, searched: 600, files: 40 } as const;
/** A name in more files than this is common: it is taken for ours only where our file is imported, or in its directory. */
const maxHomes = 12;

/** Where names that files define are used. Found by one text search for all of them, then looked at by the parser. */
export async function findUses(index: SymbolIndex, defined: readonly DefinedNames[]): Promise<FoundUses> {
  const names = [...new Set(defined.flatMap((each) => each.names))].slice(0, limits.names);
  if (names.length === 0) return { uses: defined.map(() => []), incomplete: null };
  const found = await index.search(names, { definitions: false, limit: limits.searched, shared: true });
  const paths = [...new Set(found.lines.map((line) => line.path))];
  const common = new Set(names.filter((name) => homes(found.lines, name) > maxHomes));
  const uses: (readonly FoundUse[])[] = [];
  for (const each of defined) uses.push(await usesOf(index, { ...each, paths, common }));
  return { uses, incomplete: found.incomplete ?? (paths.length > limits.files ? 'files' : null) };
}

type Looking = DefinedNames & { readonly paths: readonly string[]; readonly common: ReadonlySet<string> };

async function usesOf(index: SymbolIndex, looking: Looking): Promise<readonly FoundUse[]> {
  const { path, language, paths, common } = looking;
  const names = new Set(looking.names);
  const uses: FoundUse[] = [];
  const nearest = [...paths].sort(compareNearness(path)).slice(0, limits.files);
  for (const file of await readFiles(index, nearest)) {
    const references = file.syntax.references.filter(({ name }) => names.has(name));
    if (references.length === 0 || file.syntax.language !== language) continue;
    const mayUse = await usableFrom(index, { file, path, common });
    for (const reference of references.filter(mayUse)) uses.push({ file, reference });
  }
  return uses;
}

function homes(lines: readonly TextMatch[], name: string): number {
  return new Set(lines.filter(({ text }) => text.includes(name)).map(({ path }) => path)).size;
}
