import type { ChangedFile, Hunk } from '../pull-request/changed-file.ts';

/** Files that are reviewed together, by one agent run. */
export type Bundle = {
  /** Such as `2 src/server`; the number is left out when there is one batch. */
  readonly name: string;
  readonly files: readonly BundleFile[];
  /** Tokens that its diff takes in the prompt, estimated. */
  readonly estimatedTokens: number;
};

export type BundleFile = {
  readonly file: ChangedFile;
  /** The hunks that are shown in this batch: all of the file's, or a part of a file too large for one batch. */
  readonly hunks: readonly Hunk[];
  /** Null when the whole file's diff is here. */
  readonly part: { readonly index: number; readonly of: number } | null;
};
