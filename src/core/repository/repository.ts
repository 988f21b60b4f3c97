/** The pinned commits of a review. Configuration and rules are read at `base`, the old side of the diff is `merge-base`. */
export type Revision = 'head' | 'merge-base' | 'base';

/** GitHub's words: RIGHT is the file at head, LEFT the file at the merge base. */
export type Side = 'RIGHT' | 'LEFT';

export type FileContent =
  | { readonly kind: 'text'; readonly text: string; readonly bytes: number }
  | { readonly kind: 'symlink'; readonly target: string }
  | {
      readonly kind: 'unreadable';
      readonly reason: UnreadableReason;
      readonly bytes: number | null;
      /** What its first bytes say that it is, where they were read and say it. */
      readonly media?: FileMedia | null;
    };

/** Decided by content alone: a name proves nothing. */
export type FileMedia = 'image' | 'font' | 'media' | 'archive';

export type UnreadableReason =
  | 'missing'
  | 'directory'
  | 'binary'
  | 'submodule'
  | 'lfs-pointer'
  | 'too-large'
  | 'not-fetched';

export type FileEntry = {
  readonly path: string;
  readonly kind: 'file' | 'symlink' | 'submodule';
  /** Size in bytes; null where the source does not know it. */
  readonly bytes: number | null;
};

/** Reads git objects at the pinned commits and nothing else. Paths are relative to the root, with forward slashes. */
export interface Repository {
  /** Never throws for a path that does not exist: that is `unreadable`, `missing`. */
  readFile(path: string, at: Revision): Promise<FileContent>;
  /** All files at a revision, sorted by path. */
  listFiles(at: Revision): Promise<readonly FileEntry[]>;
}

export type TextQuery = {
  readonly pattern: string;
  /** A fixed string by default; a regular expression is RE2 syntax, validated before it gets here. */
  readonly regex: boolean;
  /** A file or directory to stay in; '' is the whole repository. */
  readonly path: string;
  /** A glob such as `*.ts` or `src/**` that the file's path must match; '' is any. */
  readonly filePattern: string;
  /** At most this many matches come back. */
  readonly limit: number;
  /** Files whose matches are not wanted: they are only counted. */
  readonly leaveOut?: (path: string) => boolean;
};

export type TextMatch = {
  readonly path: string;
  readonly line: number;
  /** What is far from the match in a long line is left out, with `…` in its place. */
  readonly text: string;
  /** Where in `text` the match begins; absent where nobody knows. */
  readonly at?: number;
};

export type TextMatches = {
  readonly matches: readonly TextMatch[];
  /** Why the list may be incomplete: null when it is complete. */
  readonly incomplete: 'limit' | 'time' | null;
  /** Files with matches that `leaveOut` names: how many, and the first of them; absent when there are none. */
  readonly leftOut?: { readonly files: number; readonly paths: readonly string[] };
};

/** Searches the files at head. */
export interface TextSearch {
  search(query: TextQuery): Promise<TextMatches>;
}

export type BlameLine = {
  readonly line: number;
  /** Full hash; null when the line is older than the fetched history. */
  readonly commit: string | null;
  readonly author: string;
  /** ISO 8601 date, such as 2026-11-20. */
  readonly date: string;
  readonly subject: string;
};

export type LogEntry = {
  readonly commit: string;
  readonly author: string;
  readonly date: string;
  readonly subject: string;
  readonly body: string;
};

export type Log = {
  readonly entries: readonly LogEntry[];
  /** True when older commits exist that were not fetched. */
  readonly shallow: boolean;
};

/** What happened before head. The first call may fetch older commits. */
export interface History {
  blame(path: string, startLine: number, endLine: number): Promise<readonly BlameLine[]>;
  /** An empty path is the whole repository. */
  log(path: string, count: number): Promise<Log>;
}

export type BytesContent =
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array }
  | Exclude<FileContent, { readonly kind: 'text' }>;

/** Reads files as they are stored, text or not, at the pinned commits. Never throws for a path that does not exist. */
export interface ImageSource {
  /** A file of more than `maxBytes` answers `too-large`, unread where its size is known beforehand. */
  readBytes(path: string, at: Revision, maxBytes: number): Promise<BytesContent>;
}
