import type { ChangedFile, Hunk } from './changed-file.ts';
import { type DiffEntry, diffEntries } from './diff-entries.ts';
import { type ParsedHunks, parseHunks } from './parse-hunks.ts';

export { parsePatchText } from './parse-hunks.ts';

/**
 * Brings together what git says of one diff. Never throws: a file whose hunks cannot be parsed is marked `incomplete`.
 *
 * `raw` is the output of `--raw -z --no-abbrev`, `numstat` of `--numstat -z`, `patch` of `-p` (without -z), whole or as one
 * text a file: same commits, same
 * options. Paths come from raw alone; the patch is matched by order, because names in it are ambiguous (FAILURES D5).
 */
export function parseDiff(diff: {
  readonly raw: string;
  readonly numstat: string;
  readonly patch: string | readonly string[];
  readonly generated?: ReadonlySet<string>;
  readonly vendored?: ReadonlySet<string>;
}): readonly ChangedFile[] {
  const entries = diffEntries(diff);
  const sections = typeof diff.patch === 'string' ? fileSections(diff.patch) : diff.patch;
  // More sections than files: the order cannot be trusted, and hunks of another file would be worse than none.
  const trusted = sections.length <= entries.reduce((sum, entry) => sum + sectionCount(entry), 0);
  let next = 0;
  return entries.map((entry) => {
    const expected = sectionCount(entry);
    const own = trusted ? sections.slice(next, next + expected) : [];
    next += expected;
    return changedFile(entry, {
      parsed: own.map(parseHunks),
      sectionsMissing: own.length < expected,
      generated: diff.generated?.has(entry.path) ?? false,
      vendored: diff.vendored?.has(entry.path) ?? false,
      wasMarked: [diff.generated, diff.vendored].some((marked) => marked?.has(entry.oldPath)),
    });
  });
}

// Git prints a type change as a deletion followed by an addition.
function sectionCount(entry: DiffEntry): number {
  return entry.status === 'type-changed' ? 2 : 1;
}

// Lines of content always start with ' ', '+', '-' or '\', so a line that starts with 'diff --git ' begins a file.
function fileSections(patch: string): readonly string[] {
  const sections: string[] = [];
  let start = patch.startsWith('diff --git ') ? 0 : patch.indexOf('\ndiff --git ') + 1;
  if (start === 0 && !patch.startsWith('diff --git ')) return sections;
  for (;;) {
    const next = patch.indexOf('\ndiff --git ', start) + 1;
    sections.push(patch.slice(start, next === 0 ? patch.length : next));
    if (next === 0) return sections;
    start = next;
  }
}

function changedFile(
  entry: DiffEntry,
  patch: {
    readonly parsed: readonly ParsedHunks[];
    readonly sectionsMissing: boolean;
    readonly generated: boolean;
    readonly vendored: boolean;
    readonly wasMarked: boolean;
  },
): ChangedFile {
  const hunks = patch.parsed.flatMap((section) => section.hunks);
  const broken = patch.parsed.reduce((sum, section) => sum + section.broken, 0);
  const counted = countLines(hunks);
  const { additions, deletions } = entry.lines ?? counted;
  const { path, oldPath, status, kind, modeChange } = entry;
  const file = {
    ...{ path, oldPath, status, kind, additions, deletions, hunks, modeChange, generated: patch.generated },
    ...(patch.vendored ? { vendored: true } : {}),
    ...(patch.wasMarked ? { wasMarked: true } : {}),
    ...(entry.executable ? { executable: true } : {}),
  };
  // Of a link that becomes such a file git shows the link's end alone: that is not what is in the file.
  if (kind === 'binary') return { ...file, hunks: [], incomplete: null };
  if (broken > 0) return { ...file, incomplete: `${broken} of its hunks could not be parsed` };
  if (patch.sectionsMissing) return { ...file, incomplete: 'its hunks are missing from the diff' };
  if (additions !== counted.additions || deletions !== counted.deletions) {
    return { ...file, incomplete: 'the diff shows fewer or other lines than were changed' };
  }
  return { ...file, incomplete: null };
}

function countLines(hunks: readonly Hunk[]): { additions: number; deletions: number } {
  let additions = 0;
  let deletions = 0;
  for (const hunk of hunks) {
    for (const line of hunk.lines) {
      if (line.startsWith('+')) additions += 1;
      else if (line.startsWith('-')) deletions += 1;
    }
  }
  return { additions, deletions };
}
