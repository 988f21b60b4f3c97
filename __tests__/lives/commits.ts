import { createHash } from 'node:crypto';
import { structuredPatch } from 'diff';
import { type PlacedGuard, type PlacedTrap, render, type Tree } from './code.ts';

export type Commit = {
  /** Full hash. */
  readonly sha: string;
  readonly parents: readonly Commit[];
  readonly tree: Tree;
  readonly texts: ReadonlyMap<string, string>;
  readonly traps: readonly PlacedTrap[];
  readonly guards: readonly PlacedGuard[];
};

/** What a commit is before it has a hash. */
export type Unnamed = Pick<Commit, 'texts' | 'parents'>;

/** `name` gives it its hash. */
export function commitOf(tree: Tree, parents: readonly Commit[], name: (commit: Unnamed) => string): Commit {
  const files = [...tree].sort(([one], [other]) => (one < other ? -1 : 1));
  const rendered = files.map(([path, file]) => [path, render(path, file)] as const);
  const texts = new Map(rendered.map(([path, { text }]) => [path, text]));
  return {
    ...{ sha: name({ texts, parents }), parents, tree, texts },
    traps: rendered.flatMap(([, { traps }]) => traps),
    guards: rendered.flatMap(([, { guards }]) => guards),
  };
}

/** Names commits by their numbers. */
export function numbered(): (commit: Unnamed) => string {
  let commits = 0;
  return () => digest(`commit ${++commits}`);
}

function digest(text: string): string {
  return createHash('sha1').update(text).digest('hex');
}

/** The commit and all before it. */
export function historyOf(commit: Commit): ReadonlySet<Commit> {
  const known = new Set<Commit>();
  const waiting = [commit];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (known.has(next)) continue;
    known.add(next);
    waiting.push(...next.parents);
  }
  return known;
}

/** The latest commit of a straight line that is in the history of a head too. */
export function mergeBaseOf(line: readonly Commit[], head: Commit): Commit {
  const known = historyOf(head);
  const found = line.findLast((commit) => known.has(commit));
  if (found === undefined) throw new Error('They have nothing in common.');
  return found;
}

type DiffHunk = {
  readonly oldStart: number;
  readonly oldLines: number;
  readonly newStart: number;
  readonly newLines: number;
  readonly lines: readonly string[];
};

/** What one diff says of a file, as git does. */
export type FileDiff = {
  readonly letter: 'A' | 'M' | 'D' | 'R';
  readonly oldPath: string;
  readonly path: string;
  readonly hunks: readonly DiffHunk[];
  /** From the first `@@`; empty for a file that is only renamed. */
  readonly patch: string;
  readonly blob: string;
};

const known = new WeakMap<Commit, WeakMap<Commit, readonly FileDiff[]>>();

/** The files that differ, sorted by path. Renames are found as git finds them: equal, or half of the text is. */
export function diffOf(from: Commit, to: Commit): readonly FileDiff[] {
  const before = known.get(from) ?? new WeakMap<Commit, readonly FileDiff[]>();
  known.set(from, before);
  const files = before.get(to) ?? compare(from.texts, to.texts);
  before.set(to, files);
  return files;
}

type Texts = ReadonlyMap<string, string>;

function compare(from: Texts, to: Texts): readonly FileDiff[] {
  const deleted = [...from.keys()].filter((path) => !to.has(path));
  const added = [...to.keys()].filter((path) => !from.has(path));
  const renames = renamesOf({ deleted, added }, { from, to });
  const moved = new Set(renames.values());
  const changed = [...to.keys()].filter((path) => from.has(path) && from.get(path) !== to.get(path));
  const text = (texts: Texts, path: string) => texts.get(path) ?? '';
  return [
    ...added.map((path) => {
      const oldPath = renames.get(path);
      if (oldPath === undefined) return fileDiff('A', { path, oldPath: path }, ['', text(to, path)]);
      return fileDiff('R', { path, oldPath }, [text(from, oldPath), text(to, path)]);
    }),
    ...deleted
      .filter((path) => !moved.has(path))
      .map((path) => fileDiff('D', { path, oldPath: path }, [text(from, path), ''])),
    ...changed.map((path) => fileDiff('M', { path, oldPath: path }, [text(from, path), text(to, path)])),
  ].sort((one, other) => (one.path < other.path ? -1 : 1));
}

/** By new path the old one. */
function renamesOf(
  { deleted, added }: { deleted: readonly string[]; added: readonly string[] },
  { from, to }: { from: Texts; to: Texts },
): ReadonlyMap<string, string> {
  const pairs = added.flatMap((path) =>
    deleted.map((oldPath) => ({ path, oldPath, share: similarity(from.get(oldPath) ?? '', to.get(path) ?? '') })),
  );
  const renames = new Map<string, string>();
  const taken = new Set<string>();
  for (const { path, oldPath, share } of pairs.toSorted((one, other) => other.share - one.share)) {
    if (share < 0.5 || renames.has(path) || taken.has(oldPath)) continue;
    renames.set(path, oldPath);
    taken.add(oldPath);
  }
  return renames;
}

/** The part of the longer text that stands, by whole lines, in the other one. */
function similarity(one: string, other: string): number {
  const left = new Map<string, number>();
  for (const line of one.split('\n')) left.set(line, (left.get(line) ?? 0) + 1);
  let common = 0;
  for (const line of other.split('\n')) {
    const count = left.get(line) ?? 0;
    if (count === 0) continue;
    left.set(line, count - 1);
    common += line.length + 1;
  }
  return common / Math.max(1, one.length, other.length);
}

function fileDiff(
  letter: FileDiff['letter'],
  paths: Pick<FileDiff, 'path' | 'oldPath'>,
  [before, after]: readonly [string, string],
): FileDiff {
  const { hunks } = structuredPatch('a', 'b', before, after, '', '', { context: 3 });
  const printed = hunks.map(({ oldStart, oldLines, newStart, newLines, lines }) => ({
    ...{ oldLines, newLines, lines },
    oldStart: oldLines === 0 ? oldStart - 1 : oldStart,
    newStart: newLines === 0 ? newStart - 1 : newStart,
  }));
  const old = before.split('\n');
  const patch = printed.map((hunk) => {
    const { oldStart, oldLines, newStart, newLines, lines } = hunk;
    const heading = old.slice(0, Math.max(0, oldStart - 1)).findLast((line) => /^[A-Za-z_$]/.test(line));
    const place = `@@ -${oldStart},${oldLines} +${newStart},${newLines} @@${heading === undefined ? '' : ` ${heading}`}`;
    return [place, ...lines].join('\n');
  });
  return { letter, ...paths, hunks: printed, patch: patch.join('\n'), blob: digest(`blob ${after}`) };
}

/** Where a line of one commit is in another, by its unchanged text alone; null where it is not there. */
export function lineNow(
  { from, to }: { from: Commit; to: Commit },
  { path, line }: { path: string; line: number },
): number | null {
  const file = diffOf(from, to).find(({ oldPath, letter }) => oldPath === path && letter !== 'A');
  if (file === undefined) return to.texts.has(path) ? line : null;
  if (file.letter === 'D') return null;
  let shift = 0;
  for (const { oldStart, oldLines, newLines, lines } of file.hunks) {
    const first = oldLines === 0 ? oldStart + 1 : oldStart;
    if (line < first) break;
    if (line < first + oldLines) return within(lines, { old: first, now: first + shift, line });
    shift += newLines - oldLines;
  }
  return line + shift;
}

function within(rows: readonly string[], at: { old: number; now: number; line: number }): number | null {
  let { old, now } = at;
  for (const row of rows) {
    if (row.startsWith('+')) now += 1;
    else if (row.startsWith('-')) {
      if (old === at.line) return null;
      old += 1;
    } else if (row.startsWith(' ')) {
      if (old === at.line) return now;
      old += 1;
      now += 1;
    }
  }
  return null;
}
