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
