import type { FileKind, FileStatus } from './changed-file.ts';

/** One record of `git diff --raw -z` with its line counts from `--numstat -z`. */
export type DiffEntry = {
  readonly path: string;
  readonly oldPath: string;
  readonly status: FileStatus;
  readonly kind: FileKind;
  readonly modeChange: string | null;
  readonly executable: boolean;
  /** Null when numstat does not know the path. */
  readonly lines: { readonly additions: number; readonly deletions: number } | null;
};

/** Paths, statuses, modes and counts of a diff, in git's order. Never throws: what is not a record is passed over. */
export function diffEntries(diff: { readonly raw: string; readonly numstat: string }): readonly DiffEntry[] {
  const counts = lineCounts(diff.numstat);
  const tokens = diff.raw.split('\0');
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
      executable: record.newMode === '100755',
      lines: count === undefined ? null : (count ?? { additions: 0, deletions: 0 }),
    });
  }
  return entries;
}

type RawRecord = {
  readonly oldMode: string;
  readonly newMode: string;
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
  const [oldMode, newMode, , , letter] = token.slice(1).split(' ');
  const status = statuses.get(letter?.charAt(0) ?? '');
  if (oldMode === undefined || newMode === undefined || status === undefined) return null;
  return { oldMode, newMode, status, twoPaths: status === 'renamed' || status === 'copied' };
}

/** By path at head. Null: git counts no lines because it is binary. */
type LineCounts = ReadonlyMap<string, { additions: number; deletions: number } | null>;

function lineCounts(numstat: string): LineCounts {
  const counts = new Map<string, { additions: number; deletions: number } | null>();
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

function kindOf(record: RawRecord, count: { additions: number; deletions: number } | null | undefined): FileKind {
  const mode = record.newMode === absent ? record.oldMode : record.newMode;
  if (mode === '160000') return 'submodule';
  if (mode === '120000') return 'symlink';
  return count === null ? 'binary' : 'text';
}

function modeChange({ oldMode, newMode }: RawRecord): string | null {
  if (oldMode === newMode || oldMode === absent || newMode === absent) return null;
  return `${oldMode} → ${newMode}`;
}
