import type { ReasoningEffort } from 'openai/resources/shared';
import { type Message, type ToolCall, type UserMessage, withoutImages } from '../../core/agent/message.ts';
import type { ModelAnswer, ModelRequest, ToolDefinition } from '../../core/agent/model.ts';
import { asTextConversation, parseTextToolCalls } from '../../core/agent/text-tool-calls.ts';
import type { Schema } from '../../core/schema.ts';

/** What a server was found to understand. Starts at what OpenAI documents and changes only by the steps of the ladder. */
export type Dialect = {
  readonly api: 'responses' | 'chat';
  /** False when the user named the API: then it stays. */
  readonly apiMaySwitch: boolean;
  /** Chat Completions only; Responses has `max_output_tokens`. */
  readonly tokensParameter: 'max_completion_tokens' | 'max_tokens';
  /** Null is not sent. */
  readonly temperature: number | null;
  /** Null is not sent: the model's default. Servers know more words than the SDK: theirs to refuse. */
  readonly reasoningEffort: ReasoningEffort;
  readonly stream: boolean;
  /** Chat Completions only: asks for the usage at the end of a stream. */
  readonly streamUsage: boolean;
  readonly parallelToolCalls: boolean;
  /** Null is not sent: the server does not know the parameter. */
  readonly strict: boolean | null;
  readonly forcedToolChoice: boolean;
  /** False: tools are described in text and called in text (core/agent/text-tool-calls.ts). */
  readonly nativeTools: boolean;
  /** The most output tokens that the server allows in a call; null when it did not object. */
  readonly outputTokensClamp: number | null;
  readonly promptCacheKey: boolean;
  /** True: a text that conversations share is a block of its own, and ends in a breakpoint of the server's cache. */
  readonly cacheBreakpoints: boolean;
  /** Responses only: `store: false`. */
  readonly store: boolean;
  /** Responses only: asks for the reasoning in a form that can be replayed without the server's memory. */
  readonly encryptedReasoning: boolean;
  /** False: the server takes text alone, and images become a sentence. */
  readonly images: boolean;
  /** False: assistant messages are rebuilt from text and calls, because the server refuses its own fields. */
  readonly verbatimReplay: boolean;
};

export function initialDialect(options: {
  baseUrl: string;
  api: 'auto' | 'responses' | 'chat';
  temperature: number | null;
  reasoningEffort: string;
  stream: boolean;
}): Dialect {
  const url = new URL(options.baseUrl);
  const automatic = speaksResponses(url) ? 'responses' : 'chat';
  const api = options.api === 'auto' ? automatic : options.api;
  return {
    api,
    apiMaySwitch: options.api === 'auto',
    tokensParameter: 'max_completion_tokens',
    temperature: options.temperature,
    reasoningEffort: isEffort(options.reasoningEffort) ? options.reasoningEffort : null,
    stream: options.stream,
    streamUsage: true,
    parallelToolCalls: true,
    strict: true,
    forcedToolChoice: true,
    nativeTools: true,
    outputTokensClamp: null,
    // Compatible Chat servers refuse the unknown field more often than they use it.
    promptCacheKey: api === 'responses' || isOpenAi(url) || isAzure(url),
    cacheBreakpoints: isOpenAi(url),
    store: true,
    encryptedReasoning: true,
    images: true,
    verbatimReplay: true,
  };
}

/** OpenAI's own servers, regional ones included. */
export function isOpenAi(url: URL): boolean {
  return url.hostname === 'api.openai.com' || url.hostname.endsWith('.api.openai.com');
}

export function isAzure(url: URL): boolean {
  return /\.(openai|services\.ai|cognitiveservices)\.azure\.com$/.test(url.hostname);
}

/** Azure serves Responses under its v1 path only, not under the older one by deployment. */
function speaksResponses(url: URL): boolean {
  return isOpenAi(url) || (isAzure(url) && /^\/openai\/v1(\/|$)/.test(url.pathname));
}

function isEffort(word: string): word is NonNullable<ReasoningEffort> {
  return word !== '';
}

/** A request put into the dialect of a server, before either API's own words. */
export type SpokenRequest = {
  readonly model: string;
  readonly cacheKey: string;
  readonly dialect: Dialect;
  readonly messages: readonly Message[];
  /** Empty where tools are called in text. */
  readonly tools: readonly ToolDefinition[];
  /** The tool that is asked for; null is auto, which is not sent. */
  readonly forcedTool: string | null;
  readonly maxOutputTokens: number;
};

export function speak(
  asked: ModelRequest,
  speaker: { model: string; cacheKey: string; dialect: Dialect },
): SpokenRequest {
  const { dialect } = speaker;
  const asText = (message: Message) => withoutImages(message, 'the model takes no images');
  const request = dialect.images ? asked : { ...asked, messages: asked.messages.map(asText) };
  const maxOutputTokens = Math.min(request.maxOutputTokens, dialect.outputTokensClamp ?? Infinity);
  const common = { ...speaker, maxOutputTokens };
  if (!dialect.nativeTools) return { ...common, messages: asTextConversation(request), tools: [], forcedTool: null };
  const forced = request.toolChoice === 'auto' || !dialect.forcedToolChoice ? null : request.toolChoice.tool;
  return { ...common, messages: request.messages, tools: request.tools, forcedTool: forced };
}

/** The text of a message in blocks: what other conversations share stands alone, where the server keeps it. */
export function blocksOf({ text, shared = 0 }: UserMessage, { cacheBreakpoints }: Dialect) {
  if (shared === 0 || !cacheBreakpoints) return [{ text }];
  const end = { prompt_cache_breakpoint: { mode: 'explicit' as const } };
  return [{ text: text.slice(0, shared), ...end }, { text: text.slice(shared) }];
}

/** A schema as strict function calling takes it: numeric bounds, defaults and examples are checked by ajv only. */
export function wireSchema(schema: Schema): { [key: string]: unknown } {
  const { minimum: _minimum, maximum: _maximum, default: _default, examples: _examples, ...kept } = schema;
  const nested: { [key: string]: unknown } = { ...kept };
  if (schema.items !== undefined) nested['items'] = wireSchema(schema.items);
  if (typeof schema.additionalProperties === 'object') {
    nested['additionalProperties'] = wireSchema(schema.additionalProperties);
  }
  if (schema.properties !== undefined) {
    const entries = Object.entries(schema.properties).map(([name, property]) => [name, wireSchema(property)]);
    nested['properties'] = Object.fromEntries(entries);
  }
  return nested;
}

/**
 * Reads calls out of the text: always where tools are called in text, else only calls of tools that were offered, which
 * some servers pass on unread.
 */
export function withTextCalls(given: ModelAnswer, context: { request: ModelRequest; dialect: Dialect }): ModelAnswer {
  const answer = cutAnswer(given);
  if (answer.message.toolCalls.length > 0 || answer.end === 'refusal') return answer;
  const { request, dialect } = context;
  const parsed = parseTextToolCalls(answer.message.text);
  const offered = parsed.calls.every((call) => request.tools.some((tool) => tool.name === call.name));
  if (dialect.nativeTools && (parsed.calls.length === 0 || !offered)) return answer;
  const calls = parsed.calls.map((call) => ({ ...call, id: '' }));
  return {
    ...answer,
    message: { ...answer.message, text: parsed.text, toolCalls: withUniqueIds(calls, request.messages) },
    end: answer.end === 'end' && calls.length > 0 ? 'tool-calls' : answer.end,
  };
}

/** Characters of an answer's text, about what 128,000 tokens come to: everything searches it, and every request repeats it. */
const mostCharacters = 500_000;

function cutAnswer(answer: ModelAnswer): ModelAnswer {
  const { message } = answer;
  if (message.text.length <= mostCharacters) return answer;
  return { ...answer, message: { ...message, text: message.text.slice(0, mostCharacters), raw: null }, end: 'length' };
}

/** A call before its id is known to be usable. */
export type ReadCall = { readonly id: string; readonly name: string; readonly arguments: string };

/** The arguments of a call as text: some servers send an object. */
export function argumentsOf(written: unknown): string {
  return typeof written === 'string' ? written : JSON.stringify(written ?? {});
}

/** A name as strict servers take it back in a history, whatever a model called: they would refuse every later request. */
export function wireName(name: string): string {
  return name.replaceAll(/[^A-Za-z0-9_-]/g, '_').slice(0, 64) || 'unnamed';
}

/**
 * Calls whose ids are unique in the conversation: missing, empty and repeated ones get a fresh id.
 * Fresh ids are nine letters and digits, the only form that Mistral accepts, and the same on every run.
 */
export function withUniqueIds(calls: readonly ReadCall[], history: readonly Message[]): readonly ToolCall[] {
  const taken = new Set(
    history.flatMap((message) => (message.role === 'assistant' ? message.toolCalls : [])).map(({ id }) => id),
  );
  // Counted on from call to call: to begin anew at each would take the square of their number.
  let number = 0;
  const freshId = (): string => {
    for (number = Math.max(number, taken.size) + 1; ; number += 1) {
      const id = `call${String(number).padStart(5, '0')}`;
      if (!taken.has(id)) return id;
    }
  };
  return calls.map((call) => {
    const id = call.id === '' || taken.has(call.id) ? freshId() : call.id;
    taken.add(id);
    return { ...call, id };
  });
}
