import type { TextMatch, TextSearch } from '../repository/repository.ts';
import { type IndexedFile, type IndexedFiles, type IndexSources, indexedFiles } from './indexed-files.ts';
import { compareText } from './nearness.ts';
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

export type SymbolSearch = {
  readonly definitions: boolean;
  /** Matches at most. */
  readonly limit: number;
  /** For what every bundle of a run asks: a name is searched once, and all of them together within limits of the run. */
  readonly shared?: boolean;
};

export type FoundLines = {
  readonly lines: readonly TextMatch[];
  /**
   * Why there may be more: null when there are not, `no search` where nothing can be searched, `searches` where the run searched as
   * often as it may.
   */
  readonly incomplete: 'limit' | 'time' | 'no search' | 'searches' | null;
};

/**
 * Of the shared searches of a run. A search reads every file, so in a large repository there are fewer of them; one that took its whole
 * time is not worth many more. Counts, not clocks: the same commits give the same prompts.
 */
const limits = { searches: 300, filesRead: 2_000_000, outOfTime: 2, keptLines: 20_000 } as const;

export function symbolIndex(
  sources: IndexSources & {
    /** Null where nothing can be searched: only files that are named by imports are then found. */
    readonly search: TextSearch | null;
    /** Milliseconds of `now`: nothing is searched after it. */
    readonly deadline?: number;
  },
): SymbolIndex {
  const { repository, search, syntax, isDenied, now, deadline = Number.POSITIVE_INFINITY } = sources;
  let paths: Promise<PathIndex> | null = null;
  const listPaths = async () => {
    const entries = await repository.listFiles('head');
    return indexPaths(entries.flatMap(({ path, kind }) => (kind === 'file' && isDenied(path) === null ? [path] : [])));
  };
  const allPaths = () => {
    paths ??= listPaths();
    return paths;
  };
  const spent = { searches: 0, outOfTime: 0 };
  const mayShare = (files: number) =>
    spent.searches < limits.searches && spent.searches * files < limits.filesRead && spent.outOfTime < limits.outOfTime;

  async function find(names: readonly string[], options: SymbolSearch): Promise<FoundLines> {
    if (search === null) return { lines: [], incomplete: 'no search' };
    const patterns = options.definitions ? definitionPatterns(names) : mentionPatterns(names);
    const files = options.shared === true && patterns.length > 0 ? (await allPaths()).size : 0;
    const lines: TextMatch[] = [];
    let incomplete: FoundLines['incomplete'] = null;
    for (const pattern of patterns) {
      if (now() >= deadline) return { lines, incomplete: 'time' };
      if (options.shared === true && !mayShare(files)) return { lines, incomplete: 'searches' };
      const query = { pattern, regex: true, path: '', filePattern: '', limit: options.limit };
      if (options.shared === true) spent.searches += 1;
      const found = await search.search(query);
      if (options.shared === true && found.incomplete === 'time') spent.outOfTime += 1;
      lines.push(...found.matches.filter(({ path }) => !built.test(path) && isDenied(path) === null));
      incomplete ??= found.incomplete;
    }
    return { lines, incomplete };
  }

  return {
    knows: (path) => syntax !== null && syntax.languageOf(path) !== null,
    file: indexedFiles(sources),
    paths: allPaths,
    search: remembering(find),
  };
}

/** Asks for each name once, where the search is shared. What one search found is kept by name, as far as there is room. */
function remembering(find: SymbolIndex['search']): SymbolIndex['search'] {
  const known = new Map<string, FoundLines>();
  let kept = 0;
  return async (names, options) => {
    if (options.shared !== true) return await find(names, options);
    const keyOf = (name: string) => `${options.definitions} ${name}`;
    const before = names.flatMap((name) => known.get(keyOf(name)) ?? []);
    const fresh = names.filter((name) => !known.has(keyOf(name)));
    const found = await find(fresh, options);
    for (const name of found.incomplete === 'searches' || kept > limits.keptLines ? [] : fresh) {
      const lines = found.lines.filter(({ text }) => text.includes(name));
      kept += lines.length;
      known.set(keyOf(name), { lines, incomplete: found.incomplete });
    }
    if (before.length === 0) return found;
    const lines = [...before.flatMap((one) => one.lines), ...found.lines];
    const places = new Map(lines.map((line) => [`${line.line} ${line.path}`, line]));
    const incomplete = found.incomplete ?? before.find((one) => one.incomplete !== null)?.incomplete ?? null;
    return { lines: [...places.values()].sort(byPlace), incomplete };
  };
}

/** As git lists them. */
function byPlace(one: TextMatch, other: TextMatch): number {
  return compareText(one.path, other.path) || one.line - other.line;
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
