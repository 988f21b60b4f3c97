import { resolveImport } from '../context/resolve-import.ts';
import type { SymbolIndex } from '../context/symbol-index.ts';
import type { ChangedFile } from '../pull-request/changed-file.ts';

/** Which changed files import which: by path, in both directions. */
export type Relations = ReadonlyMap<string, ReadonlySet<string>>;

export const noRelations: Relations = new Map();

/**
 * Files that are parsed for this, their characters, imports of one and of all, and targets of one import. What gathers a whole folder relates
 * nothing in particular. The index still knows these files when their batches ask for them.
 */
const limits = { files: 300, characters: 3_000_000, ofFile: 300, imports: 20_000, targets: 8 } as const;

/** The imports among changed files, parsed at head. What is not parsed relates nothing; above 300 changed files the plan goes by names and directories. */
export async function importsAmong(
  files: readonly ChangedFile[],
  /** `signal` is that of the run: nothing more is parsed for a plan that nobody waits for. */
  { symbols, signal }: { symbols: SymbolIndex; signal: AbortSignal },
): Promise<Relations> {
  const parsable = files.filter(
    ({ status, kind, path }) => status !== 'deleted' && kind === 'text' && symbols.knows(path),
  );
  if (parsable.length > limits.files) return noRelations;
  const paths = await symbols.paths();
  const changed = new Set(files.map(({ path }) => path));
  const relations = new Map<string, Set<string>>();
  const relate = (one: string, other: string) => {
    relations.set(one, (relations.get(one) ?? new Set()).add(other));
    relations.set(other, (relations.get(other) ?? new Set()).add(one));
  };
  let imports = 0;
  let characters = 0;
  for (const { path } of parsable) {
    if (imports >= limits.imports || characters >= limits.characters || signal.aborted) break;
    const file = await symbols.file(path);
    if (file === null) continue;
    const { language, imports: found } = file.syntax;
    imports += found.length;
    characters += file.lines.reduce((sum, { text }) => sum + text.length, 0);
    for (const each of found.slice(0, limits.ofFile)) {
      const targets = resolveImport(each, { path, language }, paths).filter((target) => target !== path);
      if (targets.length > limits.targets) continue;
      for (const target of targets.filter((one) => changed.has(one))) relate(path, target);
    }
  }
  return relations;
}
