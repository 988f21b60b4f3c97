import type { ChangedFile, StoredFile } from '../../pull-request/changed-file.ts';
import { anyText, count, exactly, type Infer, listOf, onlyTrue, withOptional, yesOrNo } from '../../schema.ts';

/** 8 bytes of HMAC in base64url, 11 characters. */
export type Seal = string;

/** One changed file of the diff that was reviewed whole, by its content on both sides. */
const receiptSchema = withOptional(
  exactly({
    /** Of path, old path, status, both modes and contents, attributes and basis. */
    key: anyText,
    /** Of the path alone: the file is known again when its content changed. */
    path: anyText,
    /** Complete readings of the file so far. */
    readings: count,
    /** Whether the model approved what it was reviewed with, or a later run all of the change. */
    approves: yesOrNo,
    /** Index into `conversations`. */
    conversation: count,
  }),
  /** It did not, and a finding that was open then says why. */
  { objects: onlyTrue },
);

/** What was reviewed whole, and what that rests on. */
export const readingsSchema = exactly({
  /** Digest of guidance, rules, settings that change findings, and the version of the prompt. */
  basis: anyText,
  receipts: listOf(receiptSchema),
  /** Of a diff as a whole; of path and content of a file outside of it that was shown or read; of the path of a file in it. */
  read: listOf(anyText),
  /** The diff that each conversation was about, then what it read: indexes into `read`. The oldest first. */
  conversations: listOf(listOf(count)),
});

export type Receipt = Infer<typeof receiptSchema>;
export type Readings = Infer<typeof readingsSchema>;

/** Seals contents for this pull request with one of the keys of this run, counted from 0; null where there is none. */
export type Sealing = (contents: readonly string[], key: number) => Promise<readonly Seal[] | null>;

/** What a seal is made of. */
export const contentOf = {
  /** Empty for a file that nobody can know again: git does not tell what is in it, or not all of its diff. */
  file: (file: ChangedFile, basis: string) => {
    const { path, oldPath, status, sides, generated, vendored = false, wasMarked = false, incomplete } = file;
    if (sides === undefined || incomplete !== null) return '';
    const stored = [sides.before, sides.after].map(partsOf);
    return JSON.stringify(['file', path, oldPath, status, ...stored, generated, vendored, wasMarked, basis]);
  },
  path: (path: string) => JSON.stringify(['path', path]),
  read: (path: string, blob: string) => JSON.stringify(['read', path, blob]),
  diff: (files: readonly ChangedFile[]) => {
    const stored = ({ path, sides }: ChangedFile) => [path, sides?.before ?? null, sides?.after ?? null];
    return JSON.stringify(['diff', files.map(stored)]);
  },
};

function partsOf(stored: StoredFile | null): readonly string[] {
  return stored === null ? [] : [stored.mode, stored.blob];
}

/** The seals by what they are made of, each content once. */
export async function sealsOf(
  contents: readonly string[],
  { seal, key }: { seal: Sealing; key: number },
): Promise<ReadonlyMap<string, Seal> | null> {
  const distinct = [...new Set(contents)].filter((content) => content !== '');
  const seals = await seal(distinct, key);
  return seals === null ? null : new Map(distinct.map((content, index) => [content, seals[index] ?? '']));
}

/** How a changed file stands to the last complete review of it. */
export type FileStanding =
  /** Reviewed as it is now, and what that rested on is as it was. */
  | { readonly kind: 'holds'; readonly receipt: Receipt }
  /** Reviewed as it was at the earlier head, and what that rested on is as it was. `since`: what changed in it. */
  | { readonly kind: 'pushed'; readonly receipt: Receipt; readonly since: ChangedFile }
  | { readonly kind: 'new' | 'changed' }
  /** What its review rested on is another now: the paths that changed. */
  | { readonly kind: 'rests on'; readonly changed: readonly string[] };

export type HeldReceipts = {
  /** By path. A file that is not named is read whole. */
  readonly files: ReadonlyMap<string, FileStanding>;
  /** All receipts that hold, also of contents that the diff does not have now: they may come back. */
  readonly kept: readonly Receipt[];
  /** The key that they are sealed with, counted from 0: a new key takes the place of an old one where nothing is kept. */
  readonly key: number;
};

/** Whether a run that may approve has to look again: nothing says why the model did not. */
export function isDoubted({ approves, objects }: Receipt): boolean {
  return !approves && objects === undefined;
}

/** The diff that a conversation was about, and what it read. */
export function readIn(readings: Readings | null, conversation: number): readonly Seal[] {
  return (readings?.conversations[conversation] ?? []).flatMap((index) => readings?.read[index] ?? []);
}

/** The same without what is said of files with these seals. */
export function withoutFiles(readings: Readings | null, paths: readonly Seal[]): Readings | null {
  const receipts = readings?.receipts.filter(({ path }) => !paths.includes(path)) ?? [];
  return readings === null || receipts.length === 0 ? null : { ...readings, receipts };
}
