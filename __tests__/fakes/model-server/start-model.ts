import { setTimeout } from 'node:timers/promises';
import type { CreateEmbeddingResponse } from 'openai/resources/embeddings';
import { at, isObject, listAt, parseJson, textAt } from '../every-pair.ts';
import { type IncomingRequest, type Outcome, startLoopback } from '../loopback.ts';
import { chatProblem } from './check-request.ts';
import { responsesProblem, toolsProblem } from './check-responses.ts';
import {
  type Api,
  bad,
  jsonReply,
  type NormalisedRequest,
  normalise,
  type Problem,
  problemReply,
  wrongKey,
} from './normalise.ts';
import { type Counted, inTextProtocol, renderChat, renderResponses, TokenCounter, tokensOf } from './render.ts';
import { faultReply, refusalOf } from './replies.ts';
import {
  type Answer,
  call,
  type ModelOptions,
  type ModelScript,
  ReasoningMemory,
  ScriptPlayer,
  SignatureMemory,
} from './script.ts';
import { chatStream, responsesStream } from './stream.ts';

export const modelKey = 'scripted-model-key-1234567890';

export type FakeModel = {
  /** What `base-url` takes, such as http://127.0.0.1:4711/v1. */
  readonly url: string;
  readonly apiKey: string;
  /** Requests that reached the script, in order. Those that were refused are not among them. */
  readonly requests: readonly NormalisedRequest[];
  /** Requests to check findings, apart from the script. */
  readonly verifications: readonly NormalisedRequest[];
  /** Texts of each request for embeddings that was not refused. */
  readonly embeddings: readonly (readonly string[])[];
  /** Every request, whatever became of it. */
  readonly attempts: readonly { readonly path: string; readonly status: number | null; readonly body: unknown }[];
  /** What a client did wrong: a run of a correct client leaves it empty. Refusals by `rejects` are not counted. */
  readonly complaints: readonly string[];
  close(): Promise<void>;
};

/** A scripted model behind both of OpenAI's APIs, as strict as the real ones. */
export async function startModel(script: ModelScript): Promise<FakeModel> {
  const options = typeof script === 'function' || isList(script) ? { answers: script } : script;
  const desk = new ModelDesk(options);
  const attempts: { path: string; status: number | null; body: unknown }[] = [];
  const server = await startLoopback(async (request) => {
    const body = parseJson(request.body.toString('utf8'));
    const outcome = await desk.serve(request, body);
    attempts.push({ path: request.path, status: typeof outcome === 'string' ? null : outcome.status, body });
    return outcome;
  });
  return {
    url: `${server.url}/v1`,
    apiKey: modelKey,
    requests: desk.requests,
    verifications: desk.verifications,
    embeddings: desk.embeddings.requests,
    attempts,
    complaints: desk.complaints,
    close: server.close,
  };
}

function isList(script: ModelScript): script is readonly Answer[] {
  return Array.isArray(script);
}

class ModelDesk {
  readonly requests: NormalisedRequest[] = [];
  readonly verifications: NormalisedRequest[] = [];
  readonly embeddings: EmbeddingsDesk;
  readonly complaints: string[] = [];
  readonly #options: ModelOptions;
  readonly #player: ScriptPlayer;
  readonly #verifier: ScriptPlayer;
  readonly #counter = new TokenCounter();
  readonly #reasoning = new ReasoningMemory();
  readonly #signatures = new SignatureMemory();
  #ids = 0;

  constructor(options: ModelOptions) {
    this.#options = options;
    this.embeddings = new EmbeddingsDesk(options, this.complaints);
    this.#player = new ScriptPlayer(options);
    this.#verifier = new ScriptPlayer({ answers: options.verification ?? (() => leavesAll) });
  }

  async serve(http: IncomingRequest, body: unknown): Promise<Outcome> {
    const api = apiOf(http);
    const { embeddings, rejects = [] } = this.#options;
    const embeds = http.path === '/v1/embeddings' && embeddings !== undefined;
    const isServed = embeds || api === 'chat' || (api === 'responses' && !rejects.includes('responses'));
    if (!isServed) return jsonReply(404, { detail: 'Not Found' });
    if (http.headers.authorization !== `Bearer ${modelKey}`) return problemReply(wrongKey(http));
    if (api === null) return this.embeddings.serve(body);
    const request = normalise(api, body);
    const refusal = refusalOf(request, this.#options);
    if (refusal !== null) return problemReply(refusal);
    const mistake = this.#mistakeIn(request);
    if (mistake !== null) {
      this.complaints.push(mistake.message);
      return problemReply(mistake);
    }
    const counted = this.#counter.count(request);
    const overflow = overflowOf(request, { counted, window: this.#options.contextWindow });
    if (overflow !== null) return problemReply(overflow);
    const [asked, player] = this.#scriptOf(request);
    asked.push(request);
    const answer = await player.next(request);
    if (answer === null) return this.#outOfScript(request);
    return this.#render(request, { answer, counted });
  }

  #scriptOf(request: NormalisedRequest): readonly [NormalisedRequest[], ScriptPlayer] {
    if (isVerification(request)) return [this.verifications, this.#verifier];
    return [this.requests, this.#player];
  }

  #mistakeIn(request: NormalisedRequest): Problem | null {
    if (request.api === 'chat') {
      return chatProblem(request.body) ?? toolsProblem(request) ?? this.#signatures.problem(request.body);
    }
    return responsesProblem(request.body) ?? toolsProblem(request) ?? this.#reasoning.problem(request.body);
  }

  #outOfScript(request: NormalisedRequest): Outcome {
    const last = request.messages.at(-1)?.text.slice(0, 200);
    const words = `OUT OF SCRIPT: request ${this.requests.length} has no answer. It ends with: ${last}`;
    this.complaints.push(words);
    return problemReply({ ...bad(words), status: 500 });
  }

  async #render(request: NormalisedRequest, made: { answer: Answer; counted: Counted }): Promise<Outcome> {
    const { answer, counted } = made;
    if (answer.kind === 'broken') return answer.how;
    if (answer.kind === 'fault') return faultReply(answer);
    await setTimeout(this.#options.latency ?? 0);
    const streams = at(request.body, 'stream') === true && !this.#options.ignoresStream;
    const rendering = {
      answer: request.tools.length > 0 ? answer : inTextProtocol(answer),
      model: request.model,
      counted: this.#options.usage === false ? null : cutAt(counted, this.#options.countsAtMost),
      nextId: () => String(++this.#ids).padStart(24, '0'),
      signed: this.#options.thoughtSignatures ?? false,
    };
    if (request.api === 'chat') {
      const completion = renderChat(rendering);
      this.#signatures.remember(completion);
      if (!streams) return jsonReply(200, completion);
      const withUsage = at(request.body, 'stream_options', 'include_usage') === true;
      return chatStream(completion, { withUsage, fault: answer.streamFault });
    }
    const response = renderResponses(rendering, {
      reasoning: this.#options.reasoning ?? true,
      encrypted: listAt(request.body, 'include').includes('reasoning.encrypted_content'),
    });
    this.#reasoning.remember(response.output);
    return streams ? responsesStream(response, { fault: answer.streamFault }) : jsonReply(200, response);
  }
}

const leavesAll = call('submit_verification', { confirmed: [], drop_suggestion: [], verdicts: [] });

function isVerification({ tools, prompt }: NormalisedRequest): boolean {
  return tools.includes('submit_verification') || (tools.length === 0 && prompt.includes('call submit_verification'));
}

function apiOf(http: IncomingRequest): Api | null {
  if (http.method !== 'POST') return null;
  if (http.path === '/v1/chat/completions') return 'chat';
  return http.path === '/v1/responses' ? 'responses' : null;
}

function overflowOf(
  request: NormalisedRequest,
  { counted, window }: { counted: Counted; window: number | undefined },
): Problem | null {
  if (window === undefined || counted.input <= window) return null;
  const words =
    request.api === 'chat'
      ? `This model's maximum context length is ${window} tokens. However, your messages resulted in ${counted.input} tokens. Please reduce the length of the messages.`
      : 'Your input exceeds the context window of this model. Please adjust your input and try again.';
  return bad(words, { code: 'context_length_exceeded' });
}

function cutAt(counted: Counted, most = Infinity): Counted {
  return { input: Math.min(counted.input, most), cached: Math.min(counted.cached, most) };
}

const parameters = ['input', 'model', 'dimensions', 'encoding_format', 'user'];
const mostInputs = 2_048;
/** Of one input, and of all inputs of a request together. */
const mostTokens = 8_192;
const mostTokensTogether = 300_000;

/** What OpenAI's API refuses of a request for embeddings; null for one that it takes. */
function embeddingsProblem(body: unknown): Problem | null {
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
  return bad(`Requested ${together} tokens, max ${mostTokensTogether} tokens per request`);
}

/** The endpoint for embeddings: plays its script, as strict as the real one. */
class EmbeddingsDesk {
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
    const turn = this.requests.push(texts) - 1;
    const vectors: (readonly number[])[] = [];
    for (const text of texts) {
      const made = this.#options.embeddings?.(text, turn) ?? [];
      if (!('kind' in made)) vectors.push(made);
      else if (made.kind === 'broken') return made.how;
      else return made.kind === 'fault' ? faultReply(made) : jsonReply(200, {});
    }
    const data = vectors.map((vector, index) => ({ object: 'embedding' as const, index, embedding: [...vector] }));
    const tokens = texts.reduce((sum, text) => sum + tokensOf(text), 0);
    const usage = this.#options.usage === false ? {} : { usage: { prompt_tokens: tokens, total_tokens: tokens } };
    // Nobody promises an order: the index counts.
    const answer = { object: 'list', data: data.toReversed(), model: textAt(body, 'model'), ...usage } as const;
    return jsonReply(200, answer satisfies Partial<CreateEmbeddingResponse>);
  }
}
