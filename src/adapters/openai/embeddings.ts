import type { EmbeddingCreateParams } from 'openai/resources/embeddings';
import { ModelError } from '../../core/agent/model.ts';
import { type Embedder, type Vector, vectorOf } from '../../core/knowledge/by-meaning.ts';
import { type ClientOptions, createClient, keyInput } from './client.ts';
import { aborted, type Endpoint, refusedBy, unanswered, wordsFrom } from './errors.ts';
import { embeddingsUsage, field, list } from './json.ts';
import { errorInside } from './refusals.ts';

/**
 * An embedding model behind the `openai` package, at the same server as the model that reviews. `extra-body` is not for it: its fields
 * are those of a conversation.
 * @throws UserError at once for a key that cannot be sent.
 */
export function openAiEmbedder(options: ClientOptions & { readonly model: string }): Embedder {
  const client = createClient(options);
  const { model, apiKey, keyName = keyInput } = options;
  const endpoint: Endpoint = { host: new URL(options.baseUrl).host, model, apiKey, keyName };

  async function send(texts: readonly string[], signal: AbortSignal): Promise<unknown> {
    // Floats are what every compatible server knows.
    const body = { model, input: [...texts], encoding_format: 'float' } satisfies EmbeddingCreateParams;
    try {
      return await client.post('/embeddings', body, signal);
    } catch (error) {
      if (signal.aborted) throw aborted(endpoint);
      const refusal = wordsFrom(error);
      throw refusal === null ? unanswered(endpoint, error) : refusedBy(endpoint, refusal);
    }
  }

  return {
    embed: async (texts, signal) => {
      const answer = await send(texts, signal);
      const words = errorInside(answer);
      if (words !== null) throw refusedBy(endpoint, { words, headers: undefined });
      const vectors = vectorsIn(answer, texts.length);
      if (vectors === null) {
        const message = `${endpoint.host} did not answer with a vector for each text (model ${model}).`;
        throw new ModelError('refused-request', message, { maybeBilled: true });
      }
      return { vectors, usage: embeddingsUsage(field(answer, 'usage')) };
    },
  };
}

/** In the order of the texts; null when not every text has one, or they differ in length. */
function vectorsIn(answer: unknown, wanted: number): readonly Vector[] | null {
  const found = new Map<number, Vector>();
  for (const [at, item] of list(field(answer, 'data')).entries()) {
    const vector = vectorOf(list(field(item, 'embedding')).map(Number));
    const index = field(item, 'index') ?? at;
    if (vector === null || typeof index !== 'number') return null;
    found.set(index, vector);
  }
  const vectors = Array.from({ length: wanted }, (_, at) => found.get(at) ?? null).filter((each) => each !== null);
  const lengths = new Set(vectors.map(({ length }) => length));
  return found.size === wanted && vectors.length === wanted && lengths.size <= 1 ? vectors : null;
}
