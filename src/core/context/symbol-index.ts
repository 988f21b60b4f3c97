import type { TextMatch, TextSearch } from '../repository/repository.ts';
import { type IndexedFile, type IndexedFiles, type IndexSources, indexedFiles } from './indexed-files.ts';
import { indexPaths, type PathIndex } from './path-index.ts';
import { definitionPatterns, mentionPatterns } from './symbol-patterns.ts';

/** What is known of the symbols at head, found when it is asked for. */
export type SymbolIndex = {
  /** Whether a parser knows the language of this path. */
  knows(path: string): boolean;
  readonly file: IndexedFiles;
  paths(): Promise<PathIndex>;
  /** Lines that hold one of the names, or with `definitions` may define one. */
  search(names: readonly string[], options: SymbolSearch): Promise<FoundLines>;
};

export type SymbolSearch = { readonly definitions: boolean /** Matches at most. */; readonly limit: number };

export type FoundLines = {
  readonly lines: readonly TextMatch[];
  /** Why there may be more: null when there are not, `no search` where nothing can be searched. */
  readonly incomplete: 'limit' | 'time' | 'no search' | null;
};

export function symbolIndex(
  sources: IndexSources & {
    /** Null where nothing can be searched: only files that are named by imports are then found. */
    readonly search: TextSearch | null;
  },
): SymbolIndex {
  const { repository, search, syntax, isDenied } = sources;
  let paths: Promise<PathIndex> | null = null;
  const listPaths = async () => {
    const entries = await repository.listFiles('head');
    return indexPaths(entries.flatMap(({ path, kind }) => (kind === 'file' && isDenied(path) === null ? [path] : [])));
  };
  return {
    knows: (path) => syntax !== null && syntax.languageOf(path) !== null,
    file: indexedFiles(sources),
    paths: () => {
      paths ??= listPaths();
      return paths;
    },
    search: async (names, options) => {
      if (search === null) return { lines: [], incomplete: 'no search' };
      const patterns = options.definitions ? definitionPatterns(names) : mentionPatterns(names);
      const lines: TextMatch[] = [];
      let incomplete: FoundLines['incomplete'] = null;
      for (const pattern of patterns) {
        const query = { pattern, regex: true, path: '', filePattern: '', limit: options.limit };
        const found = await search.search(query);
        lines.push(...found.matches.filter(({ path }) => !built.test(path) && isDenied(path) === null));
        incomplete ??= found.incomplete;
      }
      return { lines, incomplete };
    },
  };
}

/** Copies and output of other code: what they define is defined elsewhere. */
const built = /(^|\/)(dist|node_modules|vendor|third_party|\.yarn)\/|[.-]min\.[a-z]+$/;

/** Reads files in the given order, a limited number of them. */
export async function readFiles(index: SymbolIndex, paths: readonly string[]): Promise<readonly IndexedFile[]> {
  const files: IndexedFile[] = [];
  for (const path of paths) {
    const file = await index.file(path);
    if (file !== null) files.push(file);
  }
  return files;
}
