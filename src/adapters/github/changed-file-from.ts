import type { ChangedFile, FileStatus, Hunk } from '../../core/pull-request/changed-file.ts';
import { parsePatchText } from '../../core/pull-request/parse-diff.ts';
import type { GitHub } from './client.ts';

/** One file as the files API lists it. */
export type DiffEntry = Awaited<ReturnType<GitHub['rest']['pulls']['listFiles']>>['data'][number];

/**
 * What the API tells of one file. It knows no modes, no symbolic links and no attributes; it leaves the patch out of
 * binary and of large files (FAILURES D2).
 */
export function changedFileFrom(entry: DiffEntry): ChangedFile {
  const hunks = parsePatchText(entry.patch ?? '');
  return {
    path: entry.filename,
    oldPath: entry.previous_filename ?? entry.filename,
    status: statuses[entry.status],
    kind: kindOf(entry, hunks),
    additions: entry.additions,
    deletions: entry.deletions,
    hunks,
    modeChange: null,
    generated: false,
    incomplete: whyIncomplete(entry, hunks),
  };
}

const statuses: { readonly [status in DiffEntry['status']]: FileStatus } = {
  added: 'added',
  removed: 'deleted',
  modified: 'modified',
  renamed: 'renamed',
  copied: 'copied',
  changed: 'type-changed',
  unchanged: 'modified',
};

// git's hash of no content at all.
const emptyBlob = 'e69de29bb2d1d6434b8b29ae775ad8c2e48c5391';

function kindOf(entry: DiffEntry, hunks: readonly Hunk[]): ChangedFile['kind'] {
  if (hasNoLines(entry)) return 'binary';
  const changed = hunks.flatMap((hunk) => hunk.lines).filter((line) => /^[+-]/.test(line));
  const submodule = changed.length > 0 && changed.every((line) => /^[+-]Subproject commit [0-9a-f]{40,64}/.test(line));
  return submodule ? 'submodule' : 'text';
}

function whyIncomplete(entry: DiffEntry, hunks: readonly Hunk[]): string | null {
  if (hasNoLines(entry)) return 'GitHub shows no lines of it: it is binary, or only its mode changed';
  if (entry.patch === undefined && entry.changes > 0) return 'GitHub leaves out its patch: it is too large';
  const lines = hunks.flatMap((hunk) => hunk.lines);
  const additions = lines.filter((line) => line.startsWith('+')).length;
  const deletions = lines.filter((line) => line.startsWith('-')).length;
  if (additions === entry.additions && deletions === entry.deletions) return null;
  return 'the patch shows fewer or other lines than were changed';
}

function hasNoLines(entry: DiffEntry): boolean {
  const moved = entry.status === 'renamed' || entry.status === 'copied';
  return entry.patch === undefined && entry.changes === 0 && !moved && entry.sha !== emptyBlob;
}
