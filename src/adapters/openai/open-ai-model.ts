import { estimateTokenCount } from 'tokenx';
import type { Message } from '../../core/agent/message.ts';
import { type Model, type ModelAnswer, ModelError, type ModelRequest, type Usage } from '../../core/agent/model.ts';
import type { ModelStep } from '../../core/events.ts';
import { ChatStream, chatAnswer, chatRequest, errorInChoice } from './chat.ts';
import { type Client, type ClientOptions, createClient, keyInput } from './client.ts';
import { type Dialect, initialDialect, type SpokenRequest, speak, withTextCalls } from './dialect.ts';
import { aborted, type Endpoint, quoted, refusedBy, unanswered, wordsFrom } from './errors.ts';
import { isObject, parseJson } from './json.ts';
import { nextStep, type Refusal, type Step } from './ladder.ts';
import { errorInside, readServerWords, type ServerWords } from './refusals.ts';
import { errorInResponse, ResponsesStream, responsesAnswer, responsesRequest } from './responses.ts';

export { proxyVariable, useProxyFromEnvironment } from './client.ts';
export { openAiEmbedder } from './embeddings.ts';

type Fields = { readonly [name: string]: unknown };

export type OpenAiOptions = ClientOptions & {
  readonly model: string;
  /** `auto` starts at what the host is known for and follows the server's words; a named API stays. */
  readonly api: 'auto' | 'responses' | 'chat';
  /** Null is not sent. */
  readonly temperature: number | null;
  /** Such as `low`; empty is not sent. */
  readonly reasoningEffort: string;
  /** Whether to stream, where the server can. */
  readonly stream: boolean;
  /** Merged into every body. */
  readonly extraBody: Fields;
  /** Helps the server to route equal prefixes to one cache. */
  readonly cacheKey: string;
  /** Called once for everything that the server made Postil change. `because` is untrusted, without the key. */
  readonly onAdjust: (adjustment: { step: ModelStep; change: string; because: string }) => void;
};

/**
 * A model behind the `openai` package, over either of its APIs. A request that the server refuses for its form is sent
 * again in the form that the server asks for (the ladder); everything else is the caller's to retry.
 * @throws UserError at once for a key that cannot be sent.
 */
export function openAiModel(options: OpenAiOptions): Model {
  const client = createClient(options);
  const { model, apiKey, keyName = keyInput, cacheKey, extraBody } = options;
  const endpoint: Endpoint = { host: new URL(options.baseUrl).host, model, apiKey, keyName };
  const dialect = adjustableDialect(initialDialect(options), (step, words) =>
    options.onAdjust({ step: step.step, change: step.change, because: quoted(words, options.apiKey) }),
  );
  const findCutPrompt = watchForCutPrompts();
  let known = false;

  return {
    answer: async (request, signal) => {
      try {
        return await ask(request, signal);
      } catch (error) {
        // Whatever a server wrote: one call failed, and the run goes on.
        throw error instanceof ModelError ? error : unanswered(endpoint, error);
      }
    },
  };

  async function ask(request: ModelRequest, signal: AbortSignal): Promise<ModelAnswer> {
    const onProgress = (characters: number) => request.onProgress?.(characters);
    for (;;) {
      const spoken = speak(request, { model, cacheKey, dialect: dialect.current() });
      const reply = await exchange(spoken, { client, endpoint, signal, extraBody, onProgress });
      if (reply.refused) {
        if (dialect.adjust({ words: reply.words, dialect: spoken.dialect, request })) continue;
        // An error inside a stream has no headers: the stream worked.
        if (reply.headers !== undefined) dialect.countFailedStream(reply.words, spoken.dialect);
        throw refusedBy({ ...endpoint, known }, reply);
      }
      known = true;
      if (spoken.dialect.stream) dialect.keepStream();
      const cut = findCutPrompt(request, reply.answer.usage);
      if (cut !== null) options.onAdjust({ step: 'cut-prompt', change: cutPromptAdvice, because: cut });
      const answer = spoken.dialect.images ? reply.answer : { ...reply.answer, withoutImages: true as const };
      return withTextCalls(answer, { request, dialect: spoken.dialect });
    }
  }
}

const cutPromptAdvice =
  'nothing, but the server seems to cut long prompts: raise its context (OLLAMA_CONTEXT_LENGTH at Ollama) or lower `batch-tokens`';

/** The dialect of a run, shared by the calls that run at the same time. */
type AdjustableDialect = {
  current(): Dialect;
  /** True when the refused request is worth sending again in the current dialect. */
  adjust(refusal: Refusal): boolean;
  /** A streamed request failed at the server. Where the first two do, the caller's next attempt does not stream, nor does any later one. */
  countFailedStream(words: ServerWords, sent: Dialect): void;
  /** An answer came that was asked for as a stream: whatever fails later has another reason. */
  keepStream(): void;
};

/** Some gateways answer 500 to every request for a stream, and not to others. */
const mostFailedStreams = 2;

export function adjustableDialect(
  initial: Dialect,
  onStep: (step: Step, words: ServerWords) => void,
): AdjustableDialect {
  const taken = new Set<ModelStep>();
  let dialect = initial;
  let streamsLeft = mostFailedStreams;
  return {
    current: () => dialect,
    adjust: (refusal) => {
      // Another call climbed meanwhile: if this refusal is one that a step answers, the new dialect is tried first.
      if (refusal.dialect !== dialect) return nextStep(refusal, new Set()) !== null;
      const step = nextStep(refusal, taken);
      if (step === null) return false;
      taken.add(step.step);
      dialect = step.dialect;
      onStep(step, refusal.words);
      return true;
    },
    countFailedStream: (words, sent) => {
      if (words.status < 500 || !sent.stream || !dialect.stream) return;
      streamsLeft -= 1;
      if (streamsLeft > 0) return;
      dialect = { ...dialect, stream: false };
      const change = `not streaming, because ${mostFailedStreams} streamed requests failed`;
      onStep({ step: 'no-stream', change, dialect }, words);
    },
    keepStream: () => {
      streamsLeft = Infinity;
    },
  };
}

/** Below this many tokens the estimate is too rough to accuse a server. */
const smallestPrompt = 2000;

/**
 * Watches for servers that silently cut a prompt at their context, as Ollama does. Returns the sentence to
 * warn with, at most once.
 */
function watchForCutPrompts(): (request: ModelRequest, usage: Usage | null) => string | null {
  // A history only grows: each message is estimated once.
  const estimates = new WeakMap<Message, number>();
  let warned = false;
  return ({ messages }, usage) => {
    if (warned || usage === null) return null;
    const estimate = messages.reduce((sum, message) => sum + estimateOf(message, estimates), 0);
    if (estimate < smallestPrompt || usage.input * 2 >= estimate) return null;
    warned = true;
    return `the server counted ${usage.input} prompt tokens where about ${estimate} were sent`;
  };
}

function estimateOf(message: Message, estimates: WeakMap<Message, number>): number {
  const known = estimates.get(message);
  if (known !== undefined) return known;
  const calls = message.role === 'assistant' ? message.toolCalls.map((call) => call.arguments) : [];
  const estimate = estimateTokenCount([message.text, ...calls].join('\n'));
  estimates.set(message, estimate);
  return estimate;
}

/** What came back: an answer, or the server's words why not. */
type Reply =
  | { readonly refused: false; readonly answer: ModelAnswer }
  | { readonly refused: true; readonly words: ServerWords; readonly headers: Headers | undefined };

type Line = {
  readonly client: Client;
  readonly endpoint: Endpoint;
  readonly signal: AbortSignal;
  readonly extraBody: Fields;
  readonly onProgress: (characters: number) => void;
};

/** One request, one reply. @throws ModelError when the call was aborted, or no complete answer came. */
async function exchange(request: SpokenRequest, line: Line): Promise<Reply> {
  const sent = await send(request, line);
  if (sent.refused) return sent;
  const body = asJson(sent.body);
  if (body === null) throw unanswered(line.endpoint, new Error('the answer is empty, cut or nested too deeply'));
  if (typeof body === 'string') return { refused: true, words: readServerWords(body, 200), headers: undefined };
  const failure = request.dialect.api === 'chat' ? errorInChoice(body) : errorInResponse(body);
  // OpenRouter tells a failed provider twice in one chunk: beside the choices in words, inside them by its end alone.
  const words = errorInside(body) ?? errorInside(failure);
  if (words !== null) return { refused: true, words, headers: undefined };
  const read = request.dialect.api === 'chat' ? chatAnswer : responsesAnswer;
  return { refused: false, answer: read(body, request.messages) };
}

type Sent = { readonly refused: false; readonly body: unknown } | Extract<Reply, { refused: true }>;

async function send(request: SpokenRequest, { client, endpoint, signal, ...line }: Line): Promise<Sent> {
  const { api, stream } = request.dialect;
  const path = api === 'responses' ? '/responses' : '/chat/completions';
  const body = withExtra(api === 'responses' ? responsesRequest(request) : chatRequest(request), line.extraBody);
  try {
    if (!stream) return { refused: false, body: await client.post(path, body, signal) };
    const streamed = await client.stream(path, body, signal);
    if (streamed.whole) return { refused: false, body: streamed.body };
    const whole = await readStream(streamed.events, { api, onProgress: line.onProgress });
    return { refused: false, body: whole };
  } catch (error) {
    if (signal.aborted) throw aborted(endpoint);
    const refusal = wordsFrom(error);
    if (refusal === null) throw unanswered(endpoint, error);
    return { refused: true, ...refusal };
  }
}

// Text is JSON under a wrong content type, or a page, or an answer that was cut.
function asJson(body: unknown): unknown {
  if (typeof body !== 'string') return body ?? null;
  const trimmed = body.trim();
  if (trimmed === '') return null;
  return parseJson(trimmed) ?? (/^[{[]/.test(trimmed) ? null : trimmed);
}

/** Milliseconds between two tellings of progress. */
const tellEvery = 1_000;

/** The whole answer that a stream's events come to, or its error; null when it was cut. Progress is reported in characters. */
async function readStream(
  events: AsyncIterable<unknown>,
  { api, onProgress }: { api: 'responses' | 'chat'; onProgress: (characters: number) => void },
): Promise<unknown> {
  const stream = api === 'chat' ? new ChatStream() : new ResponsesStream();
  let toldAt = Number.NEGATIVE_INFINITY;
  for await (const event of events) {
    stream.add(event);
    if (stream.characters === 0 || performance.now() - toldAt < tellEvery) continue;
    toldAt = performance.now();
    onProgress(stream.characters);
  }
  return stream.answer();
}

/** A body with fields that the user adds: objects are merged, everything else is replaced. Keys keep their order, for the cache. */
function withExtra(body: object, extra: Fields): Fields {
  const merged: { [name: string]: unknown } = { ...body };
  for (const [name, value] of Object.entries(extra)) {
    const held = merged[name];
    merged[name] = isObject(held) && isObject(value) ? withExtra(held, value) : value;
  }
  return merged;
}
