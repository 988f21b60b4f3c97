import type {
  ChatCompletionAssistantMessageParam,
  ChatCompletionContentPart,
  ChatCompletionCreateParams,
  ChatCompletionFunctionTool,
  ChatCompletionMessageParam,
} from 'openai/resources/chat/completions';
import type { AssistantMessage, ImagePart, Message, UserMessage } from '../../core/agent/message.ts';
import type { AnswerEnd, ModelAnswer, ToolDefinition } from '../../core/agent/model.ts';
import {
  argumentsOf,
  blocksOf,
  type Dialect,
  type ReadCall,
  type SpokenRequest,
  wireName,
  wireSchema,
  withUniqueIds,
} from './dialect.ts';
import { chatUsage, dataUrl, field, isObject, list, type Raw, text, verbatimChat } from './json.ts';

/** The body of `POST /chat/completions`. What the server refused before is left out. */
export function chatRequest(request: SpokenRequest): ChatCompletionCreateParams {
  const { dialect } = request;
  return {
    model: request.model,
    messages: request.messages.map((message) => chatMessage(message, dialect)),
    ...(request.tools.length === 0 ? {} : toolParameters(request)),
    ...{ [dialect.tokensParameter]: request.maxOutputTokens },
    ...(dialect.temperature === null ? {} : { temperature: dialect.temperature }),
    ...(dialect.reasoningEffort === null ? {} : { reasoning_effort: dialect.reasoningEffort }),
    ...(dialect.promptCacheKey ? { prompt_cache_key: request.cacheKey } : {}),
    ...(dialect.stream ? streaming(dialect) : {}),
  } satisfies ChatCompletionCreateParams;
}

function streaming({ streamUsage }: Dialect) {
  return { stream: true, ...(streamUsage ? { stream_options: { include_usage: true } } : {}) } as const;
}

function toolParameters({ tools, dialect, forcedTool }: SpokenRequest) {
  return {
    tools: tools.map((tool) => chatTool(tool, dialect)),
    ...(dialect.parallelToolCalls ? { parallel_tool_calls: true } : {}),
    ...(forcedTool === null ? {} : { tool_choice: { type: 'function', function: { name: forcedTool } } }),
  } satisfies Partial<ChatCompletionCreateParams>;
}

function chatTool(tool: ToolDefinition, dialect: Dialect): ChatCompletionFunctionTool {
  return {
    type: 'function',
    function: {
      name: tool.name,
      description: tool.description,
      parameters: wireSchema(tool.parameters),
      ...(dialect.strict ? { strict: true } : {}),
    },
  };
}

function chatMessage(message: Message, dialect: Dialect): ChatCompletionMessageParam {
  if (message.role === 'tool') return { role: 'tool', tool_call_id: message.callId, content: message.text };
  if (message.role === 'user') return { role: 'user', content: userContent(message, dialect) };
  if (message.role === 'system') return { role: 'system', content: message.text };
  return (dialect.verbatimReplay ? verbatimChat(message) : null) ?? rebuilt(message);
}

function userContent(message: UserMessage, dialect: Dialect): string | ChatCompletionContentPart[] {
  const { images = [] } = message;
  const texts = blocksOf(message, dialect);
  if (images.length === 0 && texts.length === 1) return message.text;
  return [...texts.map((block) => ({ type: 'text' as const, ...block })), ...images.map(imagePart)];
}

function imagePart(image: ImagePart): ChatCompletionContentPart {
  return { type: 'image_url', image_url: { url: dataUrl(image), detail: image.detail } };
}

function rebuilt(message: AssistantMessage): ChatCompletionAssistantMessageParam {
  if (message.toolCalls.length === 0) return { role: 'assistant', content: message.text };
  return {
    role: 'assistant',
    content: message.text === '' ? null : message.text,
    tool_calls: message.toolCalls.map((call) => ({
      id: call.id,
      type: 'function',
      function: { name: wireName(call.name), arguments: call.arguments },
    })),
  };
}

/** Reads the answer to a chat request. Empty `choices` are an empty text: the caller asks again. */
export function chatAnswer(answer: unknown, history: readonly Message[]): ModelAnswer {
  const choice = list(field(answer, 'choices'))[0];
  const message = field(choice, 'message');
  const toolCalls = withUniqueIds(list(field(message, 'tool_calls')).map(readCall), history);
  const refusal = text(field(message, 'refusal'));
  const raw: Raw = { api: 'chat', message: withTakenCalls(message, toolCalls) };
  return {
    message: { role: 'assistant', text: contentText(field(message, 'content')) || refusal, toolCalls, raw },
    end: endOf({ reason: text(field(choice, 'finish_reason')), refused: refusal !== '', calls: toolCalls.length }),
    usage: chatUsage(field(answer, 'usage')),
  };
}

/** The error that OpenRouter puts into a choice when a provider fails in the middle; undefined when there is none. */
export function errorInChoice(answer: unknown): unknown {
  const choice = list(field(answer, 'choices'))[0];
  if (text(field(choice, 'finish_reason')) !== 'error') return undefined;
  return { error: field(choice, 'error') ?? { message: 'the provider failed while it answered' } };
}

function readCall(call: unknown): ReadCall {
  const called = field(call, 'function');
  const name = text(field(called, 'name'));
  return { id: text(field(call, 'id')), name, arguments: argumentsOf(field(called, 'arguments')) };
}

// Mistral's thinking models answer with parts; only `text` and `refusal` parts are the answer.
function contentText(content: unknown): string {
  if (!Array.isArray(content)) return text(content);
  return content.map((part) => text(field(part, 'text')) || text(field(part, 'refusal'))).join('');
}

function endOf(choice: { reason: string; refused: boolean; calls: number }): AnswerEnd {
  if (choice.refused) return 'refusal';
  if (choice.reason === 'content_filter') return 'content-filter';
  if (choice.reason === 'length') return 'length';
  return choice.calls > 0 ? 'tool-calls' : 'end';
}

/** With ids and names that the server takes back. */
function withTakenCalls(message: unknown, calls: readonly ReadCall[]): unknown {
  const given = list(field(message, 'tool_calls'));
  if (!isObject(message) || given.length === 0) return message;
  const taken = given.map((call, index) => {
    const { id, name = '' } = calls[index] ?? {};
    if (!isObject(call) || (field(call, 'id') === id && wireName(name) === name)) return call;
    return { ...call, id, function: { ...asObject(call['function']), name: wireName(name) } };
  });
  return { ...message, tool_calls: taken };
}

/** Puts an answer together from its chunks, as the server would have sent it whole. */
export class ChatStream {
  #rest: unknown = {};
  #message: unknown = {};
  #choice: unknown = {};
  #error: unknown = null;
  readonly #calls: StreamedCall[] = [];
  /** By their index the last of the calls: a hostile answer makes tens of thousands. */
  readonly #latest = new Map<number, StreamedCall>();
  /** Of text, reasoning and arguments. */
  characters = 0;

  add(chunk: unknown): void {
    if (field(chunk, 'error') !== undefined || field(chunk, 'object') === 'error') this.#error ??= chunk;
    const choice = list(field(chunk, 'choices'))[0];
    const { choices: _choices, ...rest } = isObject(chunk) ? chunk : {};
    this.#rest = { ...asObject(this.#rest), ...withoutNulls(rest) };
    const { delta, message, ...more } = isObject(choice) ? choice : {};
    this.#choice = { ...asObject(this.#choice), ...withoutNulls(more) };
    // Some servers put the whole message into one chunk.
    const { tool_calls: calls, ...said } = asObject(delta ?? message);
    this.#message = mergeDelta(this.#message, said);
    for (const value of Object.values(said)) this.characters += typeof value === 'string' ? value.length : 0;
    for (const call of list(calls)) this.#addCall(call);
  }

  /** The whole answer, or the error that came in the middle; null when it was cut. */
  answer(): unknown {
    if (this.#error !== null) return this.#error;
    if (field(this.#choice, 'finish_reason') === undefined) return null;
    const calls = this.#calls.length === 0 ? {} : { tool_calls: this.#calls.map(({ call }) => call) };
    const message = { role: 'assistant', content: null, ...asObject(this.#message), ...calls };
    return { ...asObject(this.#rest), choices: [{ ...asObject(this.#choice), message }] };
  }

  #addCall(delta: unknown): void {
    const held = this.#callOf(delta);
    const { index: _index, function: called, ...rest } = asObject(delta);
    const written = field(called, 'arguments');
    this.characters += text(written).length;
    const before = asObject(held.call['function']);
    const name = text(before['name']) || text(field(called, 'name'));
    const known = text(before['arguments']);
    const all = typeof written === 'object' && written !== null ? JSON.stringify(written) : known + text(written);
    held.call = { ...asObject(mergeDelta(held.call, rest)), function: { ...before, name, arguments: all } };
  }

  /** By index; servers that give all calls the same one tell them apart by id, and others give neither. */
  #callOf(delta: unknown): StreamedCall {
    const index = field(delta, 'index');
    const id = text(field(delta, 'id'));
    const candidate = typeof index === 'number' ? this.#latest.get(index) : this.#calls.at(-1);
    const heldId = text(candidate?.call['id']);
    const isNamed = text(field(field(delta, 'function'), 'name')) !== '';
    const startsAnother = id === '' ? typeof index !== 'number' && isNamed : heldId !== '' && id !== heldId;
    if (candidate !== undefined && !startsAnother) return candidate;
    const started = { call: {} };
    this.#calls.push(started);
    if (typeof index === 'number') this.#latest.set(index, started);
    return started;
  }
}

type StreamedCall = { call: { readonly [name: string]: unknown } };

function asObject(value: unknown): Readonly<Record<string, unknown>> {
  return isObject(value) ? value : {};
}

function withoutNulls(object: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== null));
}

/** Texts that are sent whole with every chunk. */
const constant: ReadonlySet<string> = new Set(['role', 'type', 'id', 'index', 'model', 'object', 'format']);

/**
 * Adds what a chunk brings to what the earlier ones did, unknown fields included: texts grow, lists and objects too, everything else is
 * replaced. The result goes back to the server verbatim.
 */
function mergeDelta(held: unknown, delta: unknown, name = ''): unknown {
  if (delta === undefined || delta === null) return held ?? delta;
  if (typeof held === 'string' && typeof delta === 'string') return constant.has(name) ? delta || held : held + delta;
  // Grown in place, as it belongs to this answer alone: a copy for each chunk would take the square of their number.
  if (Array.isArray(held) && Array.isArray(delta)) {
    for (const item of delta) held.push(item);
    return held;
  }
  if (!isObject(held) || !isObject(delta)) return delta;
  const merged: { [key: string]: unknown } = { ...held };
  for (const [key, value] of Object.entries(delta)) merged[key] = mergeDelta(merged[key], value, key);
  return merged;
}
