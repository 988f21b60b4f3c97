import type { ChangedFile, Hunk } from '../../../src/core/pull-request/changed-file.ts';

/** A changed file of one hunk that adds the given lines at line 1, unless said otherwise. */
export function changedFile(path: string, overrides: Partial<ChangedFile> = {}): ChangedFile {
  const hunks = overrides.hunks ?? [addedHunk(['const one = 1;'])];
  const lines = hunks.flatMap((hunk) => hunk.lines);
  return {
    path,
    oldPath: path,
    status: 'modified',
    kind: 'text',
    additions: lines.filter((line) => line.startsWith('+')).length,
    deletions: lines.filter((line) => line.startsWith('-')).length,
    modeChange: null,
    generated: false,
    incomplete: null,
    ...overrides,
    hunks,
  };
}

export function addedHunk(lines: readonly string[], newStart = 1): Hunk {
  return {
    oldStart: newStart === 1 ? 0 : newStart - 1,
    oldLines: 0,
    newStart,
    newLines: lines.length,
    heading: '',
    lines: lines.map((line) => `+${line}`),
  };
}
