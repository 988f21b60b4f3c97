import type { Definition, Import, Reference } from '../languages/syntax.ts';
import { compareText } from '../text.ts';
import { byImport, type FoundDefinition, innermost, isTelling, sharesNames } from './find-definitions.ts';
import { compareNearness, isProsePath, isTestPath } from './paths.ts';
import { gathers, importedPaths, localNames, resolveImport } from './resolve-import.ts';
import { receiversOf, typesOf } from './scopes.ts';
import { type FoundLines, type IndexedFile, rareNames, readFiles, type SymbolIndex } from './symbol-index.ts';

export type FoundUse = { readonly file: IndexedFile; readonly reference: Reference };

/** What a file defines, or did before the change. */
type DefinedNames = {
  readonly path: string;
  readonly language: string;
  readonly definitions: readonly Definition[];
};

type FoundUses = {
  /** For each file that was asked about; those in the nearest files first. */
  readonly uses: readonly (readonly FoundUse[])[];
  /** Why there may be more; null when there are not. */
  readonly incomplete: FoundLines['incomplete'] | 'files';
};

const limits = { names: 60, searched: 600, files: 40 } as const;

/** Where names that files define are used. Found by one text search for all of them, then looked at by the parser. */
export async function findUses(index: SymbolIndex, defined: readonly DefinedNames[]): Promise<FoundUses> {
  const all = new Set(defined.flatMap((each) => each.definitions.map(({ name }) => name)));
  const names = [...all].slice(0, limits.names);
  if (names.length === 0) return { uses: defined.map(() => []), incomplete: null };
  const found = await index.search(names, { definitions: false, limit: limits.searched, shared: true });
  const rare = await rareNames(index, names);
  const paths = pathsOf(found).filter((path) => index.knows(path));
  const uses: (readonly FoundUse[])[] = [];
  for (const each of defined) uses.push(await usesOf(index, { ...each, paths, rare }));
  return { uses, incomplete: found.incomplete ?? (paths.length > limits.files ? 'files' : null) };
}

type Looking = DefinedNames & { readonly paths: readonly string[]; readonly rare: ReadonlySet<string> };

async function usesOf(
  index: SymbolIndex,
  { path, language, definitions, paths, rare }: Looking,
): Promise<readonly FoundUse[]> {
  const names = new Set(definitions.map(({ name }) => name));
  const containersOf = (wanted: string) =>
    new Set(definitions.flatMap((each) => (each.name === wanted ? (innermost(each) ?? []) : [])));
  const uses: FoundUse[] = [];
  const nearest = [...paths].sort(compareNearness(path)).slice(0, limits.files);
  for (const file of await readFiles(index, nearest)) {
    const references = file.syntax.references.filter(({ name }) => names.has(name));
    if (references.length === 0 || file.syntax.language !== language) continue;
    const mayUse = await usableFrom(index, file, { path, containersOf, rare });
    for (const reference of references.filter(mayUse)) uses.push({ file, reference });
  }
  return uses;
}

/** Whether a reference in a file can mean what `path` defines, and not a namesake. */
async function usableFrom(
  index: SymbolIndex,
  file: IndexedFile,
  wanted: {
    /** The file whose names are looked for. */
    path: string;
    /** The types that a name is a member of. */
    containersOf: (name: string) => ReadonlySet<string>;
    /** Those of the names that occur in few files. */
    rare: ReadonlySet<string>;
  },
): Promise<(reference: Reference) => boolean> {
  const { path, containersOf, rare } = wanted;
  const { imports, definitions, references, language } = file.syntax;
  const isOurs = file.path === path;
  const paths = await index.paths();
  const isImported = isOurs || (await importedPaths(index, file)).includes(path);
  // A prototype stands for what another file defines.
  const own = new Set(definitions.flatMap(({ name, prototype }) => (prototype === true ? [] : [name])));
  const isBeside = sharesNames(file, path);
  // What leads to a file that gathers exports of others may be ours.
  const leadsTo = (each: Import) =>
    resolveImport(each, { path: file.path, language }, paths).some((meant) => meant === path || gathers(meant));
  const named = new Set(references.map(({ name }) => name));
  return ({ name, member, line }) => {
    if (member) {
      const containers = containersOf(name);
      const texts = receiversOf(file.lines[line - 1]?.text ?? '', name);
      const types = texts.flatMap((receiver) => [...typesOf(file, { receiver, line })]);
      if (types.length > 0) return types.some((type) => containers.has(type) || extendsOne(file, { type, containers }));
      const module = imports.find((each) => localNames(each).some((local) => texts.includes(local)));
      if (module !== undefined) return leadsTo(module);
      return (
        isOurs ||
        rare.has(name) ||
        ((isImported || isBeside) &&
          (isTelling(name) || containers.size === 0 || [...containers].some((each) => named.has(each))))
      );
    }
    if (isOurs) return true;
    const source = imports.find((each) => each.names.some(({ local }) => local === name));
    if (source === undefined)
      return !own.has(name) && (isImported || isBeside || (!byImport.has(language) && rare.has(name)));
    return leadsTo(source) || rare.has(name);
  };
}

/** Whether the head of a type of this file names one of others. */
function extendsOne(
  { syntax, lines }: IndexedFile,
  { type, containers }: { type: string; containers: ReadonlySet<string> },
): boolean {
  const heads = syntax.definitions.filter(({ name }) => name === type);
  return heads.some(({ startLine, signatureEndLine }) =>
    lines.slice(startLine - 1, Math.min(signatureEndLine, startLine + 7)).some(
      ({ text }) =>
        text
          .slice(0, 400)
          .match(/\w+/g)
          ?.some((word) => containers.has(word)) === true,
    ),
  );
}

export type FoundSymbol = {
  readonly definitions: readonly Omit<FoundDefinition, 'guess'>[];
  readonly uses: readonly FoundUse[];
  /** Files that mention the name and are not parsed: what it is to them is not known. Prose is left out. */
  readonly unparsed: readonly string[];
  /** Files that mention the name and were not looked at. */
  readonly unread: number;
  readonly incomplete: FoundLines['incomplete'];
  /** Files that mention it and are built or vendored by their names. */
  readonly leftOut: FoundLines['leftOut'];
};

const symbolLimits = { definitionLines: 400, lines: 600, files: 60 } as const;

/**
 * Where a symbol is defined and used at head. `first` are the paths to look at before others, such as the changed ones; those that are
 * `reviewed` are looked at also where their name is that of built or vendored code.
 */
export async function findSymbol(
  index: SymbolIndex,
  wanted: { name: string; container: string | null; first: readonly string[]; reviewed: ReadonlySet<string> },
): Promise<FoundSymbol> {
  const { name, container, first, reviewed } = wanted;
  const defining = await index.search([name], { definitions: true, limit: symbolLimits.definitionLines, reviewed });
  const all = await index.search([name], { definitions: false, limit: symbolLimits.lines, reviewed });
  const paths = rank(pathsOf(defining), pathsOf(all), first);
  const known = paths.filter((path) => index.knows(path));
  const unread = known.slice(symbolLimits.files);
  const files = await readFiles(index, known.slice(0, symbolLimits.files));
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
  const settled = new Set([...files.map(({ path }) => path), ...unread]);
  return {
    // `typedef struct cart { … } cart;` defines two of one name, and a line may use a name twice.
    definitions: onePerLine(within.length > 0 ? within : definitions, ({ definition }) => definition.startLine),
    uses: onePerLine(uses, ({ reference }) => reference.line),
    unparsed: paths.filter((path) => !settled.has(path) && !isProsePath(path)),
    unread: unread.length,
    incomplete: all.incomplete,
    leftOut: all.leftOut,
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
function rank(defining: readonly string[], all: readonly string[], first: readonly string[]): readonly string[] {
  const [changed, likely] = [new Set(first), new Set(defining)];
  const worth = (path: string) =>
    Number(changed.has(path)) * 4 + Number(likely.has(path)) * 2 + Number(!isTestPath(path));
  return [...new Set([...defining, ...all])].sort((one, other) => worth(other) - worth(one) || compareText(one, other));
}

function isWithin(container: string | null, wanted: string | null): boolean {
  return wanted === null || (container?.split('.').includes(wanted) ?? false);
}
