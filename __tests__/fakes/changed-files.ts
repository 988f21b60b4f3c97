import type { ChangedFile, Hunk } from '../../src/core/pull-request/changed-file.ts';

/** A modified text file with one hunk at line 1, but for what is given. */
export function changedFile(
  path: string,
  options: Partial<ChangedFile> & { lines?: readonly string[] } = {},
): ChangedFile {
  const { lines, ...rest } = options;
  return {
    path,
    oldPath: path,
    status: 'modified',
    kind: 'text',
    additions: 0,
    deletions: 0,
    hunks: lines === undefined ? [] : [hunkOf(lines)],
    modeChange: null,
    generated: false,
    incomplete: null,
    ...rest,
  };
}

/** A hunk whose lines keep their sign; the counts follow from them. */
export function hunkOf(
  lines: readonly string[],
  start: { readonly oldStart?: number; readonly newStart?: number; readonly heading?: string } = {},
): Hunk {
  const count = (signs: string) => lines.filter((line) => signs.includes(line.charAt(0))).length;
  return { oldStart: 1, newStart: 1, heading: '', ...start, oldLines: count(' -'), newLines: count(' +'), lines };
}

/** A file that adds these lines. */
export function addedFile(path: string, lines: readonly string[]): ChangedFile {
  return changedFile(path, { status: 'added', lines: lines.map((line) => `+${line}`) });
}
