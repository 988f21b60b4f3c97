import { wordsIn } from '../../context/changed-names.ts';
import type { ChangedFile, StoredFile } from '../../pull-request/changed-file.ts';
import type { FileContent } from '../../repository/repository.ts';
import type { FullReason } from '../memory.ts';
import { isTakenBack, losesLines, nothingHolds, type Standing } from '../scope.ts';
import type { State } from '../state.ts';
import {
  contentOf,
  type FileStanding,
  type Readings,
  type Receipt,
  readIn,
  type Sealing,
  sealsOf,
} from './receipts.ts';

export type Holding = {
  readonly incremental: boolean;
  /** What the last run left; null where nothing is known of one. */
  readonly state: State | null;
  /** Whether there was a run, of which no key of this one signed what it left. */
  readonly isUnsigned: boolean;
  /** Null without git. */
  readonly basis: string | null;
  /** Full hashes. */
  readonly head: string;
  readonly mergeBase: string;
  /** Every file of the diff. */
  readonly files: readonly ChangedFile[];
};

export type HoldingPorts = {
  readonly seal: Sealing;
  /** Null where one of the commits cannot be had. */
  readonly changesBetween: (from: string, to: string) => Promise<readonly ChangedFile[] | null>;
  readonly readHead: (path: string) => Promise<FileContent>;
  /** Names that a changed file defines, removes or renames. */
  readonly namesOf: (file: ChangedFile) => Promise<ReadonlySet<string>>;
};

/** Which files were reviewed before as they are now. In doubt a file was not. */
export async function heldReceipts(known: Holding, ports: HoldingPorts): Promise<Standing> {
  const { state, head, mergeBase, files, basis } = known;
  const why = whyNothing(known);
  if (why !== null || state === null || state.readings === undefined || basis === null)
    return nothingHolds(why ?? 'first review', state?.head ?? null);
  const [moved, since] = await Promise.all([
    state.mergeBase === mergeBase ? [] : ports.changesBetween(state.mergeBase, mergeBase),
    state.head === head ? [] : ports.changesBetween(state.head, head),
  ]);
  if (moved === null) return nothingHolds('the earlier commit cannot be read', state.head);
  const paths = new Set(files.map(({ path }) => path));
  const others = moved.filter((file) => file.kind === 'text' && !paths.has(file.path));
  if (others.length > limits.files) return nothingHolds('the base changed', state.head);
  const changes = { ...known, basis, state, readings: state.readings, moved, since, others };
  const out = await takenOut(changes, ports);
  const sealed = await knownSeals(contentsOf(changes, out ?? []), { readings: state.readings, seal: ports.seal });
  if (sealed === null) return nothingHolds('everything changed', state.head);
  const held = { ...changes, ...sealed, out };
  const broken = brokenBeneath(held);
  const named = await brokenByNames({ ...held, broken }, ports);
  if (named === null) return nothingHolds('the base changed', state.head);
  return standingOf(held, new Map([...broken, ...named]));
}

function whyNothing({ incremental, state, isUnsigned, basis, files }: Holding): FullReason | null {
  if (!incremental) return 'incremental is off';
  if (state === null) return isUnsigned ? 'the earlier state is not signed' : 'first review';
  if (state.readings === undefined) return 'nothing was complete';
  if (basis === null || files.some(({ sides }) => sides === undefined)) return 'without git';
  return state.readings.basis === basis ? null : 'the settings changed';
}

type Changes = Holding & {
  readonly basis: string;
  readonly state: State;
  readonly readings: Readings;
  /** What changed between the two merge bases. */
  readonly moved: readonly ChangedFile[];
  /** The text files of these that the pull request does not change. */
  readonly others: readonly ChangedFile[];
  /** What changed between the two heads; null where the earlier one cannot be had. */
  readonly since: readonly ChangedFile[] | null;
};

type Held = Changes & {
  readonly key: number;
  /** Paths that a push took something of out of the diff; null where nobody knows. */
  readonly out: readonly string[] | null;
  readonly sealed: (content: string) => string;
};

/** By conversation, what changed beneath it. */
type Broken = ReadonlyMap<number, readonly string[]>;

/** Text files that changed in the base alone, and bytes of them, that are searched for names. */
const limits = { files: 500, bytes: 5_000_000 } as const;

function contentsOf({ files, moved, since, basis }: Changes, out: readonly string[]): readonly string[] {
  return [
    contentOf.diff(files),
    ...files.flatMap((file) => [contentOf.file(file, basis), contentOf.path(file.path)]),
    ...files.flatMap((file) => earlierContent(file, { since, basis })?.content ?? []),
    ...moved.flatMap(readBefore),
    ...out.map(contentOf.path),
  ];
}

/** Contents as the earlier run sealed them, with whichever key; null where it knew none of these files. */
async function knownSeals(
  contents: readonly string[],
  { readings, seal }: { readings: Readings; seal: Sealing },
): Promise<Pick<Held, 'key' | 'sealed'> | null> {
  const known = new Set(readings.receipts.map(({ path }) => path));
  for (let key = 0; ; key += 1) {
    const seals = await sealsOf(contents, { seal, key });
    if (seals === null) return null;
    if ([...seals.values()].some((one) => known.has(one)))
      return { key, sealed: (content) => seals.get(content) ?? '' };
  }
}

/** What was at this place before the base moved. */
function readBefore({ oldPath, sides }: ChangedFile): readonly string[] {
  return sides?.before === undefined || sides.before === null ? [] : [contentOf.read(oldPath, sides.before.blob)];
}

/** A file as it was at the earlier head, if it lay on the same base, and what changed in it. */
function earlierContent(
  file: ChangedFile,
  { since, basis }: Pick<Changes, 'since' | 'basis'>,
): { readonly content: string; readonly since: ChangedFile } | null {
  const change = since?.find(({ path, oldPath }) => path === file.path && oldPath === path);
  const after = change?.sides?.before;
  if (change === undefined || after === undefined || file.sides === undefined) return null;
  return { content: contentOf.file({ ...file, sides: { ...file.sides, after } }, basis), since: change };
}

/**
 * Paths that a push took something of out of the diff of the pull request: what is left may have relied on it. Null where nobody knows what was
 * pushed. What the base changed in files that the pull request does not touch is none of it.
 */
async function takenOut(
  { files, moved, since, state }: Changes,
  { changesBetween }: HoldingPorts,
): Promise<readonly string[] | null> {
  if (since === null) return null;
  const byPath = new Map(files.map((file) => [file.path, file]));
  const movedFrom = new Map(moved.map((file) => [file.oldPath, file]));
  const isOwn = (change: ChangedFile) => {
    const base = movedFrom.get(change.oldPath);
    return base === undefined || !isSame(base.sides?.before, change.sides?.before);
  };
  const own = since.filter(isOwn);
  const isMoved = ({ oldPath }: ChangedFile) => movedFrom.has(oldPath);
  // Of a file that both changed, the two diffs tell what became of the lines.
  const isBaseNeeded = own.some((change) => isMoved(change) && byPath.has(change.path));
  const then = isBaseNeeded ? ((await changesBetween(state.mergeBase, state.head)) ?? []) : [];
  const isOut = (change: ChangedFile) => {
    const now = byPath.get(change.path);
    if (now === undefined || !isMoved(change)) return isTakenBack(change, now);
    const before = then.find(({ path }) => path === change.oldPath);
    return before === undefined || losesLines(before, now);
  };
  return own.filter(isOut).flatMap(({ path, oldPath }) => (path === oldPath ? [path] : [path, oldPath]));
}

function isSame(one: StoredFile | null | undefined, other: StoredFile | null | undefined): boolean {
  return one?.mode === other?.mode && one?.blob === other?.blob;
}

/** Conversations that read what is another now, or what a push took out of the diff. */
function brokenBeneath(held: Held): Broken {
  const { readings, files, moved, out, basis, sealed } = held;
  const present = new Set(files.map((file) => sealed(contentOf.file(file, basis))));
  const diff = sealed(contentOf.diff(files));
  const read = new Map(moved.flatMap((file) => readBefore(file).map((content) => [sealed(content), file.oldPath])));
  // Where nobody knows what was pushed, all that is another now may have lost something.
  const unknown = readings.receipts.filter(({ key }) => out === null && !present.has(key)).map(({ path }) => path);
  const taken = new Map([
    ...unknown.map((seal) => [seal, pathOf(seal, held)] as const),
    ...(out ?? []).map((path) => [sealed(contentOf.path(path)), path] as const),
  ]);
  const entries = readings.conversations.map((_, conversation): [number, readonly string[]] => {
    const [about, ...own] = readIn(readings, conversation);
    const receipts = readings.receipts.filter((receipt) => receipt.conversation === conversation);
    const asNow = new Set(receipts.filter(({ key }) => present.has(key)).map(({ path }) => path));
    const seen = [...own, ...receipts.map(({ path }) => path).filter((path) => !asNow.has(path))];
    const lost = about === diff ? [] : seen.flatMap((seal) => taken.get(seal) ?? []);
    return [conversation, [...new Set([...own.flatMap((seal) => read.get(seal) ?? []), ...lost])]];
  });
  return new Map(entries.filter(([, changed]) => changed.length > 0));
}

/** Empty for a file that the diff does not have any more. */
function pathOf(seal: string, { files, sealed }: Held): string {
  return files.find(({ path }) => sealed(contentOf.path(path)) === seal)?.path ?? '';
}

/** Conversations about files whose names stand in what changed in the base. Null where too much changed to look. */
async function brokenByNames(
  held: Held & { readonly broken: Broken },
  { namesOf, readHead }: HoldingPorts,
): Promise<Broken | null> {
  const { files, others, broken } = held;
  const found = new Map<number, readonly string[]>();
  if (others.length === 0) return found;
  const names = new Map<string, number[]>();
  for (const file of files) {
    const { conversation } = receiptOf(file, held)?.receipt ?? {};
    if (conversation === undefined || broken.has(conversation)) continue;
    for (const name of await namesOf(file)) names.set(name, [...(names.get(name) ?? []), conversation]);
  }
  if (names.size === 0) return found;
  let bytes = 0;
  for (const file of others) {
    const content = file.status === 'deleted' ? null : await readHead(file.path);
    if (content?.kind === 'unreadable' && content.reason === 'too-large' && (content.media ?? null) === null)
      return null;
    bytes += content?.kind === 'text' ? content.bytes : 0;
    if (bytes > limits.bytes) return null;
    const text = content?.kind === 'text' ? content.text : '';
    for (const word of new Set([text, ...file.hunks.flatMap(({ lines }) => lines)].flatMap(wordsIn))) {
      for (const conversation of names.get(word) ?? []) {
        found.set(conversation, [...new Set([...(found.get(conversation) ?? []), file.path])]);
      }
    }
  }
  return found;
}

type FoundReceipt = { readonly receipt: Receipt; readonly since: ChangedFile | null };

/** The receipt for a file as it is, or as it was before the push. */
function receiptOf(file: ChangedFile, { readings, since, basis, sealed }: Held): FoundReceipt | null {
  const byKey = (content: string) => readings.receipts.find(({ key }) => content !== '' && key === sealed(content));
  const receipt = byKey(contentOf.file(file, basis));
  if (receipt !== undefined) return { receipt, since: null };
  const before = earlierContent(file, { since, basis });
  const earlier = before === null ? undefined : byKey(before.content);
  return before === null || earlier === undefined ? null : { receipt: earlier, since: before.since };
}

function standingOf(held: Held, broken: Broken): Standing {
  const { files, state, head, moved, readings, basis, sealed } = held;
  const standings = new Map(files.map((file) => [file.path, fileStanding(file, { held, broken })]));
  const present = new Set(files.map((file) => sealed(contentOf.file(file, basis))));
  const has = (...kinds: readonly FileStanding['kind'][]) =>
    [...standings.values()].some(({ kind }) => kinds.includes(kind));
  const changed = moved.length > 0 ? 'the base changed' : 'everything changed';
  const nothing = has('rests on') ? 'what it rests on changed' : changed;
  const why = has('holds', 'pushed') || state.head === head ? null : nothing;
  // Which names a content defines is known of those in the diff alone.
  const isKept = ({ key, conversation }: Receipt) =>
    !broken.has(conversation) && (moved.length === 0 || present.has(key));
  return { why, since: state.head, files: standings, kept: readings.receipts.filter(isKept), key: held.key };
}

function fileStanding(file: ChangedFile, { held, broken }: { held: Held; broken: Broken }): FileStanding {
  const found = receiptOf(file, held);
  if (found === null) {
    const path = held.sealed(contentOf.path(file.path));
    return { kind: held.readings.receipts.some((receipt) => receipt.path === path) ? 'changed' : 'new' };
  }
  const { receipt, since } = found;
  const changed = broken.get(receipt.conversation);
  if (changed !== undefined) return { kind: 'rests on', changed: changed.filter((path) => path !== '') };
  return since === null ? { kind: 'holds', receipt } : { kind: 'pushed', receipt, since };
}
