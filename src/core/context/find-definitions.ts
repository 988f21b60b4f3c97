import type { Definition, Reference } from '../languages/syntax.ts';
import { compareNearness, directoryOf, isTestPath } from './paths.ts';
import { gathers, importedPaths, resolveImport } from './resolve-import.ts';
import { type IndexedFile, readFiles, type SymbolIndex, type UsedName } from './symbol-index.ts';

export type FoundDefinition = {
  readonly file: IndexedFile;
  readonly definition: Definition;
  /** A member of this name has so many homes that it is a guess which is meant. */
  readonly guess: boolean;
};

type WantedNames = { readonly from: IndexedFile; readonly names: readonly UsedName[] };

/** By name, the likeliest first. */
type DefinitionsByName = ReadonlyMap<string, readonly FoundDefinition[]>;

const limits = { names: 120, searched: 400, files: 60 } as const;
/** Of a member that more files define it is a guess which is meant; one that even more define tells nothing. */
const maxMemberHomes = 2;
const maxGuesses = 8;

/**
 * Where names that files use are defined, for each file: in itself, in what it imports, else by one text search for all of them in
 * files of its language, its directory first. What is only declared there is looked for as well, and its body stands first. Names
 * of libraries and of the language itself are not found.
 */
export async function findDefinitions(
  index: SymbolIndex,
  wanted: readonly WantedNames[],
): Promise<readonly DefinitionsByName[]> {
  const asked: { readonly found: Map<string, readonly FoundDefinition[]>; readonly missing: readonly UsedName[] }[] =
    [];
  for (const { from, names } of wanted) {
    const near = [from, ...(await importedFiles(index, from))];
    const found = new Map<string, readonly FoundDefinition[]>();
    for (const { name } of names) {
      const there = likeliest(definitionsIn(near, originalNames(from, name)), from);
      if (there.length > 0) found.set(name, there);
    }
    const elsewhere = await reachFrom(index, from);
    const isMissing = (each: UsedName) => {
      const there = found.get(each.name);
      return there === undefined ? elsewhere(each) : there.every(isPrototype);
    };
    asked.push({ found, missing: names.filter(isMissing) });
  }
  const missing = new Set(asked.flatMap((each) => each.missing.map(({ name }) => name)));
  const paths = await searchedPaths(index, [...missing].slice(0, limits.names));
  for (const [at, { from }] of wanted.entries()) {
    const request = asked[at];
    if (request === undefined || request.missing.length === 0) continue;
    const far = await farFiles(index, { from, paths });
    for (const { name, member } of request.missing) {
      const there = definitionsIn(far, [name]).filter(isReachable);
      const declared = request.found.get(name);
      if (declared !== undefined) {
        request.found.set(name, [...there.filter(isBodyOf(declared)), ...declared]);
        continue;
      }
      const homes = new Set(there.map(({ file }) => file.path)).size;
      const guess = member && homes > maxMemberHomes;
      const told = there.map((each) => ({ ...each, guess }));
      if (told.length > 0 && !(member && homes > maxGuesses)) request.found.set(name, told);
    }
  }
  return asked.map(({ found }) => found);
}

/** The files that a file imports, and those that they export from: one step of barrels such as `index.ts`. */
async function importedFiles(index: SymbolIndex, from: IndexedFile): Promise<readonly IndexedFile[]> {
  const direct = await readFiles(index, await importedPaths(index, from));
  const barrels = direct.filter(({ path }) => gathers(path));
  const behind: IndexedFile[] = [];
  for (const barrel of barrels) behind.push(...(await readFiles(index, await importedPaths(index, barrel))));
  return [...new Set([...direct, ...behind])].slice(0, limits.files);
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

function innermost({ container }: Definition): string | null {
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
  return [...new Set(lines.map(({ path }) => path))];
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

/** Whether a reference in a file can mean what `path` defines, and not a namesake. */
export async function usableFrom(
  index: SymbolIndex,
  {
    file,
    path,
    common,
  }: {
    file: IndexedFile;
    /** The file whose names are looked for. */
    path: string;
    /** Names that so many files hold that a namesake is likelier than a use. */
    common: ReadonlySet<string>;
  },
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

/** Languages in which a name is defined in the file, imported by name, or the language's own. */
const byImport: ReadonlySet<string> = new Set(['ecmascript', 'python']);

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
