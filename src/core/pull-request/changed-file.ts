import type { Message } from '../messages/message.ts';
import type { FileMedia, Side } from '../repository/repository.ts';
import { shown } from '../repository/shown.ts';
import { cutLine } from '../text.ts';

export type FileStatus = 'added' | 'modified' | 'deleted' | 'renamed' | 'copied' | 'type-changed';
/** `binary` is what git and GitHub take for it: a NUL byte or UTF-16 is enough, so such a file may have hunks anyway. */
export type FileKind = 'text' | 'binary' | 'symlink' | 'submodule';

/** One changed path of the diff merge-base..head. */
export type ChangedFile = {
  /** The path at head; for a deleted file the path at the merge base. It is the path GitHub knows the diff by. */
  readonly path: string;
  /** The path at the merge base; equal to `path` unless the file was renamed or copied. */
  readonly oldPath: string;
  readonly status: FileStatus;
  readonly kind: FileKind;
  readonly additions: number;
  readonly deletions: number;
  readonly hunks: readonly Hunk[];
  /** Such as `100644 → 100755`; null when the mode did not change. */
  readonly modeChange: string | null;
  /** What git stores on each side; absent where git was not asked. */
  readonly sides?: Sides;
  /** Marked `linguist-generated` by the attributes of the base commit. */
  readonly generated: boolean;
  /** Marked `linguist-vendored` by the same. */
  readonly vendored?: boolean;
  /** One of the two stood on its old path. */
  readonly wasMarked?: boolean;
  /** May be run as a program, at head. */
  readonly executable?: boolean;
  /** Of a binary file without text: what it is by its first bytes; null or absent when they do not say. */
  readonly media?: FileMedia | null;
  /** Why neither text nor kind of a binary file is known, where there is more to say than that it is binary. */
  readonly unreadable?: Message;
  /** It has the name of a lock file, and its text is one. */
  readonly lock?: boolean;
  /** Its hunks hold all of its text: it only has another name, or it may mean something else where it is now. */
  readonly moved?: 'renamed' | 'elsewhere';
  /** In a stack, where the file says of itself that it or a line is not to be reviewed: its text at the stack's base, null where it is not there. */
  readonly stackBase?: string | null;
  /** Why the hunks are not the whole change; null when they are. */
  readonly incomplete: Message | null;
};

/** At the merge base and at head; null where there is no such file. */
export type Sides = { readonly before: StoredFile | null; readonly after: StoredFile | null };
/** `blob` is the full id of its content. */
export type StoredFile = { readonly mode: string; readonly blob: string };

/**
 * A hunk as `git diff` prints it. `lines` keep their first character: ' ' context, '+' added, '-' removed, '\' note
 * (no newline at end of file). Strings, not objects: a change of a million lines has to fit into memory.
 */
export type Hunk = {
  readonly oldStart: number;
  readonly oldLines: number;
  readonly newStart: number;
  readonly newLines: number;
  /** What git prints after the second @@: usually the enclosing function. */
  readonly heading: string;
  readonly lines: readonly string[];
};

type HunkLine = {
  readonly kind: 'context' | 'added' | 'removed';
  readonly text: string;
  /** 1-based; null for an added line. */
  readonly oldLine: number | null;
  /** 1-based; null for a removed line. */
  readonly newLine: number | null;
};

/** The lines of a hunk with their numbers on both sides. Notes about missing newlines are left out. */
export function* hunkLines(hunk: Hunk): Generator<HunkLine> {
  let oldLine = hunk.oldStart;
  let newLine = hunk.newStart;
  for (const line of hunk.lines) {
    const text = line.slice(1);
    if (line.startsWith('+')) yield { kind: 'added', text, oldLine: null, newLine: newLine++ };
    else if (line.startsWith('-')) yield { kind: 'removed', text, oldLine: oldLine++, newLine: null };
    else if (!line.startsWith('\\')) yield { kind: 'context', text, oldLine: oldLine++, newLine: newLine++ };
  }
}

/** What a line at head says, as compilers read it: without the byte order mark of the first one and the `\r` of a CRLF. */
export function codeText(text: string, line: number): string {
  return text.slice(line === 1 && text.startsWith('\uFEFF') ? 1 : 0, text.endsWith('\r') ? -1 : undefined);
}

/** The number of a line on one side; null when it does not exist there. */
export function lineOn(side: Side, line: HunkLine): number | null {
  return side === 'RIGHT' ? line.newLine : line.oldLine;
}

/** The file with some of its hunks alone. */
export function withHunks(file: ChangedFile, hunks: readonly Hunk[]): ChangedFile {
  if (hunks.length === file.hunks.length) return file;
  const count = (sign: string) =>
    hunks.reduce((sum, { lines }) => sum + lines.filter((line) => line.startsWith(sign)).length, 0);
  return { ...file, hunks, additions: count('+'), deletions: count('-') };
}

/** True for a file without a line of text that could be shown. */
export function isOpaque({ kind, hunks }: ChangedFile): boolean {
  return kind === 'binary' && hunks.length === 0;
}

/** Whether a hunk shows a change: one without is only there to be read. */
export function changesLines({ lines }: Hunk): boolean {
  return lines.some((line) => line.startsWith('+') || line.startsWith('-'));
}

/**
 * Where GitHub accepts a review comment, whose first and last line must lie in the same hunk: the index of the one that shows a line (1-based)
 * on a side, added, removed or context; null when none does. A hunk shows a gapless range of lines on each side, so its header is all that is needed. Asked by halving: a file may have thousands of
 * hunks, and as many findings.
 */
export function commentableLines(file: ChangedFile): { hunkOf(side: Side, line: number): number | null } {
  const ranges = rangesOf(file);
  return {
    hunkOf: (side, line) => {
      const own = ranges[side];
      let [low, high] = [0, own.length];
      while (low < high) {
        const middle = (low + high) >>> 1;
        if ((own[middle]?.end ?? 0) <= line) low = middle + 1;
        else high = middle;
      }
      const range = own[low];
      return range !== undefined && line >= range.start ? range.hunk : null;
    },
  };
}

/** `end` is the line behind the last. */
type ShownRange = { readonly hunk: number; readonly start: number; readonly end: number };
type Ranges = Readonly<Record<Side, readonly ShownRange[]>>;

/** Of each file once: every finding in it asks. */
const known = new WeakMap<ChangedFile, Ranges>();

function rangesOf(file: ChangedFile): Ranges {
  const ranges = known.get(file) ?? {
    RIGHT: shownRanges(file, ({ newStart, newLines }) => ({ start: newStart, count: newLines })),
    LEFT: shownRanges(file, ({ oldStart, oldLines }) => ({ start: oldStart, count: oldLines })),
  };
  known.set(file, ranges);
  return ranges;
}

/**
 * Those that show a line, in the order of their lines. GitHub shows no lines of what it takes for binary, nor those that Postil shows beside
 * the change.
 */
function shownRanges(
  { kind, hunks }: ChangedFile,
  rangeOf: (hunk: Hunk) => { readonly start: number; readonly count: number },
): readonly ShownRange[] {
  if (kind === 'binary') return [];
  return hunks
    .flatMap((hunk, index) => {
      const { start, count } = rangeOf(hunk);
      return count === 0 || !changesLines(hunk) ? [] : [{ hunk: index, start, end: start + count }];
    })
    .sort((one, other) => one.start - other.start);
}

/**
 * A hunk for a reader who has to name lines: number, sign, text, such as `14 +text`. A removed line has the number that it had; the column is
 * as wide as the largest one, so the sign stands in one column. The text is rendered as `shown()` does, and longer lines are cut.
 */
export function renderHunk(hunk: Hunk, maxCharacters = maxLineCharacters): string {
  const lines = [...hunkLines(hunk)];
  const texts = shown([hunk.heading, ...lines.map((line) => line.text)]).map((line) =>
    cutLine(line.text, maxCharacters),
  );
  const heading = `@@ ${texts[0] ?? ''}`.trimEnd();
  const width = String(Math.max(hunk.oldStart + hunk.oldLines, hunk.newStart + hunk.newLines)).length;
  const rows = lines.map((line, index) => `${gutter(line, width)}${texts[index + 1] ?? ''}`);
  return [heading, ...withFileEnds(hunk, rows), ...lineEndingChange(lines)].join('\n');
}

/** Of one line of which no window is known: data on a single line must not take the budget of all other files. The line says that it was cut. */
export const maxLineCharacters = 2_000;

const signs = { context: ' ', added: '+', removed: '-' } as const;

function gutter(line: HunkLine, width: number): string {
  return `${String(line.newLine ?? line.oldLine).padStart(width)} ${signs[line.kind]}`;
}

/** The rows with git's notes about missing newlines where they stood. */
function withFileEnds(hunk: Hunk, rows: readonly string[]): readonly string[] {
  let row = 0;
  return hunk.lines.map((line) => (line.startsWith('\\') ? line : (rows[row++] ?? '')));
}

/** Lines that differ only in their ends look alike, so it is said. */
function lineEndingChange(lines: readonly HunkLine[]): readonly string[] {
  const from = lineEnding('removed', lines);
  const to = lineEnding('added', lines);
  return from === null || to === null || from === to ? [] : [`\\ Line endings change: ${from} → ${to}`];
}

function lineEnding(kind: HunkLine['kind'], lines: readonly HunkLine[]): 'CRLF' | 'LF' | null {
  const some = lines.find((line) => line.kind === kind);
  if (some === undefined) return null;
  return some.text.endsWith('\r') ? 'CRLF' : 'LF';
}

type Range = { readonly start: number; readonly end: number };

/** The lines that a file gains, at head, and those that it loses, at the merge base. */
export function changedRanges({ hunks }: Pick<ChangedFile, 'hunks'>): {
  readonly added: readonly Range[];
  readonly removed: readonly Range[];
} {
  const added: number[] = [];
  const removed: number[] = [];
  for (const hunk of hunks) {
    for (const { oldLine, newLine } of hunkLines(hunk)) {
      if (oldLine === null && newLine !== null) added.push(newLine);
      if (newLine === null && oldLine !== null) removed.push(oldLine);
    }
  }
  return { added: lineRanges(added), removed: lineRanges(removed) };
}

/** Numbers of lines as ranges: what follows one upon the other is one. */
export function lineRanges(lines: Iterable<number>): readonly Range[] {
  const ranges: { start: number; end: number }[] = [];
  for (const line of lines) {
    const last = ranges.at(-1);
    if (last?.end === line - 1) last.end = line;
    else ranges.push({ start: line, end: line });
  }
  return ranges;
}
