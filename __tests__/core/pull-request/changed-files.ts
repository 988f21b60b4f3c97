import type { ChangedFile, Hunk } from '../../../src/core/pull-request/changed-file.ts';
import { changedFile as fileWithout, hunkOf } from '../../fakes/memory-repository.ts';

/** A changed file of one hunk that adds a line at line 1, unless said otherwise. */
export function changedFile(path: string, overrides: Partial<ChangedFile> = {}): ChangedFile {
  return fileWithout(path, { hunks: [addedHunk(['const one = 1;'])], additions: 1, ...overrides });
}

export function addedHunk(lines: readonly string[], newStart = 1): Hunk {
  return hunkOf(
    lines.map((line) => `+${line}`),
    { oldStart: newStart - 1, newStart },
  );
}
