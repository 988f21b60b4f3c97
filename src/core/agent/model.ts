import { count, exactly, type Infer, type Schema, yesOrNo } from '../schema.ts';
import type { AssistantMessage, Message } from './message.ts';
/** What a model sees of a tool. The schema is strictly valid: every property required, optional ones nullable. */
export type ToolDefinition = {
  readonly name: string;
  readonly description: string;
  readonly parameters: Schema;
};

export type ModelRequest = {
  readonly messages: readonly Message[];
  /** Never empty when the history holds tool calls: some gateways refuse such a request. */
  readonly tools: readonly ToolDefinition[];
  /** `{ tool }` asks for this tool; an adapter falls back to auto where the server refuses that. */
  readonly toolChoice: 'auto' | { readonly tool: string };
  readonly maxOutputTokens: number;
  /**
   * Called while the answer is being written, with its characters so far, reasoning included: at the first one, then once a second at
   * most. A server that does not stream is silent. Not part of what is sent.
   */
  readonly onProgress?: (characters: number) => void;
  /** Who asks, for recordings. Not part of what is sent. */
  readonly conversation?: string;
};

/** Why the model stopped writing. */
export type AnswerEnd = 'end' | 'tool-calls' | 'length' | 'refusal' | 'content-filter';

export type ModelAnswer = {
  readonly message: AssistantMessage;
  readonly end: AnswerEnd;
  /** Null when the server did not report it. */
  readonly usage: Usage | null;
  /** Present when the server takes no images, so that the request was sent without its own. */
  readonly withoutImages?: true;
};

/** A language model with function calling. One request, one attempt: the caller retries. */
export interface Model {
  /** @throws ModelError for everything that a server or the connection can do wrong. */
  answer(request: ModelRequest, signal: AbortSignal): Promise<ModelAnswer>;
}

export const modelErrorKinds = [
  /** Worth another attempt: 408, 409, 429, 5xx, connection, timeout, a cut stream. */
  'transient',
  /** 401, 403: the key. */
  'authentication',
  /** insufficient_quota. */
  'quota',
  /** The model or the endpoint does not exist. */
  'unknown-model',
  /** The prompt does not fit the model's context. */
  'context-overflow',
  /** The server refuses the request and the ladder has no step left. */
  'refused-request',
  /** The run was aborted: deadline or cancellation. */
  'aborted',
] as const;
export type ModelErrorKind = (typeof modelErrorKinds)[number];

const labels: Readonly<Record<ModelErrorKind, string>> = {
  transient: 'model server did not answer',
  authentication: 'API key rejected',
  quota: 'no quota left for the API key',
  'unknown-model': 'model or address not known',
  'context-overflow': "too long for the model's context",
  'refused-request': 'model server refused the request',
  aborted: 'call aborted',
};

export class ModelError extends Error {
  override readonly name = 'ModelError';
  readonly kind: ModelErrorKind;
  /** Milliseconds that the server asked to wait; null when it did not say. */
  readonly retryAfter: number | null;
  /** What to do about it, one sentence; empty when there is nothing to do. */
  readonly hint: string;
  /** True when the server may have read the prompt and bill it: a connection or a stream that broke after sending. */
  readonly maybeBilled: boolean;
  /** The message in a few words, such as `API key rejected (401)`. */
  readonly label: string;

  /** `status` is what the server answered with, where it did. */
  constructor(
    kind: ModelErrorKind,
    message: string,
    options: {
      retryAfter?: number | null;
      hint?: string;
      maybeBilled?: boolean;
      status?: number;
      cause?: unknown;
    } = {},
  ) {
    super(message, { cause: options.cause });
    this.label = options.status === undefined ? labels[kind] : `${labels[kind]} (${options.status})`;
    this.kind = kind;
    this.retryAfter = options.retryAfter ?? null;
    this.hint = options.hint ?? '';
    this.maybeBilled = options.maybeBilled ?? false;
  }
}

/** Tokens, as providers report them. */
export const usageSchema = exactly({
  input: { ...count, description: 'Cached ones included.' },
  cached: count,
  output: { ...count, description: 'Thinking included.' },
  thinking: count,
  estimated: { ...yesOrNo, description: 'True when a provider did not report all calls: then an estimate stands in.' },
});
export type Usage = Infer<typeof usageSchema>;

export const noUsage: Usage = { input: 0, cached: 0, output: 0, thinking: 0, estimated: false };

export function addUsage(one: Usage, other: Usage): Usage {
  return {
    input: one.input + other.input,
    cached: one.cached + other.cached,
    output: one.output + other.output,
    thinking: one.thinking + other.thinking,
    estimated: one.estimated || other.estimated,
  };
}

/** US$ per million tokens. */
export type Price = {
  readonly input: number;
  /** Input that the provider read from its cache. */
  readonly cached: number;
  readonly output: number;
};

const million = 1_000_000;

/** US$. `input` of a usage holds `cached`, and `output` holds `thinking`, which costs as much. */
export function costOf(usage: Pick<Usage, 'input' | 'cached' | 'output'>, price: Price): number {
  // Some servers report what was cached beside the input, not within it.
  const fresh = Math.max(0, usage.input - usage.cached);
  return (fresh * price.input + usage.cached * price.cached + usage.output * price.output) / million;
}

/** Null is unknown: without a price there is no cost, and what is unknown adds nothing. */
export function addCost(one: number | null, other: number | null): number | null {
  return one === null ? other : one + (other ?? 0);
}
