import { compareText, groupBy } from '../text.ts';
/** The paths of a repository, to be found by how they end. */
export type PathIndex = {
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
  return one.length - other.length || compareText(one, other);
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

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** Orders paths by how near they are to another: the same directory first, then the most folders in common, then by name. */
export function compareNearness(from: string): (one: string, other: string) => number {
  const directory = directoryOf(from);
  const isBeside = (path: string) => Number(directoryOf(path) === directory);
  return (one, other) =>
    isBeside(other) - isBeside(one) || sharedParts(other, from) - sharedParts(one, from) || compareText(one, other);
}

/** How many leading folders two paths have in common. */
function sharedParts(one: string, other: string): number {
  const [parts, others] = [directoryOf(one).split('/'), directoryOf(other).split('/')];
  const end = parts.findIndex((part, index) => part !== others[index]);
  return end === -1 ? parts.length : end;
}

/** Whether a path is that of a text for people, by its ending. */
export function isProsePath(path: string): boolean {
  return /\.(?:md|mdx|markdown|txt|rst|adoc)$/i.test(path);
}

/** Whether a path looks like a test's, by the conventions of many languages. */
export function isTestPath(path: string): boolean {
  return testFolder.test(path) || testName.test(path.slice(path.lastIndexOf('/') + 1));
}

const testFolder = /(?:^|\/)(?:__tests__|tests?|specs?|e2e)\//;
const testName =
  /[._-](?:tests?|specs?|e2e)\.[a-z0-9]+$|^test_.+\.py$|^[A-Z]\w*(?:Tests?|Spec|IT)\.(?:java|kt|cs|scala|groovy|swift|php)$/;

/** What a test is called after: `tax` of `tax.ts`, `tax.test.ts`, `test_tax.py`, `tax_test.go`, `TaxTest.java`. */
export function subjectStem(path: string): string {
  return path
    .slice(path.lastIndexOf('/') + 1)
    .replace(/\.[a-z0-9]+$/i, '')
    .replace(/[._-](test|tests|spec|specs|e2e)$|(?<=[a-z0-9])(Test|Tests|Spec|IT)$/, '')
    .replace(/^test_/, '')
    .toLowerCase();
}
