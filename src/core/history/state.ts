import { deflateSync, Inflate, strFromU8, strToU8 } from 'fflate';
import { readJsonText } from '../bounded.ts';
import { exactly, type Infer, listOf, onlyTrue, parserFor, textOrNull, withOptional } from '../schema.ts';
import { categories, severities } from '../settings/setting.ts';
import { fullHash } from '../text.ts';
import { hasEnded, isOpen, lifeOfAll, lives } from './life.ts';
import { type Readings, type Receipt, readingsSchema } from './receipts/receipts.ts';

const text = { type: 'string' } as const;
const line = { type: 'integer', minimum: 1 } as const;
const number = { type: 'integer', minimum: 0 } as const;
const commit = { type: 'string', pattern: fullHash.source } as const;

/** Lines by which a place is known again, and places of one finding that are followed. */
export const kept = { digests: 6, places: 10 } as const;

export const linesSchema = exactly({
  side: { enum: ['RIGHT', 'LEFT'] },
  startLine: line,
  endLine: line,
  /** Short digests of the first lines, blank ones left out: known again when the commit is gone. */
  digests: listOf(text),
});

/** One place of a finding, counted at the commit at which somebody looked at it last. */
const placeSchema = withOptional(
  exactly({
    /** As the diff of that commit knew it. */
    path: text,
    /** Null for a matter of the whole file. */
    lines: { ...linesSchema, type: ['object', 'null'] },
    commit,
    mergeBase: commit,
    /** Digest of the definition around it; null where it cannot be read. */
    around: textOrNull,
    life: { enum: lives },
  }),
  {
    /** What it was called at the merge base, where that is another name. */
    oldPath: text,
    /** Of one that ended: its own lines stayed as they were, and what is around them ended it. */
    isIntact: onlyTrue,
    /** Of one that is fixed: the code that proves it. */
    proof: exactly({ path: text, digests: listOf(text), around: textOrNull }),
  },
);

const findingSchema = withOptional(
  exactly({
    /** Such as `p-3f09ab12`: minted once. */
    id: text,
    title: text,
    severity: { enum: severities },
    category: { enum: categories },
    ruleId: textOrNull,
    source: { enum: ['model', 'rule'] },
    places: listOf(placeSchema),
  }),
  {
    /** Places beyond those that are kept: then nothing is fixed. */
    more: number,
    /** No comment of its own holds it, and none should. */
    quiet: onlyTrue,
    /** Its code was not found. */
    unplaced: onlyTrue,
    /** Its file was outside of the diff when it was found. */
    outside: onlyTrue,
    /** The finding whose fix brought it. */
    from: text,
    /** How many fixes it is away from a finding of the first kind. */
    generation: number,
    /** It came late and below the floor: it has an id, and no comment. */
    muted: onlyTrue,
  },
);

const walkthroughSchema = exactly({ paths: listOf(text), changes: text, checked: text });

const stateSchema = withOptional(
  exactly({
    /** Full hash of the last reviewed head. */
    head: commit,
    mergeBase: commit,
    /** Name of the base branch, whose rules and guidance it was reviewed by. */
    base: text,
    settings: text,
    /** How many runs of this name have reviewed the pull request. */
    reviews: number,
    findings: listOf(findingSchema),
    /** Open findings for which there was no room, by path. */
    beyond: listOf(exactly({ path: text, severity: { enum: severities }, count: number })),
    walkthrough: listOf(walkthroughSchema),
  }),
  {
    readings: readingsSchema,
    /** Ids of findings that two runs at once made of one that another id stands for. */
    twins: listOf(text),
  },
);

export type KnownPlace = Infer<typeof placeSchema>;
export type KnownFinding = Infer<typeof findingSchema>;

/** All that a reviewer knows of a pull request: what the signed summary comment holds. */
export type State = Infer<typeof stateSchema> & {
  /** Counts the states that were written: what is older than a mark of ours says is not believed. */
  readonly number: number;
  /** The run that wrote it, such as `4711-1`. */
  readonly run: string;
};

const parseState = parserFor(stateSchema);

/** Bytes of JSON: twenty times what fits into a comment. */
const mostBytes = 4_000_000;

/** A state as it stands in a mark, without its number and run: those of the mark hold. */
export function packState({ number: _, run: __, ...state }: State): string {
  return toBase64(deflateSync(strToU8(JSON.stringify(state)), { level: 9 }));
}

/** Only for what was signed by us. Null for what is no state of this version. */
export function unpackState(data: string, { number, run }: Pick<State, 'number' | 'run'>): State | null {
  const json = inflated(data);
  const read = json === null ? null : readJsonText(json);
  const parsed = read?.ok === true ? parseState(read.value) : null;
  return parsed?.ok === true ? { ...parsed.value, number, run } : null;
}

function inflated(data: string): string | null {
  const parts: Uint8Array[] = [];
  let size = 0;
  const inflate = new Inflate((part) => {
    size += part.length;
    if (size > mostBytes) throw new RangeError('a state that is too large');
    parts.push(part);
  });
  try {
    const bytes = fromBase64(data);
    for (let at = 0; at < bytes.length; at += slice) {
      inflate.push(bytes.subarray(at, at + slice), at + slice >= bytes.length);
    }
  } catch {
    return null;
  }
  const whole = new Uint8Array(size);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return strFromU8(whole);
}

/** A byte of a deflated text comes to a thousand at most: what is too large is noticed in time. */
const slice = 1_024;

function toBase64(bytes: Uint8Array): string {
  let binary = '';
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary);
}

function fromBase64(data: string): Uint8Array {
  return Uint8Array.from(atob(data), (character) => character.charCodeAt(0));
}

/**
 * The state in at most so many characters. What does not fit goes in this order: receipts, walkthrough, ended findings; of the open ones the least
 * important become counts, and are looked for again: without receipts every file is read.
 */
export function fitState(state: State, room: number): State {
  let smallest = state;
  for (const smaller of smallerStates(state)) {
    smallest = smaller;
    if (packState(smaller).length <= room) break;
  }
  return smallest;
}

function* smallerStates(state: State): Generator<State> {
  yield state;
  const { readings, ...bare } = state;
  for (const share of [0.75, 0.5, 0.25]) if (readings !== undefined) yield { ...bare, readings: some(readings, share) };
  yield bare;
  const shortened = { ...bare, walkthrough: [] };
  yield shortened;
  const open = shortened.findings.filter((one) => !isOver(one));
  const over = shortened.findings.filter(isOver);
  for (const share of [0.5, 0.25, 0]) {
    yield { ...shortened, findings: [...open, ...over.slice(0, Math.floor(over.length * share))] };
  }
  for (let most = open.length; most > 0; ) {
    most = Math.floor(most * 0.8);
    yield { ...shortened, findings: open.slice(0, most), beyond: countsOf(state, open.slice(most)) };
  }
}

/** Declined ones stand with the open: what people said is not forgotten before what ended by itself. */
function isOver({ places }: KnownFinding): boolean {
  return hasEnded(lifeOfAll(places.map(({ life }) => life)));
}

/** The first receipts. */
function some(readings: Readings, share: number): Readings {
  return withReceipts(readings, readings.receipts.slice(0, Math.floor(readings.receipts.length * share)));
}

/** Of what was read these receipts, and nothing that none of them rests on. */
export function withReceipts(readings: Readings, receipts: readonly Receipt[]): Readings {
  const conversations = [...new Set(receipts.map(({ conversation }) => conversation))].sort(
    (one, other) => one - other,
  );
  const used = [...new Set(conversations.flatMap((index) => readings.conversations[index] ?? []))];
  const place = new Map(used.map((index, at) => [index, at]));
  return {
    ...readings,
    receipts: receipts.map((one) => ({ ...one, conversation: conversations.indexOf(one.conversation) })),
    conversations: conversations.map((index) =>
      (readings.conversations[index] ?? []).flatMap((each) => place.get(each) ?? []),
    ),
    read: used.flatMap((index) => readings.read[index] ?? []),
  };
}

function countsOf({ beyond }: State, left: readonly KnownFinding[]): State['beyond'] {
  const counts = new Map(beyond.map((one) => [`${one.severity} ${one.path}`, one]));
  for (const { severity, places } of left) {
    if (!isOpen(lifeOfAll(places.map(({ life }) => life)))) continue;
    const path = places[0]?.path ?? '';
    const key = `${severity} ${path}`;
    counts.set(key, { path, severity, count: (counts.get(key)?.count ?? 0) + 1 });
  }
  return [...counts.values()];
}

/**
 * What two runs at once know together: findings by their ids, of one that both know the worse state, and receipts, each with the findings of its own
 * reading. Head, words and settings are those of `ours`.
 */
export function joinStates(ours: State, theirs: State): State {
  const findings = new Map(theirs.findings.map((finding) => [finding.id, finding]));
  for (const finding of ours.findings) {
    const other = findings.get(finding.id);
    findings.set(finding.id, other === undefined || !isWorse(other, finding) ? finding : other);
  }
  const all = [...findings.values()].toSorted((one, other) => Number(isOver(one)) - Number(isOver(other)));
  const { readings, ...rest } = ours;
  const joined = { ...rest, findings: all, beyond: ours.beyond.length > 0 ? ours.beyond : theirs.beyond };
  const receipts =
    readings === undefined || theirs.readings === undefined ? readings : joinReadings(readings, theirs.readings);
  const twins = new Set([...(ours.twins ?? []), ...(theirs.twins ?? [])]);
  return {
    ...joined,
    number: Math.max(ours.number, theirs.number + 1),
    reviews: Math.max(ours.reviews, theirs.reviews),
    ...(twins.size === 0 ? {} : { twins: [...twins] }),
    ...(receipts === undefined ? {} : { readings: receipts }),
  };
}

const bestLast = ['returned', 'open', 'changed', 'withdrawn', 'declined', 'fixed', 'gone'] as const;

function isWorse(one: KnownFinding, other: KnownFinding): boolean {
  const rank = ({ places }: KnownFinding) => bestLast.indexOf(lifeOfAll(places.map(({ life }) => life)));
  return rank(one) < rank(other);
}

function joinReadings(ours: Readings, theirs: Readings): Readings {
  if (ours.basis !== theirs.basis) return ours;
  const known = new Set(ours.receipts.map(({ key }) => key));
  const others = theirs.receipts.filter(({ key }) => !known.has(key));
  const read = [...new Set([...ours.read, ...theirs.read])];
  const place = new Map(read.map((seal, index) => [seal, index]));
  const moved = theirs.conversations.map((each) => each.flatMap((index) => place.get(theirs.read[index] ?? '') ?? []));
  const receipts = [
    ...ours.receipts,
    ...others.map((one) => ({ ...one, conversation: one.conversation + ours.conversations.length })),
  ];
  return withReceipts({ ...ours, receipts, read, conversations: [...ours.conversations, ...moved] }, receipts);
}
