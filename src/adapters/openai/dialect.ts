import type { ReasoningEffort } from 'openai/resources/shared';

/** What a server was found to understand. Starts at what OpenAI documents and changes only by the steps of the ladder. */
export type Dialect = {
  readonly api: 'responses' | 'chat';
  /** False when the user named the API: then it stays. */
  readonly apiMaySwitch: boolean;
  /** Chat Completions only; Responses has `max_output_tokens`. */
  readonly tokensParameter: 'max_completion_tokens' | 'max_tokens';
  /** Null is not sent. */
  readonly temperature: number | null;
  /** Null is not sent: the model's default. */
  readonly reasoningEffort: string | null;
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
    reasoningEffort: options.reasoningEffort || null,
    stream: options.stream,
    streamUsage: true,
    parallelToolCalls: true,
    strict: true,
    forcedToolChoice: true,
    nativeTools: true,
    outputTokensClamp: null,
    // Compatible Chat servers refuse the unknown field more often than they use it.
    promptCacheKey: api === 'responses' || isOpenAi(url) || isAzure(url),
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

/** The effort to send; null is not sent. Servers know more words than the SDK: theirs to refuse. */
export function effortOf({ reasoningEffort }: Dialect): ReasoningEffort {
  return isEffort(reasoningEffort) ? reasoningEffort : null;
}

function isEffort(word: string | null): word is NonNullable<ReasoningEffort> {
  return word !== null && word !== '';
}
