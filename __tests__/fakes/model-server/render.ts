import type { ChatCompletion } from 'openai/resources/chat/completions';
import type { Response } from 'openai/resources/responses/responses';
import { at } from '../every-pair.ts';
import type { NormalisedRequest } from './normalise.ts';
import type { MessageAnswer } from './script.ts';

type Rendering = {
  readonly answer: MessageAnswer;
  readonly model: string;
  readonly counted: Counted | null;
  /** A new unique number for each id. */
  readonly nextId: () => string;
  readonly signed: boolean;
};

/** The answer as Chat Completions sends it. */
export function renderChat({ answer, model, counted, nextId, signed }: Rendering): object {
  const toolCalls = answer.calls.map((one) => ({
    id: one.id ?? `call_${nextId()}`,
    type: 'function' as const,
    function: { name: one.name, arguments: argumentsText(one.arguments) },
    ...(signed ? { extra_content: { google: { thought_signature: `sig-${nextId()}` } } } : {}),
  }));
  const refused = answer.end === 'refusal';
  return {
    id: `chatcmpl-${nextId()}`,
    object: 'chat.completion',
    created: 1_790_000_000,
    model,
    choices: [
      {
        index: 0,
        logprobs: null,
        finish_reason: finishReason(answer),
        message: {
          role: 'assistant',
          content: refused ? null : answer.text,
          refusal: refused ? (answer.text ?? 'I cannot help with that.') : null,
          ...(toolCalls.length === 0 ? {} : { tool_calls: toolCalls }),
        },
      },
    ],
    ...(counted === null ? {} : { usage: chatUsage(answer, counted) }),
  } satisfies ChatCompletion;
}

function argumentsText(argumentsOfCall: unknown): string {
  return typeof argumentsOfCall === 'string' ? argumentsOfCall : JSON.stringify(argumentsOfCall);
}

function outputTokens(answer: MessageAnswer): number {
  const texts = answer.calls.map((one) => one.name + argumentsText(one.arguments));
  return tokensOf((answer.text ?? '') + texts.join(''));
}

function finishReason(answer: MessageAnswer): 'stop' | 'length' | 'tool_calls' | 'content_filter' {
  if (answer.end === 'length') return 'length';
  if (answer.end === 'content-filter') return 'content_filter';
  return answer.calls.length > 0 ? 'tool_calls' : 'stop';
}

function chatUsage(answer: MessageAnswer, counted: Counted) {
  const completion = outputTokens(answer);
  return {
    prompt_tokens: counted.input,
    completion_tokens: completion,
    total_tokens: counted.input + completion,
    prompt_tokens_details: { cached_tokens: counted.cached },
    completion_tokens_details: { reasoning_tokens: 0 },
  };
}

const thinking = 64;

/** The answer as the Responses API sends it: a reasoning item first, encrypted only where it was asked for. */
export function renderResponses(
  { answer, model, counted, nextId }: Rendering,
  { reasoning, encrypted }: { readonly reasoning: boolean; readonly encrypted: boolean },
) {
  const thought = {
    type: 'reasoning' as const,
    id: `rs_${nextId()}`,
    summary: [],
    ...(encrypted ? { encrypted_content: `gAAAAA${nextId()}` } : {}),
  };
  const output = [
    ...(reasoning ? [thought] : []),
    ...(answer.text === null ? [] : [messageItem(answer, `msg_${nextId()}`)]),
    ...answer.calls.map((one) => ({
      type: 'function_call' as const,
      id: `fc_${nextId()}`,
      call_id: one.id ?? `call_${nextId()}`,
      name: one.name,
      arguments: argumentsText(one.arguments),
      status: 'completed' as const,
    })),
  ];
  const cut = { length: 'max_output_tokens', 'content-filter': 'content_filter', refusal: null } as const;
  const reason = answer.end === undefined ? null : cut[answer.end];
  return {
    id: `resp_${nextId()}`,
    object: 'response' as const,
    created_at: 1_790_000_000,
    model,
    status: reason === null ? 'completed' : 'incomplete',
    error: null,
    incomplete_details: reason === null ? null : { reason },
    instructions: null,
    metadata: {},
    output,
    parallel_tool_calls: true,
    temperature: 1,
    tool_choice: 'auto',
    tools: [],
    top_p: 1,
    ...(counted === null ? {} : { usage: responsesUsage({ answer, counted, thoughts: reasoning ? thinking : 0 }) }),
  } satisfies Omit<Response, 'output_text' | 'access_programs'>;
}

function messageItem(answer: MessageAnswer, id: string) {
  const text = answer.text ?? '';
  const content =
    answer.end === 'refusal'
      ? { type: 'refusal' as const, refusal: text }
      : { type: 'output_text' as const, text, annotations: [], logprobs: [] };
  const status = answer.end === 'length' ? ('incomplete' as const) : ('completed' as const);
  return { type: 'message' as const, id, role: 'assistant' as const, status, content: [content] };
}

function responsesUsage({ answer, counted, thoughts }: { answer: MessageAnswer; counted: Counted; thoughts: number }) {
  const written = outputTokens(answer) + thoughts;
  return {
    input_tokens: counted.input,
    input_tokens_details: { cached_tokens: counted.cached, cache_write_tokens: 0 },
    output_tokens: written,
    output_tokens_details: { reasoning_tokens: thoughts },
    total_tokens: counted.input + written,
  };
}

export type Counted = { readonly input: number; readonly cached: number };

/** Counts four characters a token, and finds the longest prefix that an earlier request had, as a provider's cache does. */
export class TokenCounter {
  readonly #seen: string[] = [];

  count(request: NormalisedRequest): Counted {
    const text = serialised(request.body);
    const shared = Math.max(0, ...this.#seen.map((earlier) => sharedPrefix(earlier, text)));
    this.#seen.push(text);
    return { input: tokensOf(text), cached: cachedTokens(shared) };
  }
}

export function tokensOf(text: string): number {
  return Math.ceil(text.length / 4);
}

/** Caching begins at 1,024 tokens and grows by 128. */
function cachedTokens(characters: number): number {
  const tokens = Math.floor(characters / 4);
  return tokens < 1024 ? 0 : tokens - (tokens % 128);
}

/** What the model reads, in the order in which it reads it. */
function serialised(body: unknown): string {
  const parts = [at(body, 'tools'), at(body, 'instructions'), at(body, 'messages') ?? at(body, 'input')];
  // Without the closing bracket, so that a longer history begins with the whole of a shorter one.
  return parts.map((part) => JSON.stringify(part ?? '', withoutPixels).replace(/]$/, '')).join('\n');
}

/** An image is not paid by its letters: its end stands for it, padded to the 85 tokens of a low detail. */
function withoutPixels(_name: string, value: unknown): unknown {
  return typeof value === 'string' && value.startsWith('data:image/') ? value.slice(-40).padStart(340, '#') : value;
}

function sharedPrefix(one: string, other: string): number {
  const length = Math.min(one.length, other.length);
  let index = 0;
  while (index < length && one.charCodeAt(index) === other.charCodeAt(index)) index += 1;
  return index;
}

/** A model that was offered no tools writes its calls into the text. */
export function inTextProtocol(answer: MessageAnswer): MessageAnswer {
  const written = answer.calls.map(
    (one) => `<tool_call>{"tool":${JSON.stringify(one.name)},"args":${argumentsText(one.arguments)}}</tool_call>`,
  );
  if (written.length === 0) return answer;
  return { ...answer, text: [answer.text, ...written].filter((text) => text !== null).join('\n'), calls: [] };
}
