import type { ChangedFile, Hunk } from '../pull-request/changed-file.ts';
import type { Scope } from './memory.ts';

export type Narrowed = {
  readonly kept: readonly ChangedFile[];
  /** Files whose change was reviewed before and that no push touched since. */
  readonly earlier: readonly string[];
};

/** Lines between a hunk of the pull request and a line changed since: what adjoins belongs together. */
const nearby = 3;

/** Of the files to review, what the scope asks for: with an incremental one the hunks that were touched since, and files left unreviewed. */
export function narrowToScope(kept: readonly ChangedFile[], scope: Scope): Narrowed {
  if (scope.kind === 'full') return { kept, earlier: [] };
  const since = new Map(scope.changed.map((file) => [file.path, file]));
  const unreviewed = new Set(scope.unreviewed);
  const paths = new Set(kept.map(({ path }) => path));
  // What the pull request had renamed and a push took away is the deletion of a path that the push does not name.
  const tookAway = scope.changed.some(
    ({ status, path }) => status === 'renamed' || (status === 'deleted' && !paths.has(path)),
  );
  const isWhole = ({ path, status }: ChangedFile) =>
    unreviewed.has(path) || (tookAway && status === 'deleted' && !since.has(path));
  const narrowed = kept.map((file) => ({
    file,
    now: isWhole(file) ? file : touched(file, since.get(file.path)),
  }));
  return {
    kept: narrowed.flatMap(({ now }) => now ?? []),
    earlier: narrowed.flatMap(({ file, now }) => (now === null ? [file.path] : [])),
  };
}

/** The file with the hunks that were touched since; null when none was. */
function touched(file: ChangedFile, since: ChangedFile | undefined): ChangedFile | null {
  if (since === undefined) return null;
  // The same text may mean something else under another name or mode.
  if (since.path !== since.oldPath || since.modeChange !== null) return file;
  if (file.hunks.length === 0 || since.hunks.length === 0 || since.incomplete !== null) return file;
  const changed = since.hunks.flatMap(changedLines).sort((one, other) => one - other);
  const hunks = file.hunks.filter((hunk) => adjoins(hunk, changed));
  return hunks.length === 0 ? null : withHunks(file, hunks);
}

/** Both are counted in lines of the present head; asked by halving, since a file may have thousands of hunks. */
function adjoins(hunk: Hunk, changed: readonly number[]): boolean {
  const first = hunk.newStart - nearby;
  const last = hunk.newStart + hunk.newLines + nearby;
  let [low, high] = [0, changed.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((changed[middle] ?? 0) < first) low = middle + 1;
    else high = middle;
  }
  return (changed[low] ?? Number.POSITIVE_INFINITY) <= last;
}

/** The new lines that a hunk adds, and for what it removes the line behind it. */
function changedLines(hunk: Hunk): readonly number[] {
  const lines: number[] = [];
  let newLine = hunk.newLines === 0 ? hunk.newStart + 1 : hunk.newStart;
  for (const line of hunk.lines) {
    if (line.startsWith('+')) lines.push(newLine++);
    else if (line.startsWith('-')) lines.push(newLine);
    else if (!line.startsWith('\\')) newLine += 1;
  }
  return lines;
}

function withHunks(file: ChangedFile, hunks: readonly Hunk[]): ChangedFile {
  if (hunks.length === file.hunks.length) return file;
  const count = (sign: string) =>
    hunks.reduce((sum, { lines }) => sum + lines.filter((line) => line.startsWith(sign)).length, 0);
  return { ...file, hunks, additions: count('+'), deletions: count('-') };
}
