import { indexPaths, type PathIndex } from '../context/paths.ts';
import { resolveImport } from '../context/resolve-import.ts';
import { type ImportLines, importLines } from '../languages/import-lines.ts';
import type { ChangedFile } from '../pull-request/changed-file.ts';
import type { Repository } from '../repository/repository.ts';

/** Which changed files import which: by path, in both directions. */
export type Relations = ReadonlyMap<string, ReadonlySet<string>>;

export const noRelations: Relations = new Map();

/** Files that are read for this, bytes of one, and targets of one import. What gathers a whole folder relates nothing in particular. */
const limits = { files: 1_000, fileBytes: 200_000, imports: 20_000, targets: 8 } as const;

/**
 * The imports among changed files, read at head. Decided by the commits alone: no time limit has a part in it. Above 1,000 changed files
 * the plan goes by names and directories.
 */
export async function importsAmong(
  files: readonly ChangedFile[],
  {
    repository,
    isDenied,
    signal,
  }: {
    repository: Repository;
    /** Why a path may not be read; null when it may. */
    isDenied: (path: string) => string | null;
    /** Of the run: nothing more is read for a plan that nobody waits for. */
    signal: AbortSignal;
  },
): Promise<Relations> {
  const readable = files.filter(
    ({ status, kind, path }) => status !== 'deleted' && kind === 'text' && isDenied(path) === null,
  );
  if (readable.length > limits.files) return noRelations;
  const paths = indexPaths(
    (await repository.listFiles('head')).flatMap(({ path, kind }) => (kind === 'file' ? [path] : [])),
  );
  const changed = new Set(files.map(({ path }) => path));
  const relations = new Map<string, Set<string>>();
  const relate = (one: string, other: string) => {
    relations.set(one, (relations.get(one) ?? new Set()).add(other));
    relations.set(other, (relations.get(other) ?? new Set()).add(one));
  };
  let imports = 0;
  for (const { path } of readable) {
    if (imports >= limits.imports || signal.aborted) break;
    const content = await repository.readFile(path, 'head');
    if (content.kind !== 'text' || content.bytes > limits.fileBytes) continue;
    const found = importLines(path, content.text);
    imports += found?.imports.length ?? 0;
    for (const target of targets(path, { found, paths })) {
      if (changed.has(target) && target !== path) relate(path, target);
    }
  }
  return relations;
}

function targets(path: string, { found, paths }: { found: ImportLines | null; paths: PathIndex }): readonly string[] {
  if (found === null) return [];
  return found.imports.flatMap((each) => {
    const resolved = resolveImport(each, { path, language: found.language }, paths);
    return resolved.length > limits.targets ? [] : resolved;
  });
}
