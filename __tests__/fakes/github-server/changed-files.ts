import { gitFact, gitFactText } from '../world/git.ts';

type RestStatus = 'added' | 'removed' | 'modified' | 'renamed' | 'copied' | 'changed' | 'unchanged';

export type DiffFile = {
  readonly filename: string;
  readonly previousFilename: string | null;
  readonly status: RestStatus;
  readonly blob: string;
  readonly additions: number;
  readonly deletions: number;
  /** From the first `@@`; null for a file without text changes. */
  readonly patch: string | null;
  readonly hunks: readonly HunkRange[];
};

export type PullDiff = { readonly mergeBase: string; readonly text: string; readonly files: readonly DiffFile[] };

// The empty tree, so that no attributes of the repository change what git shows (git 2.41 and later read it).
const noAttributes = { GIT_ATTR_SOURCE: '4b825dc642cb6eb9a060e54bf8d69288fbee4904' };

/** The three-dot diff between two commits, as GitHub shows it. */
export async function readPullDiff(
  gitDirectory: string,
  { base, head }: { readonly base: string; readonly head: string },
): Promise<PullDiff> {
  const mergeBase = await gitFactText(gitDirectory, ['merge-base', base, head]);
  const options = ['--find-renames', '--full-index', '--no-color', '--ignore-submodules=none'];
  const diff = (format: readonly string[]) =>
    gitFact({
      directory: gitDirectory,
      args: ['-c', 'core.quotePath=false', 'diff', ...options, ...format, mergeBase, head],
      environment: noAttributes,
    });
  const [raw, numstat, patch] = await Promise.all([
    diff(['--raw', '-z', '--abbrev=40']),
    diff(['--numstat', '-z']),
    diff(['-U3']),
  ]);
  const text = patch.toString('utf8');
  return { mergeBase, text, files: diffFiles({ raw: raw.toString('utf8'), numstat: numstat.toString('utf8'), text }) };
}

function diffFiles(diff: { raw: string; numstat: string; text: string }): readonly DiffFile[] {
  // Inside a hunk every line starts with a space, a sign or a backslash: only headers start with `diff --git`.
  // Split by \n alone: `^` would also match after a lone carriage return or U+2028 inside a line.
  const sections = diff.text.split(/(?<=\n)(?=diff --git )/).filter((section) => section !== '');
  const counts = parseCounts(diff.numstat);
  let next = 0;
  return parseRaw(diff.raw).map((entry, index) => {
    // Git prints a type change as a deletion and an addition.
    const taken = sections.slice(next, next + (entry.letter === 'T' ? 2 : 1));
    next += taken.length;
    const patch = taken.map(bodyOf).join('\n');
    const count = counts[index] ?? { additions: 0, deletions: 0 };
    return { ...describe(entry), ...count, patch: patch === '' ? null : patch, hunks: hunkRanges(patch) };
  });
}

type RawEntry = { readonly letter: string; readonly blob: string; readonly from: string; readonly to: string };

function parseRaw(raw: string): readonly RawEntry[] {
  const tokens = raw.split('\0');
  const entries: RawEntry[] = [];
  for (let index = 0; index + 1 < tokens.length; ) {
    const [, , , blob = '', status = ''] = (tokens[index] ?? '').split(' ');
    const from = tokens[index + 1] ?? '';
    const two = status.startsWith('R') || status.startsWith('C');
    const to = two ? (tokens[index + 2] ?? '') : from;
    entries.push({ letter: status.slice(0, 1), blob, from, to });
    index += two ? 3 : 2;
  }
  return entries;
}

function parseCounts(numstat: string): readonly { additions: number; deletions: number }[] {
  const matches = numstat.matchAll(/(?:^|\0)(\d+|-)\t(\d+|-)\t/g);
  return [...matches].map(([, additions, deletions]) => ({
    additions: Number(additions) || 0,
    deletions: Number(deletions) || 0,
  }));
}

function describe(entry: RawEntry): Pick<DiffFile, 'filename' | 'previousFilename' | 'status' | 'blob'> {
  const moved = entry.letter === 'R' || entry.letter === 'C';
  return {
    filename: entry.to,
    previousFilename: moved ? entry.from : null,
    status: statuses[entry.letter] ?? 'modified',
    blob: entry.blob,
  };
}

const statuses: Readonly<Record<string, RestStatus>> = {
  A: 'added',
  D: 'removed',
  M: 'modified',
  R: 'renamed',
  C: 'copied',
  T: 'changed',
};

function bodyOf(section: string): string {
  const start = section.indexOf('\n@@ ');
  return start === -1 ? '' : section.slice(start + 1).replace(/\n$/, '');
}

type HunkRange = {
  readonly oldStart: number;
  readonly oldEnd: number;
  readonly newStart: number;
  readonly newEnd: number;
};

/**
 * The hunks of one file's patch. Written on its own, without the product's parser, so that a mistake there cannot hide
 * here: GitHub takes comments on every line a hunk shows, and a hunk shows a gapless range of lines on each side.
 */
function hunkRanges(patch: string): readonly HunkRange[] {
  return patch.split('\n').flatMap((line) => {
    const header = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/.exec(line);
    if (header === null) return [];
    const [, oldStart, oldCount, newStart, newCount] = header;
    return {
      oldStart: Number(oldStart),
      oldEnd: Number(oldStart) + Number(oldCount ?? 1) - 1,
      newStart: Number(newStart),
      newEnd: Number(newStart) + Number(newCount ?? 1) - 1,
    };
  });
}

/** Index of the hunk that shows a line; -1 when none does. */
export function hunkIndex(
  hunks: readonly HunkRange[],
  { side, line }: { readonly side: 'RIGHT' | 'LEFT'; readonly line: number },
): number {
  return hunks.findIndex((hunk) =>
    side === 'RIGHT' ? line >= hunk.newStart && line <= hunk.newEnd : line >= hunk.oldStart && line <= hunk.oldEnd,
  );
}
