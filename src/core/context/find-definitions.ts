import type { Definition } from '../languages/syntax.ts';
import { compareNearness, directoryOf, isTestPath } from './paths.ts';
import { ancestorsOf, behind, importedFiles, localNames, resolveImport } from './resolve-import.ts';
import { typesOf } from './scopes.ts';
import { type IndexedFile, rareNames, readFiles, type SymbolIndex, type UsedName } from './symbol-index.ts';

export type FoundDefinition = {
  readonly file: IndexedFile;
  readonly definition: Definition;
  /** Whose member is meant is not certain. */
  readonly guess: boolean;
};

type WantedNames = { readonly from: IndexedFile; readonly names: readonly UsedName[] };

/** By name, the likeliest first. */
type DefinitionsByName = ReadonlyMap<string, readonly FoundDefinition[]>;

const limits = { names: 120, searched: 400, files: 60 } as const;
/** A member that more imported files define tells nothing without its type. */
const maxGuesses = 8;

/**
 * Where names that files use are defined, for each file: in itself, in what it imports and what that exports from elsewhere, and by the
 * type of what a member stands behind. Other files are looked through by one text search, and count where their directory shares its
 * names, where the name is imported from a place that cannot be told, or where it occurs in few files. What is only declared is looked
 * for as well, and its body stands first. Names of libraries and of the language itself are not found.
 */
export async function findDefinitions(
  index: SymbolIndex,
  wanted: readonly WantedNames[],
): Promise<readonly DefinitionsByName[]> {
  const asked = [];
  for (const each of wanted) asked.push({ ...each, near: await lookNear(index, each) });
  const missing = new Set(asked.flatMap(({ near }) => [...near].flatMap(([name, { far }]) => (far ? [name] : []))));
  const paths = await searchedPaths(index, [...missing].slice(0, limits.names));
  const results = [];
  for (const { from, near } of asked) {
    const files = await farFiles(index, { from, paths });
    const links = [...near].map(([name, link]) => {
      const there = link.far ? definitionsIn(files, [name]).filter(isReachable) : [];
      const bodies = link.sure.length === 0 ? [] : there.filter(isBodyOf(link.sure));
      const sure = [...bodies, ...link.sure];
      if (sure.length > 0) return { name, sure, unsure: [] };
      const scope = there.filter((each) => isInScope(each, { from, link }));
      if (scope.length > 0) return { name, sure: scope, unsure: [] };
      const unsure = [...link.unsure, ...there].map((each) => ({ ...each, guess: true }));
      const homes = new Set(unsure.map(({ file }) => file.path)).size;
      return isTelling(name) && homes <= maxHomes ? { name, sure: unsure, unsure: [] } : { name, sure, unsure };
    });
    results.push(links);
  }
  const doubtful = results.flatMap((links) => links.flatMap(({ name, unsure }) => (unsure.length > 0 ? [name] : [])));
  const rare = await rareNames(index, [...new Set(doubtful)].slice(0, limits.names));
  return results.map(
    (links) => new Map(links.map(({ name, sure, unsure }) => [name, rare.has(name) ? [...sure, ...unsure] : sure])),
  );
}

/** Of a name that nothing links, though it is of several words: more of them tell nothing. */
const maxHomes = 2;

/** `renderTotal` and `parse_line` are hardly two things; `delete`, `On` and `Context` are. */
export function isTelling(name: string): boolean {
  return name.length >= 8 && /[a-z\d][A-Z]|\w_\w/.test(name);
}

type Link = {
  /** By an import, a scope or a type. */
  readonly sure: readonly FoundDefinition[];
  /** That only have the name. */
  readonly unsure: readonly FoundDefinition[];
  /** Other files may define it. */
  readonly far: boolean;
  /** Imported from a place that cannot be told. */
  readonly imported: boolean;
  /** Of what the member stands behind; empty where the text does not tell. */
  readonly types: ReadonlySet<string>;
};

async function lookNear(index: SymbolIndex, { from, names }: WantedNames): Promise<ReadonlyMap<string, Link>> {
  const { language, imports } = from.syntax;
  const imported = await importedFiles(index, from);
  const near = [from, ...imported];
  const named = new Set(from.syntax.references.map((each) => each.name));
  const reach = await reachFrom(index, from);
  const found = new Map<string, Link>();
  for (const used of names) {
    const types = new Set<string>(
      used.receivers.flatMap(({ receiver, line }) => [...typesOf(from, { receiver, line })]),
    );
    const base = { unsure: [], imported: false, types };
    const source = imports.find((each) => each.names.some(({ local }) => local === used.name));
    if (!used.member && source !== undefined) {
      const there = definitionsIn(await behind(index, { from, source }), originalNames(from, used.name));
      const sure = likeliest(there.filter(isReachable), from);
      const unresolved = sure.length === 0 && reach(used);
      found.set(used.name, { ...base, sure, far: unresolved || sure.some(isPrototype), imported: unresolved });
      continue;
    }
    const ancestors = types.size === 0 ? [] : await ancestorsOf(index, { near, types });
    const there = likeliest(definitionsIn([...near, ...ancestors], [used.name]), from);
    if (!used.member) {
      const sure = byImport.has(language) ? there.filter(({ file }) => file === from) : there;
      found.set(used.name, { ...base, sure, far: sure.length === 0 ? reach(used) : sure.every(isPrototype) });
      continue;
    }
    const link = linkMember(there, { from, types, named, modules: await modulesOf(index, { from, used }) });
    // Where types are imported by name, one that no file near defines is a library's.
    const isOurs = types.size === 0 || !byImport.has(language) || near.some((file) => definesType(file, types));
    found.set(used.name, { ...base, ...link, far: isOurs && link.sure.every(isPrototype) });
  }
  return found;
}

type Member = {
  readonly from: IndexedFile;
  readonly types: ReadonlySet<string>;
  /** Names that the file uses. */
  readonly named: ReadonlySet<string>;
  /** Files of the module that the member stands behind; null when it is none. */
  readonly modules: readonly IndexedFile[] | null;
};

/** A member by its type; else one of this file, or of a type that the file names. */
function linkMember(
  there: readonly FoundDefinition[],
  { from, types, named, modules }: Member,
): Pick<Link, 'sure' | 'unsure'> {
  if (modules !== null) {
    const sure = there.filter(({ file }) => modules.includes(file)).filter(isReachable);
    if (sure.length > 0 || modules.length === 0) return { sure, unsure: [] };
  }
  const typed = there.filter(({ definition }) => types.has(innermost(definition) ?? ''));
  if (typed.length > 0) return { sure: typed, unsure: [] };
  const isNamed = ({ file, definition }: FoundDefinition) => file === from || named.has(innermost(definition) ?? '');
  const likely = there.filter(isNamed);
  const homes = new Set(likely.map(({ file, definition }) => `${file.path} ${innermost(definition)}`)).size;
  const guess = types.size > 0 || homes > 1;
  const sure = homes > maxGuesses ? [] : likely.map((each) => ({ ...each, guess }));
  return { sure, unsure: types.size > 0 ? [] : there.filter((each) => !likely.includes(each)) };
}

function definesType({ syntax }: IndexedFile, types: ReadonlySet<string>): boolean {
  return syntax.definitions.some(({ name }) => types.has(name));
}

/** What a name that stands behind the name of an import may mean: `tax.rate()` of `import * as tax`. */
async function modulesOf(
  index: SymbolIndex,
  { from, used }: { from: IndexedFile; used: UsedName },
): Promise<readonly IndexedFile[] | null> {
  const receivers = new Set(used.receivers.map(({ receiver }) => receiver));
  const source = from.syntax.imports.find((each) => localNames(each).some((name) => receivers.has(name)));
  return source === undefined ? null : await behind(index, { from, source });
}

/** Whether a file shares its names with all of its directory. */
export function sharesNames({ path, syntax }: IndexedFile, other: string): boolean {
  return byDirectory.has(syntax.language) && directoryOf(path) === directoryOf(other);
}

const byDirectory: ReadonlySet<string> = new Set(['go', 'java', 'c#', 'php', 'rust']);

function isInScope({ file, definition }: FoundDefinition, { from, link }: { from: IndexedFile; link: Link }): boolean {
  if (link.imported || link.types.has(innermost(definition) ?? '')) return true;
  return sharesNames(from, file.path) && link.types.size === 0;
}

/** What the imported file calls it: `import { tax as rate }` uses `tax`. */
function originalNames(from: IndexedFile, name: string): readonly string[] {
  const imported = from.syntax.imports.flatMap(({ names }) => names.filter(({ local }) => local === name));
  return [name, ...imported.map((each) => each.name)];
}

function definitionsIn(files: readonly IndexedFile[], names: readonly string[]): readonly FoundDefinition[] {
  return files.flatMap((file) => {
    const definitions = file.syntax.definitions.filter(({ name }) => names.includes(name));
    // What has a body tells more than its declaration.
    const whole = definitions.filter((definition) => hasBody({ definition }));
    return [...whole, ...definitions.filter((each) => !whole.includes(each))].map((definition) => ({
      file,
      definition,
      guess: false,
    }));
  });
}

/**
 * A file's own first; of others a type's member with a body, then one without, then a prototype, then one of an object in a
 * function.
 */
function likeliest(found: readonly FoundDefinition[], from: IndexedFile): readonly FoundDefinition[] {
  const rank = ({ file, definition }: FoundDefinition) => {
    if (definition.prototype === true) return 3;
    if (file === from) return 0;
    if (isInFunction(file, definition)) return 4;
    return hasBody({ definition }) ? 1 : 2;
  };
  return [...found].sort((one, other) => rank(one) - rank(other));
}

function hasBody({ definition }: Pick<FoundDefinition, 'definition'>): boolean {
  return definition.endLine > definition.signatureEndLine;
}

function isPrototype({ definition }: FoundDefinition): boolean {
  return definition.prototype === true;
}

/** Whether a definition is that of one of these prototypes: of the same type or namespace, however it is written. */
function isBodyOf(declared: readonly FoundDefinition[]): (found: FoundDefinition) => boolean {
  const containers = new Set(declared.map(({ definition }) => innermost(definition)));
  return (found) => !isPrototype(found) && containers.has(innermost(found.definition));
}

/** The type that a definition is a member of; null for none. */
export function innermost({ container }: Definition): string | null {
  return container?.split(/\.|::/).at(-1) ?? null;
}

/** What stands inside a function is not seen elsewhere, but for the methods of an object that it returns. */
function isReachable({ file, definition }: FoundDefinition): boolean {
  return definition.kind === 'method' || !isInFunction(file, definition);
}

function isInFunction(file: IndexedFile, definition: Definition): boolean {
  if (definition.container === null) return false;
  return file.syntax.definitions.some(
    ({ kind, startLine, endLine }) =>
      (kind === 'function' || kind === 'method') && startLine < definition.startLine && definition.endLine <= endLine,
  );
}

async function searchedPaths(index: SymbolIndex, names: readonly string[]): Promise<readonly string[]> {
  if (names.length === 0) return [];
  const { lines } = await index.search(names, { definitions: true, limit: limits.searched, shared: true });
  return [...new Set(lines.map(({ path }) => path))].filter((path) => index.knows(path));
}

async function farFiles(
  index: SymbolIndex,
  { from, paths }: { from: IndexedFile; paths: readonly string[] },
): Promise<readonly IndexedFile[]> {
  const isTest = isTestPath(from.path);
  const ranked = paths.filter((path) => path !== from.path && (isTest || !isTestPath(path)));
  const files = await readFiles(index, ranked.sort(compareNearness(from.path)).slice(0, limits.files));
  return files.filter(({ syntax }) => syntax.language === from.syntax.language);
}

/** Languages in which a name is defined in the file, imported by name, or the language's own. */
export const byImport: ReadonlySet<string> = new Set(['ecmascript', 'python']);

/**
 * Whether a name that a file uses and that neither the file nor its imports define may be defined elsewhere in the repository. A
 * name from a library, or of the language itself, would only find namesakes.
 */
async function reachFrom(index: SymbolIndex, from: IndexedFile): Promise<(used: UsedName) => boolean> {
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
