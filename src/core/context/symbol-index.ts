import type { FileSyntax, Syntax } from '../languages/syntax.ts';
import type { Repository, Revision, TextMatch, TextMatches, TextSearch } from '../repository/repository.ts';
import { type ShownLine, shown, splitLines } from '../repository/shown.ts';
import { compareText } from '../text.ts';
import { indexPaths, type PathIndex } from './paths.ts';

/** What is known of the symbols at head, found when it is asked for. */
export type SymbolIndex = {
  /** Whether a parser knows the language of this path. */
  knows(path: string): boolean;
  readonly file: IndexedFiles;
  /** A text file at head in any language, as `shown()` renders it; null for what may not be read, is no text, or is too large. */
  lines(path: string): Promise<readonly ShownLine[] | null>;
  paths(): Promise<PathIndex>;
  /** Lines that hold one of the names, or with `definitions` may define one. */
  search(names: readonly string[], options: SymbolSearch): Promise<FoundLines>;
};

type SymbolSearch = {
  readonly definitions: boolean;
  /** Matches at most. */
  readonly limit: number;
  /** For what every batch of a run asks: a name is searched once, and all of them together within limits of the run. */
  readonly shared?: boolean;
  /** Files that count whatever their name: the change brings them in. */
  readonly reviewed?: ReadonlySet<string>;
};

export type FoundLines = {
  readonly lines: readonly TextMatch[];
  /**
   * Why there may be more: null when there are not, `no search` where nothing can be searched, `searches` where the run searched as
   * often as it may.
   */
  readonly incomplete: 'limit' | 'time' | 'no search' | 'searches' | null;
  /** Files that were left out by their names, as copies and output of other code; of several searches those of the first. */
  readonly leftOut?: TextMatches['leftOut'];
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
    let leftOut: FoundLines['leftOut'];
    let incomplete: FoundLines['incomplete'] = null;
    // While searching: in a repository that holds what it builds, that alone would reach the limit.
    const leaveOut = (path: string) =>
      built.test(path) && options.reviewed?.has(path) !== true && isDenied(path) === null;
    for (const pattern of patterns) {
      if (now() >= deadline) return { lines, incomplete: 'time' };
      if (options.shared === true && !mayShare(files)) return { lines, incomplete: 'searches' };
      const query = { pattern, regex: true, path: '', filePattern: '', limit: options.limit, leaveOut };
      if (options.shared === true) spent.searches += 1;
      const found = await search.search(query);
      if (options.shared === true && found.incomplete === 'time') spent.outOfTime += 1;
      lines.push(...found.matches.filter(({ path }) => isDenied(path) === null));
      leftOut ??= found.leftOut;
      incomplete ??= found.incomplete;
    }
    return { lines, incomplete, leftOut };
  }

  return {
    knows: (path) => syntax.languageOf(path) !== null,
    file: indexedFiles(sources),
    lines: async (path) => {
      const content = await readText(sources, path, 'head');
      return content === null ? null : shown(splitLines(content.text));
    },
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
      // Others used up the limit: asked for without them there may be more.
      if (found.incomplete === 'limit' && lines.length <= maxHomes) continue;
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

export type IndexedFile = {
  readonly path: string;
  /** As `shown()` renders the whole file: what may be given to a model. */
  readonly lines: readonly ShownLine[];
  readonly syntax: FileSyntax;
};

/** Null for what may not be read, is no text, is too large, is not parsed (no grammar, no time, mostly errors), or would take more than the index may. */
type IndexedFiles = (path: string, at?: Revision) => Promise<IndexedFile | null>;

type IndexSources = {
  readonly repository: Repository;
  readonly syntax: Syntax;
  /** Why a path may not be read; null when it may. */
  readonly isDenied: (path: string) => string | null;
  /** Milliseconds. */
  readonly now: () => number;
};

/** Of one file, and of all files of a run together. */
const parseLimits = { fileBytes: 500_000, fileMilliseconds: 1_000, bytes: 30_000_000, milliseconds: 30_000 } as const;
/** Bytes of text whose files are kept: with its lines and names, a file takes a dozen times its bytes. */
const keptBytes = 6_000_000;

/** Reads and parses files within the limits of a whole run: each once, as long as those that were asked for last have room for it. */
export function indexedFiles(sources: IndexSources): IndexedFiles {
  const known = new Map<string, Promise<IndexedFile | null>>();
  const bytes = new Map<string, number>();
  let kept = 0;
  const spent = { bytes: 0, milliseconds: 0 };

  function keep(key: string, size: number): void {
    bytes.set(key, size);
    kept += size;
    for (const oldest of known.keys()) {
      if (kept <= keptBytes || oldest === key) break;
      kept -= bytes.get(oldest) ?? 0;
      bytes.delete(oldest);
      known.delete(oldest);
    }
  }

  async function read(path: string, at: Revision): Promise<IndexedFile | null> {
    if (sources.syntax.languageOf(path) === null) return null;
    if (spent.bytes > parseLimits.bytes || spent.milliseconds > parseLimits.milliseconds) return null;
    const content = await readText(sources, path, at);
    if (content === null) return null;
    spent.bytes += content.bytes;
    keep(`${at}:${path}`, content.bytes);
    const start = sources.now();
    const syntax = await sources.syntax.parse(
      { path, text: content.text },
      { milliseconds: parseLimits.fileMilliseconds },
    );
    spent.milliseconds += sources.now() - start;
    return syntax === null ? null : { path, lines: shown(splitLines(content.text)), syntax };
  }

  return (path, at = 'head') => {
    const key = `${at}:${path}`;
    const file = known.get(key) ?? read(path, at);
    // The last asked for is the last to go.
    known.delete(key);
    known.set(key, file);
    return file;
  };
}

async function readText({ repository, isDenied }: IndexSources, path: string, at: Revision) {
  if (isDenied(path) !== null) return null;
  const content = await repository.readFile(path, at);
  return content.kind === 'text' && content.bytes <= parseLimits.fileBytes ? content : null;
}

/** Characters of one expression; `git grep` and the linear-time engine take more, the port's limit is 1,000. */
const maxCharacters = 900;

/** Expressions (RE2 syntax) for lines that hold one of the names as a whole word. Several where one would be too long. */
export function mentionPatterns(names: readonly string[]): readonly string[] {
  return batches(names, (alternatives) => alternatives);
}

/**
 * Expressions (RE2 syntax) for lines that look like a definition of one of the names: behind a keyword, or at the start of a
 * line behind types and in front of what follows a declared name. They find calls too: a parser has to look.
 */
export function definitionPatterns(names: readonly string[]): readonly string[] {
  return batches(names, (alternatives) => `(?:${keyword}|${lineStart})${alternatives}${behind}`);
}

const keyword =
  '\\b(?:def|class|func|function|fn|fun|struct|enum|union|trait|interface|type|module|namespace|record|const|let|var|val|static|impl|macro_rules!|#define|typedef)[*]?\\s+(?:\\([^)]*\\)\\s*)?(?:mut\\s+|self\\.|\\w+(?:\\.|::))?';
const lineStart = '^\\s*(?:[\\w<>\\[\\],.*&:?@#]+\\s+)*[*&#]*(?:(?:\\w+::)+|self\\.|this\\.)?';
const behind = '\\s*(?:[?!]?\\s*[(:={<;,]|$|\\s\\w)';

function batches(names: readonly string[], expression: (alternatives: string) => string): readonly string[] {
  const room = maxCharacters - expression('').length;
  const groups: string[][] = [];
  let left = 0;
  for (const name of names.map(wholeWord).filter((each) => each.length <= room / 2)) {
    if (left < name.length + 1) {
      groups.push([]);
      left = room - '(?:)'.length;
    }
    groups.at(-1)?.push(name);
    left -= name.length + 1;
  }
  return groups.map((group) => expression(`(?:${group.join('|')})`));
}

/** `\b` only stands beside a letter, digit or underscore. */
function wholeWord(name: string): string {
  const quoted = name.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
  return `${/^\w/.test(name) ? '\\b' : ''}${quoted}${/\w$/.test(name) ? '\\b' : ''}`;
}

/** The first of each list, then the second of each: none takes all the room. */
export function alternate<T>(lists: readonly (readonly T[])[]): readonly T[] {
  const longest = Math.max(0, ...lists.map((list) => list.length));
  return Array.from({ length: longest }, (_, at) => lists.flatMap((list) => list.slice(at, at + 1))).flat();
}

/** A name as a file uses it. */
export type UsedName = {
  readonly name: string;
  /** It stands behind a dot everywhere: many types may have such a member. */
  readonly member: boolean;
  readonly call: boolean;
  /** It stands in the head of a changed definition, as the type of a parameter does. */
  readonly inHead: boolean;
  /** How often, calls twice. */
  readonly count: number;
  /** What it stands behind, as far as it is a member; empty for what is no name. */
  readonly receivers: readonly { readonly receiver: string; readonly line: number }[];
};

/** A name in more files than this is common: it alone links nothing. */
const maxHomes = 3;

/** Those of the names that occur in so few files that all of them mean the same. What cannot be searched is not rare. */
export async function rareNames(index: SymbolIndex, names: readonly string[]): Promise<ReadonlySet<string>> {
  if (names.length === 0) return new Set();
  const { lines, incomplete } = await index.search(names, { definitions: false, limit: 600, shared: true });
  const few = names.filter((name) => homesOf(name, lines) <= maxHomes);
  if (incomplete === null) return new Set(few);
  // Common names used up the lines, so the others are asked for again without them.
  return incomplete === 'limit' && few.length < names.length ? await rareNames(index, few) : new Set();
}

function homesOf(name: string, lines: readonly TextMatch[]): number {
  const word = new RegExp(wholeWord(name));
  return new Set(lines.filter(({ text }) => word.test(text)).map(({ path }) => path)).size;
}
