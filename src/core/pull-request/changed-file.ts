import type { FileMedia, Side } from '../repository/repository.ts';

export type FileStatus = 'added' | 'modified' | 'deleted' | 'renamed' | 'copied' | 'type-changed';
/** `binary` is what git and GitHub take for it: a NUL byte or UTF-16 is enough, so such a file may have hunks all the same. */
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
  readonly unreadable?: string;
  /** It has the name of a lock file, and its text is one. */
  readonly lock?: boolean;
  /** The same text means something else where it is now, so its hunks hold all of it. */
  readonly moved?: boolean;
  /** Why the hunks are not the whole change; null when they are. */
  readonly incomplete: string | null;
};

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

export type HunkLine = {
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

/** The number of a line on one side; null when it does not exist there. */
export function lineOn(side: Side, line: HunkLine): number | null {
  return side === 'RIGHT' ? line.newLine : line.oldLine;
}

/** True for a file without a line of text that could be shown. */
export function isOpaque({ kind, hunks }: ChangedFile): boolean {
  return kind === 'binary' && hunks.length === 0;
}

/** Whether a hunk shows a change: one without is only there to be read. */
export function changesLines({ lines }: Hunk): boolean {
  return lines.some((line) => line.startsWith('+') || line.startsWith('-'));
}
