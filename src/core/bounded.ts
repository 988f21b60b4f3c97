export type ReadJson =
  | { readonly ok: true; readonly value: unknown }
  /** A part of a sentence, such as `it is nested more than 200 levels deep`. */
  | { readonly ok: false; readonly problem: string };

/** Levels of JSON that somebody else wrote. What reads and writes values goes down level by level, and a stack has an end. */
const maxJsonLevels = 200;

/** Parses JSON that somebody else wrote. Never throws; takes time and memory in proportion to the text. */
export function readJsonText(text: string): ReadJson {
  if (isNestedDeeper(text, maxJsonLevels)) {
    return { ok: false, problem: `it is nested more than ${maxJsonLevels} levels deep` };
  }
  try {
    return { ok: true, value: JSON.parse(text) };
  } catch (error) {
    return { ok: false, problem: error instanceof Error ? error.message : 'it cannot be read' };
  }
}

/** The same where a problem is none: undefined then. */
export function valueOfJson(text: string): unknown {
  const read = readJsonText(text);
  return read.ok ? read.value : undefined;
}

/** What JSON and YAML call an object or a mapping. */
export function isRecord(value: unknown): value is { readonly [name: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Counted in the text, since a value has to be built before it can be measured. */
function isNestedDeeper(text: string, levels: number): boolean {
  let level = 0;
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charCodeAt(at);
    if (character === quote) at = endOfString(text, at);
    else if (character === openList || character === openObject) level += 1;
    else if (character === closeList || character === closeObject) level -= 1;
    if (level > levels) return true;
  }
  return false;
}

function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text.charCodeAt(at) !== quote) at += text.charCodeAt(at) === backslash ? 2 : 1;
  return at;
}

const [quote, backslash] = [0x22, 0x5c];
const [openList, closeList, openObject, closeObject] = [0x5b, 0x5d, 0x7b, 0x7d];

/** The first of the items: as many as fit together into so much room. */
export function firstFitting<Item>(
  items: readonly Item[],
  room: number,
  sizeOf: (item: Item) => number,
): readonly Item[] {
  let left = room;
  const end = items.findIndex((item) => {
    left -= sizeOf(item);
    return left < 0;
  });
  return end === -1 ? items : items.slice(0, end);
}

/** Pieces of a body, as `fetch` gives them: decompressed. */
type Pieces = AsyncIterable<Uint8Array>;

/** A body that is larger than whoever asked is ready to keep. */
export class TooLarge extends Error {
  override readonly name = 'TooLarge';
}

/**
 * All bytes of a body that has at most `maxBytes`. A larger one is not read on: the pieces stop, so that what 10 MB of gzip
 * unpack to is never held. @throws TooLarge, and what the pieces throw when the body is cut.
 */
export async function readBounded(pieces: Pieces | null, maxBytes: number): Promise<Uint8Array<ArrayBuffer>> {
  const kept: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of bounded(pieces ?? nothing(), maxBytes)) {
    kept.push(piece);
    bytes += piece.length;
  }
  const whole = new Uint8Array(bytes);
  let at = 0;
  for (const piece of kept) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}

/** The pieces as they come, until together they are more than `maxBytes`. @throws TooLarge then. */
export async function* bounded(pieces: Pieces, maxBytes: number): AsyncGenerator<Uint8Array, void> {
  let bytes = 0;
  for await (const piece of pieces) {
    bytes += piece.length;
    if (bytes > maxBytes) throw new TooLarge(`the answer is larger than ${maxBytes / 1_000_000} MB`);
    yield piece;
  }
}

async function* nothing(): AsyncGenerator<Uint8Array, void> {}
