import type { ChangedFile } from '../../pull-request/changed-file.ts';
import { groupBy } from '../../text.ts';
import {
  contentOf,
  type HeldReceipts,
  type Readings,
  type Receipt,
  readIn,
  type Seal,
  type Sealing,
  sealsOf,
} from './receipts.ts';

/** What a run reviewed. */
export type ReviewedFiles = {
  readonly earlier: Readings | null;
  /** What of it held when this run began. */
  readonly standing: HeldReceipts;
  readonly basis: string;
  /** Every file of the diff. */
  readonly files: readonly ChangedFile[];
  readonly batches: readonly ReadBatch[];
  /** Paths of which the batches showed all that was to be shown. */
  readonly reviewed: ReadonlySet<string>;
  /** Of these, paths of which they were shown a part: the rest was reviewed before. */
  readonly narrowed: ReadonlySet<string>;
  /** Paths of which not everything is proven. */
  readonly unproven: ReadonlySet<string>;
  /** Paths that the model did not approve, though nothing is open about them. */
  readonly doubted: ReadonlySet<string>;
  /** Whether the model approves all of the change. */
  readonly isApproved: boolean;
};

export type ReadBatch = {
  readonly paths: readonly string[];
  /** Whether it was reviewed to its end. */
  readonly isWhole: boolean;
  readonly approves: boolean;
  /** Other files that its conversation was shown or read. */
  readonly read: readonly string[];
};

export type ReceiptPorts = {
  readonly seal: Sealing;
  /** The full id of each file at head; null where there is none. */
  readonly blobs: (paths: readonly string[]) => Promise<readonly (string | null)[] | null>;
};

/** What the next run goes on from: receipts of what this one reviewed whole, and the earlier ones that still hold. Null where there are none. */
export async function receiptsAfter(run: ReviewedFiles, ports: ReceiptPorts): Promise<Readings | null> {
  const { basis, files, standing, unproven, isApproved } = run;
  const groups = joined(run.batches.filter(({ paths }) => paths.length > 0));
  const rests = await restOf(groups, { files, ports });
  if (rests === null) return null;
  const paths = new Map(files.map((file) => [file.path, file]));
  const keyOf = ({ path }: Pick<ChangedFile, 'path'>) => {
    const file = paths.get(path);
    return file === undefined ? '' : contentOf.file(file, basis);
  };
  const contents = [...files.flatMap((file) => [keyOf(file), contentOf.path(file.path)]), contentOf.diff(files)];
  const sealing = { seal: ports.seal, key: standing.key };
  const seals = await sealsOf([...contents, ...rests.flatMap((rest) => rest ?? [])], sealing);
  if (seals === null) return null;
  const known = run.earlier?.basis === basis ? run.earlier : null;
  // What they rest on is known of them alone.
  const kept = known === null ? [] : conversationsOf(known, standing.kept);
  const sealed = (content: string) => seals.get(content) ?? '';
  const made = groups.map((group, index): Conversation => {
    const rest = rests[index] ?? null;
    const complete = group.paths.filter((path) => isComplete(path, { group, run, isKnown: keyOf({ path }) !== '' }));
    const receipts = (rest === null ? [] : complete).map((path) => ({
      ...{ key: sealed(keyOf({ path })), path: sealed(contentOf.path(path)) },
      readings: 1 + readingsOf(known, sealed(contentOf.path(path))),
      ...approvalOf(path, { group, run }),
    }));
    // Of its own files that have no receipt nobody else knows that it saw them.
    const others = group.paths.filter((path) => !complete.includes(path)).map(contentOf.path);
    const own = [contentOf.diff(files), ...(rest ?? []), ...others].map(sealed);
    return { receipts, read: [...new Set([...own, ...before(group, { run, known })])] };
  });
  const present = new Set(files.map((file) => sealed(keyOf(file))));
  const replaced = new Set(made.flatMap(({ receipts }) => receipts.map(({ key }) => key)));
  const lost = new Set([...unproven].map((path) => sealed(keyOf({ path }))));
  const carried = kept.map(({ receipts, read }) => ({
    read,
    receipts: receipts
      .filter(({ key }) => !replaced.has(key) && !lost.has(key))
      .map((receipt) => (isApproved && present.has(receipt.key) ? approved(receipt) : receipt)),
  }));
  return written(basis, fitting([...carried, ...made], present));
}

function approvalOf(
  path: string,
  { group, run: { isApproved, doubted } }: { group: Group; run: ReviewedFiles },
): Pick<Receipt, 'approves' | 'objects'> {
  const own = group.batches.filter(({ paths }) => paths.includes(path));
  const approves = isApproved || own.every((batch) => batch.approves);
  return approves || doubted.has(path) ? { approves } : { approves, objects: true };
}

function approved({ objects: _, ...receipt }: KeptReceipt): KeptReceipt {
  return { ...receipt, approves: true };
}

/** The readings of a file so far. */
function readingsOf(known: Readings | null, path: Seal): number {
  const own = (known?.receipts ?? []).filter((receipt) => receipt.path === path);
  return Math.max(0, ...own.map(({ readings }) => readings));
}

/** Batches that hold parts of one file are one conversation: the file rests on what each of them read. */
type Group = { readonly paths: readonly string[]; readonly batches: readonly ReadBatch[] };

function joined(batches: readonly ReadBatch[]): readonly Group[] {
  return batches.reduce<readonly Group[]>((groups, batch) => {
    const isShared = ({ paths }: Group) => paths.some((path) => batch.paths.includes(path));
    const own = groups.filter(isShared);
    const paths = new Set([...own.flatMap((group) => group.paths), ...batch.paths]);
    const one = { paths: [...paths], batches: [...own.flatMap((group) => group.batches), batch] };
    return [...groups.filter((group) => !isShared(group)), one];
  }, []);
}

/** What each conversation rests on; null for one of which not all can be told. Null as a whole without git. */
async function restOf(
  groups: readonly Group[],
  { files, ports }: { files: readonly ChangedFile[]; ports: ReceiptPorts },
): Promise<readonly (readonly string[] | null)[] | null> {
  const renamed = files.filter(({ status }) => status === 'renamed');
  const inDiff = new Map([
    ...renamed.map(({ path, oldPath }) => [oldPath, path] as const),
    ...files.map(({ path }) => [path, path] as const),
  ]);
  const readBy = ({ batches, paths }: Group) =>
    batches.flatMap(({ read }) => read).filter((path) => !paths.includes(inDiff.get(path) ?? path));
  const outside = [...new Set(groups.flatMap(readBy))].filter((path) => !inDiff.has(path));
  const found = await ports.blobs(outside);
  if (found === null) return null;
  const blobs = new Map(outside.map((path, index) => [path, found[index] ?? null]));
  return groups.map((group) => {
    const others = readBy(group);
    const unread = others.some((path) => !inDiff.has(path) && (blobs.get(path) ?? null) === null);
    if (unread) return null;
    const changed = others.flatMap((path) => inDiff.get(path) ?? []);
    // What is in the diff now may be in the base one day.
    const seen = [...changed, ...group.paths].flatMap((path) => {
      const after = files.find((file) => file.path === path)?.sides?.after ?? null;
      return after === null ? [] : [contentOf.read(path, after.blob)];
    });
    const outside = others.flatMap((path) => {
      const blob = inDiff.has(path) ? null : (blobs.get(path) ?? null);
      return blob === null ? [] : [contentOf.read(path, blob)];
    });
    return [...changed.map(contentOf.path), ...seen, ...outside];
  });
}

/** Whether all of a file was reviewed: now, or now what was pushed to it and the rest before. */
function isComplete(
  path: string,
  { group, run, isKnown }: { group: Group; run: ReviewedFiles; isKnown: boolean },
): boolean {
  const { standing, reviewed, narrowed, unproven } = run;
  const own = group.batches.filter(({ paths }) => paths.includes(path));
  if (!isKnown || unproven.has(path) || !reviewed.has(path) || !own.every(({ isWhole }) => isWhole)) return false;
  return !narrowed.has(path) || standing.files.get(path)?.kind === 'pushed';
}

/** What the earlier reviews of its narrowed files read. Their diff was another one. */
function before(
  { paths }: Group,
  { run: { narrowed, standing }, known }: { run: ReviewedFiles; known: Readings | null },
): readonly Seal[] {
  return paths.flatMap((path) => {
    const one = standing.files.get(path);
    return narrowed.has(path) && one?.kind === 'pushed' ? readIn(known, one.receipt.conversation).slice(1) : [];
  });
}

type KeptReceipt = Omit<Receipt, 'conversation'>;
type Conversation = { readonly receipts: readonly KeptReceipt[]; readonly read: readonly Seal[] };

/** Oldest first. */
function conversationsOf(readings: Readings | null, receipts: readonly Receipt[]): readonly Conversation[] {
  const groups = [...groupBy(receipts, ({ conversation }) => conversation)];
  return groups
    .toSorted(([one], [other]) => one - other)
    .map(([conversation, own]) => ({ receipts: own, read: readIn(readings, conversation) }));
}

/** They share the summary comment with the findings. */
const limits = { receipts: 1_500, read: 1_500 } as const;

/** What fits: contents that are not in the diff any more go first, then the oldest conversations. */
function fitting(all: readonly Conversation[], present: ReadonlySet<Seal>): readonly Conversation[] {
  const filled = (conversations: readonly Conversation[]) =>
    conversations.filter(({ receipts }) => receipts.length > 0);
  const isTooMuch = (conversations: readonly Conversation[]) =>
    conversations.reduce((sum, { receipts }) => sum + receipts.length, 0) > limits.receipts ||
    new Set(conversations.flatMap(({ read }) => read)).size > limits.read;
  const whole = filled(all);
  if (!isTooMuch(whole)) return whole;
  let left = filled(
    all.map(({ receipts, read }) => ({ read, receipts: receipts.filter(({ key }) => present.has(key)) })),
  );
  while (isTooMuch(left)) left = left.slice(1);
  return left;
}

function written(basis: string, conversations: readonly Conversation[]): Readings | null {
  const read = [...new Set(conversations.flatMap((conversation) => conversation.read))];
  const indexes = new Map(read.map((seal, index) => [seal, index]));
  const receipts = conversations.flatMap((one, conversation) =>
    one.receipts.map((receipt) => ({ ...receipt, conversation })),
  );
  if (receipts.length === 0) return null;
  return {
    basis,
    receipts,
    read,
    conversations: conversations.map((one) => one.read.flatMap((seal) => indexes.get(seal) ?? [])),
  };
}
