import type { Reference } from '../languages/syntax.ts';
import type { TextMatch } from '../repository/repository.ts';
import { type FoundDefinition, usableFrom } from './find-definitions.ts';
import { compareNearness, compareText, isTestPath } from './paths.ts';
import { type FoundLines, type IndexedFile, readFiles, type SymbolIndex } from './symbol-index.ts';

export type FoundUse = { readonly file: IndexedFile; readonly reference: Reference };

/** What a file defines, or did before the change. */
type DefinedNames = {
  readonly path: string;
  readonly language: string;
  readonly names: readonly string[];
};

type FoundUses = {
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

export type FoundSymbol = {
  readonly definitions: readonly Omit<FoundDefinition, 'guess'>[];
  readonly uses: readonly FoundUse[];
  /** Files that no parser read: what they hold is a guess line by line. */
  readonly guessed: readonly string[];
  /** Files that mention the name and were not looked at. */
  readonly unread: number;
  readonly incomplete: FoundLines['incomplete'];
};

const symbolLimits = { definitionLines: 400, lines: 600, files: 60 } as const;

/** Where a symbol is defined and used at head. `first` are the paths to look at before others, such as the changed ones. */
export async function findSymbol(
  index: SymbolIndex,
  { name, container, first }: { name: string; container: string | null; first: readonly string[] },
): Promise<FoundSymbol> {
  const defining = await index.search([name], { definitions: true, limit: symbolLimits.definitionLines });
  const all = await index.search([name], { definitions: false, limit: symbolLimits.lines });
  const paths = rank({ defining: pathsOf(defining), all: pathsOf(all), first });
  const files = await readFiles(index, paths.slice(0, symbolLimits.files));
  const named = files.flatMap((file) =>
    file.syntax.definitions.flatMap((definition) => (definition.name === name ? [{ file, definition }] : [])),
  );
  // What has a body tells more than a header.
  const definitions = named.toSorted((one, other) => prototypes(one) - prototypes(other));
  const within = definitions.filter(({ definition }) => isWithin(definition.container, container));
  const uses = files.flatMap((file) =>
    file.syntax.references.flatMap((reference) => {
      const isImport = file.syntax.imports.some(({ line }) => line === reference.line);
      return reference.name === name && !isImport ? [{ file, reference }] : [];
    }),
  );
  const kept = new Set([...definitions, ...uses].map(({ file }) => file));
  return {
    // `typedef struct cart { … } cart;` defines two of one name, and a line may use a name twice.
    definitions: onePerLine(within.length > 0 ? within : definitions, ({ definition }) => definition.startLine),
    uses: onePerLine(uses, ({ reference }) => reference.line),
    guessed: [...kept].filter(({ syntax }) => syntax.by === 'patterns').map(({ path }) => path),
    unread: paths.length - files.length,
    incomplete: all.incomplete,
  };
}

/** The first on each line of a file. */
function onePerLine<Item extends { readonly file: IndexedFile }>(
  items: readonly Item[],
  lineOf: (item: Item) => number,
): readonly Item[] {
  const places = new Set<string>();
  return items.filter((item) => {
    const place = `${lineOf(item)} ${item.file.path}`;
    const isFirst = !places.has(place);
    places.add(place);
    return isFirst;
  });
}

function prototypes({ definition }: Pick<FoundDefinition, 'definition'>): number {
  return definition.prototype === true ? 1 : 0;
}

function pathsOf({ lines }: FoundLines): readonly string[] {
  return [...new Set(lines.map(({ path }) => path))];
}

/** Changed files, then those that seem to define it, then the rest; tests last. */
function rank({
  defining,
  all,
  first,
}: {
  defining: readonly string[];
  all: readonly string[];
  first: readonly string[];
}): readonly string[] {
  const [changed, likely] = [new Set(first), new Set(defining)];
  const worth = (path: string) =>
    Number(changed.has(path)) * 4 + Number(likely.has(path)) * 2 + Number(!isTestPath(path));
  return [...new Set([...defining, ...all])].sort((one, other) => worth(other) - worth(one) || compareText(one, other));
}

function isWithin(container: string | null, wanted: string | null): boolean {
  return wanted === null || (container?.split('.').includes(wanted) ?? false);
}
