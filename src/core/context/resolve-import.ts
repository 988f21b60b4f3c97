import type { Import } from '../languages/syntax.ts';
import { directoryOf, joinPath, type PathIndex } from './paths.ts';
import { type IndexedFile, readFiles, type SymbolIndex } from './symbol-index.ts';

/** Files of a package or directory that count as imported; the rest is left to the search. */
const maxFiles = 40;
/** Names of one import that are looked up. */
const maxSegments = 30;

/**
 * The files of the repository that an import can mean, the likeliest first; empty for a library. Read off paths alone, without
 * build files: right for relative imports and for packages laid out as their language wants, a good guess for aliases.
 */
export function resolveImport(
  imported: Import,
  from: { path: string; language: string },
  paths: PathIndex,
): readonly string[] {
  const resolve = resolvers.get(from.language);
  if (resolve === undefined || imported.source === '') return [];
  const found = resolve({ ...imported, directory: directoryOf(from.path), paths });
  return [...new Set(found)].filter((path) => path !== from.path).slice(0, maxFiles);
}

type Resolving = Import & { readonly directory: string; readonly paths: PathIndex };
type Resolver = (resolving: Resolving) => readonly string[];

const scripts = ['ts', 'tsx', 'mts', 'cts', 'js', 'jsx', 'mjs', 'cjs', 'd.ts'];

function ecmascript({ source, directory, paths }: Resolving): readonly string[] {
  const target = source.startsWith('.') ? joinPath(directory, source) : null;
  if (source.startsWith('.') && target === null) return [];
  // `@/cart` and `~/cart` are aliases of a source folder; `shop/cart` may be one.
  const path = target ?? source.replace(/^[@~]\//, '');
  // In TypeScript `./cart.js` may mean `./cart.ts`.
  const stem = path.replace(/\.[mc]?[jt]sx?$/, '');
  const candidates = [
    path,
    ...scripts.flatMap((extension) => [`${stem}.${extension}`, `${path}.${extension}`, `${path}/index.${extension}`]),
  ];
  if (target !== null) return candidates.filter((candidate) => paths.has(candidate));
  // One segment is a package: `react` is not our `src/react.ts`.
  return path.includes('/') || path !== source ? candidates.flatMap((candidate) => paths.endingIn(candidate)) : [];
}

function python({ source, names, directory, paths }: Resolving): readonly string[] {
  const dots = /^\.*/.exec(source)?.[0].length ?? 0;
  const module = source.slice(dots).replaceAll('.', '/');
  const folder = dots === 0 ? null : joinPath(directory, `${'../'.repeat(dots - 1)}${module}`);
  const base = folder ?? module;
  const submodules = [...new Set(names.map(({ name }) => `${base}/${name}`))].slice(0, maxSegments);
  return [base, ...submodules].flatMap((stem) =>
    [`${stem}.py`, `${stem}/__init__.py`, `${stem}.pyi`].flatMap((path) => {
      if (dots > 0) return paths.has(path) ? [path] : [];
      return paths.endingIn(path);
    }),
  );
}

function go({ source, paths }: Resolving): readonly string[] {
  const isGo = (path: string) => path.endsWith('.go');
  const files = byEnd(source.split('/'), (end) => paths.inDirectory(end).filter(isGo));
  return files.filter((path) => !path.endsWith('_test.go'));
}

/** What is found by all parts, else without the first of them, and so on. */
function byEnd(parts: readonly string[], find: (end: string) => readonly string[]): readonly string[] {
  for (let start = 0; start < parts.length; start += 1) {
    const found = find(parts.slice(start).join('/'));
    if (found.length > 0) return found;
  }
  return [];
}

function java({ source, paths }: Resolving): readonly string[] {
  const path = source.replaceAll('.', '/');
  // A static import, or a class within a class, names more than the file.
  const found = [path, directoryOf(path)].map((stem) => (stem === '' ? [] : paths.endingIn(`${stem}.java`)));
  return found.find((paths) => paths.length > 0) ?? [];
}

function ruby({ source, directory, paths }: Resolving): readonly string[] {
  const file = source.endsWith('.rb') ? source : `${source}.rb`;
  const relative = joinPath(directory, file);
  if (relative !== null && paths.has(relative)) return [relative];
  return source.startsWith('.') ? [] : paths.endingIn(file);
}

function rust({ source, paths, directory }: Resolving): readonly string[] {
  const segments = source
    .match(/[a-z_][a-z0-9_]*/g)
    ?.filter((word) => !['crate', 'self', 'super', 'as'].includes(word));
  const crate = /^(.*?)src(?:\/|$)/.exec(`${directory}/`)?.[1] ?? '';
  const files = [...new Set(segments ?? [])]
    .slice(0, maxSegments)
    .flatMap((name) =>
      [...paths.endingIn(`${name}.rs`), ...paths.endingIn(`${name}/mod.rs`)].filter((path) => path.startsWith(crate)),
    );
  // The deepest module is meant.
  return files.reverse();
}

function c({ source, directory, paths }: Resolving): readonly string[] {
  const relative = joinPath(directory, source);
  const headers =
    relative !== null && paths.has(relative) ? [relative] : paths.endingIn(source.replace(/^(\.\.?\/)+/, ''));
  // What a header declares, the file beside it defines.
  return headers.slice(0, 3).flatMap((header) => {
    const stem = header.replace(/\.[a-z]+$/i, '');
    return [header, ...['c', 'cc', 'cpp', 'cxx'].map((extension) => `${stem}.${extension}`)].filter((path) =>
      paths.has(path),
    );
  });
}

function csharp({ source, paths }: Resolving): readonly string[] {
  return byEnd(source.split('.'), (end) => paths.inDirectory(end).filter((path) => path.endsWith('.cs')));
}

function php({ source, directory, paths }: Resolving): readonly string[] {
  if (source.endsWith('.php')) {
    const relative = joinPath(directory, source);
    return relative !== null && paths.has(relative) ? [relative] : paths.endingIn(source.replace(/^[./]+/, ''));
  }
  // The first parts of a namespace are mapped to a folder by composer.json.
  return byEnd(source.replace(/^\\/, '').split('\\'), (end) => paths.endingIn(`${end}.php`));
}

const resolvers: ReadonlyMap<string, Resolver> = new Map([
  ['ecmascript', ecmascript],
  ['python', python],
  ['go', go],
  ['java', java],
  ['ruby', ruby],
  ['rust', rust],
  ['c++', c],
  ['c#', csharp],
  ['php', php],
]);

const maxImportedFiles = 60;

/** The repository's files that a file imports. */
export async function importedPaths(index: SymbolIndex, file: IndexedFile): Promise<readonly string[]> {
  const known = imported.get(file);
  if (known !== undefined) return known;
  const { imports, language } = file.syntax;
  const paths = await index.paths();
  const found = imports.flatMap((each) => resolveImport(each, { path: file.path, language }, paths));
  const distinct = [...new Set(found)].slice(0, maxImportedFiles);
  imported.set(file, distinct);
  return distinct;
}

/** Of each file once: every changed file asks those near it. */
const imported = new WeakMap<IndexedFile, readonly string[]>();

/** What the file calls that which it imports. Where the language does not say, a package is known by the end of its path. */
export function localNames({ names, source }: Import): readonly string[] {
  return names.length > 0 ? names.map(({ local }) => local) : source.split(/[/.:\\]+/).slice(-1);
}

/** Whether a file is one of those that gather what others export, such as `index.ts`. */
export function gathers(path: string): boolean {
  return gathering.test(path);
}

const gathering = /(^|\/)(index\.[mc]?[jt]sx?|__init__\.py|mod\.rs|lib\.rs)$/;

/** Steps of barrels such as `index.ts` that are followed. */
const maxSteps = 3;

/** The files that a file imports, and those that they export from. */
export async function importedFiles(index: SymbolIndex, from: IndexedFile): Promise<readonly IndexedFile[]> {
  return await withBarrels(index, await importedPaths(index, from));
}

/** The same of a single import. */
export async function behind(
  index: SymbolIndex,
  { from, source }: { from: IndexedFile; source: Import },
): Promise<readonly IndexedFile[]> {
  const paths = resolveImport(source, { path: from.path, language: from.syntax.language }, await index.paths());
  return await withBarrels(index, paths);
}

async function withBarrels(index: SymbolIndex, paths: readonly string[]): Promise<readonly IndexedFile[]> {
  const found = new Set<IndexedFile>();
  let next = await readFiles(index, paths);
  for (let step = 0; step < maxSteps && next.length > 0 && found.size < maxImportedFiles; step += 1) {
    for (const file of next) found.add(file);
    const onwards = [];
    for (const file of next.filter(({ path }) => gathers(path))) onwards.push(...(await importedPaths(index, file)));
    const fresh = await readFiles(index, [...new Set(onwards)].slice(0, maxImportedFiles));
    next = fresh.filter((file) => !found.has(file));
  }
  return [...found].slice(0, maxImportedFiles);
}

/** Files that are imported by those that define these types: what a type extends has members too. */
export async function ancestorsOf(
  index: SymbolIndex,
  { near, types }: { near: readonly IndexedFile[]; types: Set<string> },
): Promise<readonly IndexedFile[]> {
  const found = new Set<IndexedFile>();
  let files = near;
  for (let step = 0; step < maxSteps; step += 1) {
    const fresh: IndexedFile[] = [];
    for (const file of files) {
      for (const { name, startLine, signatureEndLine } of file.syntax.definitions.filter((each) =>
        types.has(each.name),
      )) {
        const head = file.lines.slice(startLine - 1, Math.min(signatureEndLine, startLine + 4)).map(({ text }) => text);
        const parents = new Set(
          head
            .join(' ')
            .slice(0, 400)
            .match(/\b[A-Z]\w+/g),
        );
        const sources = file.syntax.imports.filter((each) => localNames(each).some((local) => parents.has(local)));
        for (const parent of parents) if (parent !== name) types.add(parent);
        for (const source of sources) fresh.push(...(await behind(index, { from: file, source })));
      }
    }
    files = fresh.filter((file) => !found.has(file) && !near.includes(file));
    for (const file of files) found.add(file);
  }
  return [...found];
}
