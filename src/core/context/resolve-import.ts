import type { Import } from '../languages/syntax.ts';
import { directoryOf, joinPath, type PathIndex } from './paths.ts';
import type { IndexedFile, SymbolIndex } from './symbol-index.ts';

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

const scripts = ['ts', 'tsx', 'mts', 'cts', 'js', 'jsx', 'mjs', 'cjs', 'd.ts', 'vue', 'svelte', 'astro'];

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
  const parts = source.split('/');
  for (let start = 0; start < parts.length; start += 1) {
    const files = paths.inDirectory(parts.slice(start).join('/')).filter((path) => path.endsWith('.go'));
    if (files.length > 0) return files.filter((path) => !path.endsWith('_test.go'));
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
  const parts = source.split('.');
  for (let start = 0; start < parts.length; start += 1) {
    const files = paths.inDirectory(parts.slice(start).join('/')).filter((path) => path.endsWith('.cs'));
    if (files.length > 0) return files;
  }
  return [];
}

function php({ source, directory, paths }: Resolving): readonly string[] {
  if (source.endsWith('.php')) {
    const relative = joinPath(directory, source);
    return relative !== null && paths.has(relative) ? [relative] : paths.endingIn(source.replace(/^[./]+/, ''));
  }
  const parts = source.replace(/^\\/, '').split('\\');
  // The first parts of a namespace are mapped to a folder by composer.json.
  for (let start = 0; start < parts.length; start += 1) {
    const files = paths.endingIn(`${parts.slice(start).join('/')}.php`);
    if (files.length > 0) return files;
  }
  return [];
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
  const { imports, language } = file.syntax;
  const paths = await index.paths();
  const found = imports.flatMap((each) => resolveImport(each, { path: file.path, language }, paths));
  return [...new Set(found)].slice(0, maxImportedFiles);
}

/** Whether a file is one of those that gather what others export, such as `index.ts`. */
export function gathers(path: string): boolean {
  return gathering.test(path);
}

const gathering = /(^|\/)(index\.[mc]?[jt]sx?|__init__\.py|mod\.rs|lib\.rs)$/;
