import type { CreateEmbeddingResponse } from 'openai/resources/embeddings';
import { at, isObject, listAt, textAt } from '../json.ts';
import type { Outcome } from '../loopback.ts';
import { faultReply } from './fault-reply.ts';
import { bad, jsonReply, type Problem, problemReply } from './problem.ts';
import type { ModelOptions } from './script.ts';
import { tokensOf } from './usage.ts';

const parameters = ['input', 'model', 'dimensions', 'encoding_format', 'user'];
const mostInputs = 2_048;
/** Of one input, and of all inputs of a request together. */
const mostTokens = 8_192;
const mostTokensTogether = 300_000;

/** What OpenAI's API refuses of a request for embeddings; null for one that it takes. */
export function embeddingsProblem(body: unknown): Problem | null {
  if (!isObject(body)) return bad('We could not parse the JSON body of your request.');
  const unknown = Object.keys(body).find((name) => !parameters.includes(name));
  if (unknown !== undefined) return bad(`Unrecognized request argument supplied: ${unknown}`);
  if (textAt(body, 'model') === '') return bad('you must provide a model parameter');
  const format = at(body, 'encoding_format');
  if (format !== undefined && format !== 'float' && format !== 'base64') {
    return bad(`'${String(format)}' is not one of ['base64', 'float'] - 'encoding_format'`);
  }
  return inputProblem(at(body, 'input'));
}

function inputProblem(input: unknown): Problem | null {
  const invalid = bad(
    "'$.input' is invalid. Please check the API reference: https://platform.openai.com/docs/api-reference.",
  );
  // A single text is allowed there; Postil sends lists.
  if (!Array.isArray(input) || input.length === 0) return invalid;
  if (input.length > mostInputs) return bad(`'$.input' is too long. Maximum length is ${mostInputs}.`);
  if (!input.every((text) => typeof text === 'string' && text !== '')) return invalid;
  const tokens = input.map((text) => tokensOf(String(text)));
  if (tokens.some((count) => count > mostTokens)) {
    return bad(
      `This model's maximum context length is ${mostTokens} tokens. Please reduce your prompt; or completion length.`,
    );
  }
  const together = tokens.reduce((sum, count) => sum + count, 0);
  if (together <= mostTokensTogether) return null;
  return bad(`Requested ${together} tokens, max ${mostTokensTogether} tokens per request`, {
    code: 'max_tokens_per_request',
  });
}

/** The endpoint for embeddings: plays its script, as strict as the real one. */
export class EmbeddingsDesk {
  /** Texts of each request that was not refused. */
  readonly requests: (readonly string[])[] = [];
  readonly #options: ModelOptions;
  readonly #complaints: string[];

  constructor(options: ModelOptions, complaints: string[]) {
    this.#options = options;
    this.#complaints = complaints;
  }

  serve(body: unknown): Outcome {
    const mistake = embeddingsProblem(body);
    if (mistake !== null) {
      this.#complaints.push(mistake.message);
      return problemReply(mistake);
    }
    const texts = listAt(body, 'input').map(String);
    this.requests.push(texts);
    const turn = this.requests.length - 1;
    const vectors: (readonly number[])[] = [];
    for (const text of texts) {
      const made = this.#options.embeddings?.(text, turn) ?? [];
      if (!('kind' in made)) vectors.push(made);
      else if (made.kind === 'broken') return made.how;
      else return made.kind === 'fault' ? faultReply(made) : jsonReply(200, {});
    }
    return jsonReply(200, this.#answer({ texts, vectors, model: textAt(body, 'model') }));
  }

  #answer({ texts, vectors, model }: Answering): Partial<CreateEmbeddingResponse> {
    const data = vectors.map((embedding, index) => ({
      object: 'embedding' as const,
      index,
      embedding: [...embedding],
    }));
    const tokens = texts.reduce((sum, text) => sum + tokensOf(text), 0);
    const usage = this.#options.usage === false ? {} : { usage: { prompt_tokens: tokens, total_tokens: tokens } };
    // Nobody promises an order: the index counts.
    return { object: 'list', data: data.toReversed(), model, ...usage };
  }
}

type Answering = {
  readonly texts: readonly string[];
  readonly vectors: readonly (readonly number[])[];
  readonly model: string;
};
