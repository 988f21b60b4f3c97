import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import type { Embedded, Embedder } from '../context/embedder.ts';
import { fromBase64, toBase64 } from '../images/base64.ts';
import type { RecordedCalls } from './recorded-calls.ts';
import type { Redacting } from './recorder.ts';

/** Ends like a model's calls, whose errors it has. */
const call = 'embedder.answer';

/** As it is written down: a byte for each component, in base64. The texts are known by a digest. */
type RecordedEmbedding = Omit<Embedded, 'vectors'> & { readonly vectors: readonly string[] };

export function recordedEmbedder(embedder: Embedder | null, { record, redact }: Redacting): Embedder | null {
  if (embedder === null) return null;
  return {
    embed: (texts, signal) =>
      record(call, digestOf(texts, redact), async () => {
        const given = await embedder.embed(texts, signal);
        const vectors = given.vectors.map((vector) => toBase64(new Uint8Array(vector.buffer)));
        return { given, kept: { ...given, vectors } satisfies RecordedEmbedding };
      }),
  };
}

export function replayedEmbedder(from: {
  readonly calls: RecordedCalls;
  readonly redact: (text: string) => string;
}): Embedder {
  return {
    embed: async (texts, signal) => {
      const key = digestOf(texts, from.redact);
      const { vectors, usage } = await from.calls.answer<RecordedEmbedding>({ call, key, signal });
      return { vectors: vectors.map((vector) => new Int8Array(fromBase64(vector).buffer)), usage };
    },
  };
}

function digestOf(texts: readonly string[], redact: (text: string) => string): string {
  return bytesToHex(sha256(utf8ToBytes(redact(JSON.stringify(texts))))).slice(0, 32);
}
