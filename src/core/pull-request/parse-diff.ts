import { parsePatch } from 'diff';
import type { ChangedFile, FileKind, FileStatus, Hunk, Sides, StoredFile } from './changed-file.ts';

/**
 * Brings together what git says of one diff. Never throws: a file whose hunks cannot be parsed is marked `incomplete`.
 *
 * `raw` is the output of `--raw -z --no-abbrev`, whole or cut at its NULs, `numstat` of `--numstat -z`, `patch` of `-p` (without -z), whole or as one
 * text a file: same commits, same
 * options. Paths come from raw alone; the patch is matched by order, because names in it are ambiguous.
 */
export function parseDiff(diff: {
  raw: string | readonly string[];
  numstat: string;
  patch: string | readonly string[];
  generated?: ReadonlySet<string>;
  vendored?: ReadonlySet<string>;
}): readonly ChangedFile[] {
  const entries = diffEntries(diff);
  const sections = typeof diff.patch === 'string' ? [...partsFrom('diff --git ', diff.patch)] : diff.patch;
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

/** The parts of a patch that begin with this. Lines of content always start with ' ', '+', '-' or '\', so none of them begins one. */
function* partsFrom(beginning: 'diff --git ' | '@@ -', patch: string): Generator<string> {
  let start = patch.startsWith(beginning) ? 0 : after(patch.indexOf(`\n${beginning}`));
  while (start !== null) {
    const next = after(patch.indexOf(`\n${beginning}`, start));
    yield patch.slice(start, next ?? patch.length);
    start = next;
  }
}

function after(newline: number): number | null {
  return newline === -1 ? null : newline + 1;
}

function changedFile(
  entry: DiffEntry,
  patch: {
    parsed: readonly ParsedHunks[];
    sectionsMissing: boolean;
    generated: boolean;
    vendored: boolean;
    wasMarked: boolean;
  },
): ChangedFile {
  const hunks = patch.parsed.flatMap((section) => section.hunks);
  const broken = patch.parsed.reduce((sum, section) => sum + section.broken, 0);
  const counted = countLines(hunks);
  const { additions, deletions } = entry.lines ?? counted;
  const { path, oldPath, status, kind, modeChange, sides } = entry;
  const file = {
    ...{ path, oldPath, status, kind, additions, deletions, hunks, modeChange, sides, generated: patch.generated },
    ...(patch.vendored ? { vendored: true } : {}),
    ...(patch.wasMarked ? { wasMarked: true } : {}),
    ...(entry.executable ? { executable: true } : {}),
  };
  // Of a link that becomes such a file git shows the link's end alone: that is not what is in the file.
  if (kind === 'binary') return { ...file, hunks: [], incomplete: null };
  if (broken > 0) return { ...file, incomplete: { code: 'diff.broken-hunks', count: broken } };
  if (patch.sectionsMissing) return { ...file, incomplete: { code: 'diff.hunks-missing' } };
  if (additions !== counted.additions || deletions !== counted.deletions) {
    return { ...file, incomplete: { code: 'diff.fewer-lines' } };
  }
  return { ...file, incomplete: null };
}

export function countLines(hunks: readonly Hunk[]): Counts {
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

type Counts = { readonly additions: number; readonly deletions: number };

/** One record of `git diff --raw -z` with its line counts from `--numstat -z`. */
type DiffEntry = Pick<ChangedFile, 'path' | 'oldPath' | 'status' | 'kind' | 'modeChange'> & {
  readonly sides: Sides;
  readonly executable: boolean;
  /** Null when numstat does not know the path. */
  readonly lines: Counts | null;
};

/** Paths, statuses, modes and counts of a diff, in git's order. Never throws: what is not a record is passed over. */
export function diffEntries(diff: { raw: string | readonly string[]; numstat: string }): readonly DiffEntry[] {
  const counts = lineCounts(diff.numstat);
  const tokens = typeof diff.raw === 'string' ? diff.raw.split('\0') : diff.raw;
  const entries: DiffEntry[] = [];
  for (let index = 0; index < tokens.length; ) {
    const record = rawRecord(tokens[index] ?? '');
    index += 1;
    if (record === null) continue;
    const oldPath = tokens[index] ?? '';
    const path = record.twoPaths ? (tokens[index + 1] ?? '') : oldPath;
    index += record.twoPaths ? 2 : 1;
    if (path === '') continue;
    const count = counts.get(path);
    entries.push({
      path,
      oldPath,
      status: record.status,
      kind: kindOf(record, count),
      modeChange: modeChange(record),
      sides: { before: stored(record.oldMode, record.oldBlob), after: stored(record.newMode, record.newBlob) },
      executable: record.newMode === '100755',
      lines: count === undefined ? null : (count ?? { additions: 0, deletions: 0 }),
    });
  }
  return entries;
}

type RawRecord = {
  readonly oldMode: string;
  readonly newMode: string;
  readonly oldBlob: string;
  readonly newBlob: string;
  readonly status: FileStatus;
  readonly twoPaths: boolean;
};

const statuses: ReadonlyMap<string, FileStatus> = new Map([
  ['A', 'added'],
  ['M', 'modified'],
  ['D', 'deleted'],
  ['R', 'renamed'],
  ['C', 'copied'],
  ['T', 'type-changed'],
]);

function rawRecord(token: string): RawRecord | null {
  if (!token.startsWith(':')) return null;
  const [oldMode, newMode, oldBlob = '', newBlob = '', letter] = token.slice(1).split(' ');
  const status = statuses.get(letter?.charAt(0) ?? '');
  if (oldMode === undefined || newMode === undefined || status === undefined) return null;
  return { oldMode, newMode, oldBlob, newBlob, status, twoPaths: status === 'renamed' || status === 'copied' };
}

function stored(mode: string, blob: string): StoredFile | null {
  return mode === absent ? null : { mode, blob };
}

/** By path at head. Null: git counts no lines because it is binary. */
function lineCounts(numstat: string): ReadonlyMap<string, Counts | null> {
  const counts = new Map<string, Counts | null>();
  const tokens = numstat.split('\0');
  for (let index = 0; index < tokens.length; ) {
    const token = tokens[index] ?? '';
    index += 1;
    const firstTab = token.indexOf('\t');
    const secondTab = token.indexOf('\t', firstTab + 1);
    if (firstTab === -1 || secondTab === -1) continue;
    // A rename leaves this field empty and puts the old and the new path into the next two.
    let path = token.slice(secondTab + 1);
    if (path === '') {
      path = tokens[index + 1] ?? '';
      index += 2;
    }
    const additions = Number.parseInt(token.slice(0, firstTab), 10);
    const deletions = Number.parseInt(token.slice(firstTab + 1, secondTab), 10);
    counts.set(path, Number.isNaN(additions) || Number.isNaN(deletions) ? null : { additions, deletions });
  }
  return counts;
}

const absent = '000000';

function kindOf(record: RawRecord, count: Counts | null | undefined): FileKind {
  const mode = record.newMode === absent ? record.oldMode : record.newMode;
  if (mode === '160000') return 'submodule';
  if (mode === '120000') return 'symlink';
  return count === null ? 'binary' : 'text';
}

function modeChange({ oldMode, newMode }: RawRecord): string | null {
  if (oldMode === newMode || oldMode === absent || newMode === absent) return null;
  return `${oldMode} → ${newMode}`;
}

type ParsedHunks = {
  readonly hunks: readonly Hunk[];
  /** How many hunks could not be parsed: cut off, or with counts that do not match their lines. */
  readonly broken: number;
};

/**
 * The hunks of one file's patch, with or without git's header lines. Never throws.
 *
 * jsdiff gets one hunk at a time: it refuses the whole text when a single hunk is miscounted, and it drops headings.
 */
export function parseHunks(patch: string): ParsedHunks {
  const hunks: Hunk[] = [];
  let broken = 0;
  for (const text of partsFrom('@@ -', patch)) {
    const hunk = parseHunk(text.replace(/\n$/, ''));
    if (hunk === null) broken += 1;
    else hunks.push(hunk);
  }
  return { hunks, broken };
}

/** The hunks of a `patch` as GitHub's API gives it for one file. Hunks that cannot be parsed are left out. */
export function parsePatchText(patch: string): readonly Hunk[] {
  return parseHunks(patch).hunks;
}

function parseHunk(text: string): Hunk | null {
  const parsed = parsedByLibrary(text);
  if (parsed === null || !Number.isSafeInteger(parsed.oldStart) || !Number.isSafeInteger(parsed.newStart)) return null;
  return asGitPrints(parsed, headingOf(text));
}

/** The library moves the start of an empty side by one; a Hunk says what git prints. */
export function asGitPrints(
  { oldStart, oldLines, newStart, newLines, lines }: Omit<Hunk, 'heading'>,
  heading = '',
): Hunk {
  return {
    oldStart: oldLines === 0 ? oldStart - 1 : oldStart,
    oldLines,
    newStart: newLines === 0 ? newStart - 1 : newStart,
    newLines,
    heading,
    lines,
  };
}

function parsedByLibrary(text: string) {
  try {
    const [file, ...otherFiles] = parsePatch(text);
    const [hunk, ...otherHunks] = file?.hunks ?? [];
    return otherFiles.length + otherHunks.length > 0 ? null : (hunk ?? null);
  } catch {
    // The caller counts it and says so in the file's `incomplete`.
    return null;
  }
}

function headingOf(text: string): string {
  const lineEnd = text.indexOf('\n');
  const header = lineEnd === -1 ? text : text.slice(0, lineEnd);
  const close = header.indexOf(' @@', 3);
  return close === -1 ? '' : header.slice(close + 3).trim();
}
