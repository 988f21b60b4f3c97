import { gitFact, gitFactText } from '../world/git.ts';

type RestStatus = 'added' | 'removed' | 'modified' | 'renamed' | 'changed';

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
  const [raw, patch] = await Promise.all([diff(['--raw', '-z', '--abbrev=40']), diff(['-U3'])]);
  const text = patch.toString('utf8');
  return { mergeBase, text, files: diffFiles(raw.toString('utf8'), text) };
}

// `:<mode> <mode> <blob> <blob> <letter>`, and one path; of a rename its similarity and both.
const rawEntries = /:\d+ \d+ \w+ (\w+) (?:R\d+\0([^\0]+)|([A-Z]))\0([^\0]+)\0/g;

function diffFiles(raw: string, text: string): readonly DiffFile[] {
  // Inside a hunk every line starts with a space, a sign or a backslash: only headers start with `diff --git`.
  // Split by \n alone: `^` would also match after a lone carriage return or U+2028 inside a line.
  const sections = text.split(/(?<=\n)(?=diff --git )/).filter((section) => section !== '');
  let next = 0;
  return [...raw.matchAll(rawEntries)].map(([, blob = '', from = null, letter = 'R', filename = '']) => {
    // Git prints a type change as a deletion and an addition.
    const taken = sections.slice(next, next + (letter === 'T' ? 2 : 1));
    next += taken.length;
    const patch = taken.map(bodyOf).join('\n');
    const lines = patch.split('\n');
    return {
      filename,
      previousFilename: from,
      status: statuses[letter] ?? 'modified',
      blob,
      additions: lines.filter((line) => line.startsWith('+')).length,
      deletions: lines.filter((line) => line.startsWith('-')).length,
      patch: patch === '' ? null : patch,
      hunks: hunkRanges(patch),
    };
  });
}

const statuses: Readonly<Record<string, RestStatus>> = { A: 'added', D: 'removed', R: 'renamed', T: 'changed' };

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
