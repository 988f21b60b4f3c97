import { isTestPath, subjectStem } from './test-path.ts';

/** The paths of a repository, to be found by how they end. */
export type PathIndex = {
  /** How many there are. */
  readonly size: number;
  has(path: string): boolean;
  /** Paths that are `end` or end in `/end`, the shortest first. */
  endingIn(end: string): readonly string[];
  /** The files directly in a directory. */
  inDirectory(directory: string): readonly string[];
  /** Tests that are called after a subject, such as `tax` (`subjectStem`). */
  tests(stem: string): readonly string[];
};

export function indexPaths(paths: readonly string[]): PathIndex {
  const all = new Set(paths);
  const byName = groupBy([...paths].sort(shortestFirst), nameOf);
  const endings = new Map<string, readonly string[]>();
  const byDirectory = groupBy(paths, directoryOf);
  const testsByStem = groupBy(paths.filter(isTestPath), subjectStem);
  return {
    size: all.size,
    has: (path) => all.has(path),
    // Asked for the same ends again and again: by every file that imports the same.
    endingIn: (end) => {
      const known = endings.get(end);
      if (known !== undefined) return known;
      const found = (byName.get(nameOf(end)) ?? []).filter((path) => path === end || path.endsWith(`/${end}`));
      if (endings.size < maxEndings) endings.set(end, found);
      return found;
    },
    inDirectory: (directory) => byDirectory.get(directory) ?? [],
    tests: (stem) => testsByStem.get(stem) ?? [],
  };
}

const maxEndings = 50_000;

function shortestFirst(one: string, other: string): number {
  return one.length - other.length || (one < other ? -1 : 1);
}

export function directoryOf(path: string): string {
  return path.includes('/') ? path.slice(0, path.lastIndexOf('/')) : '';
}

/** `b/c` from `a` is `a/b/c`, `../c` is `c`; null when it leaves the repository. */
export function joinPath(directory: string, relative: string): string | null {
  const parts = directory === '' ? [] : directory.split('/');
  for (const part of relative.split('/')) {
    if (part === '' || part === '.') continue;
    if (part !== '..') parts.push(part);
    else if (parts.pop() === undefined) return null;
  }
  return parts.join('/');
}

function groupBy(paths: readonly string[], keyOf: (path: string) => string): ReadonlyMap<string, readonly string[]> {
  const groups = new Map<string, string[]>();
  for (const path of paths) {
    const group = groups.get(keyOf(path));
    if (group === undefined) groups.set(keyOf(path), [path]);
    else group.push(path);
  }
  return groups;
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
