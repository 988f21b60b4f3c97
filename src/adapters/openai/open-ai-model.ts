import { estimateTokenCount } from 'tokenx';
import type { Message } from '../../core/agent/message.ts';
import type { Model, ModelRequest, Usage } from '../../core/agent/model.ts';
import { createClient } from './client.ts';
import { type Dialect, initialDialect } from './dialect.ts';
import { type Endpoint, quoted, refusedBy } from './errors.ts';
import { exchange } from './exchange.ts';
import { nextStep, type Refusal, type Step } from './ladder.ts';
import type { ServerWords } from './refusals.ts';
import { speak } from './spoken-request.ts';
import { withTextCalls } from './text-calls.ts';

export { useProxyFromEnvironment } from './client.ts';
export { openAiEmbedder } from './embeddings.ts';

export type OpenAiOptions = {
  readonly apiKey: string;
  /** Such as https://api.openai.com/v1; a query in it is sent along. */
  readonly baseUrl: string;
  readonly model: string;
  /** `auto` starts at what the host is known for and follows the server's words; a named API stays. */
  readonly api: 'auto' | 'responses' | 'chat';
  /** Null is not sent. */
  readonly temperature: number | null;
  /** Such as `low`; empty is not sent. */
  readonly reasoningEffort: string;
  /** Whether to stream, where the server can. */
  readonly stream: boolean;
  readonly extraHeaders: { readonly [name: string]: string };
  readonly extraQuery: { readonly [name: string]: string };
  /** Merged into every body. */
  readonly extraBody: { readonly [name: string]: unknown };
  /** Helps the server to route equal prefixes to one cache. */
  readonly cacheKey: string;
  /** Called once for everything that the server made Postil change. `because` is untrusted, without the key. */
  readonly onAdjust: (adjustment: { change: string; because: string }) => void;
};

/**
 * A model behind the `openai` package, over either of its APIs. A request that the server refuses for its form is sent
 * again in the form that the server asks for (the ladder); everything else is the caller's to retry.
 * @throws UserError at once for a key that cannot be sent.
 */
export function openAiModel(options: OpenAiOptions): Model {
  const client = createClient(options);
  const { model, cacheKey, extraBody } = options;
  const endpoint: Endpoint = { host: new URL(options.baseUrl).host, model, apiKey: options.apiKey };
  const dialect = adjustableDialect(initialDialect(options), (step, words) =>
    options.onAdjust({ change: step.change, because: quoted(words, options.apiKey) }),
  );
  const findCutPrompt = watchForCutPrompts();
  let known = false;

  return {
    answer: async (request, signal) => {
      const onProgress = (characters: number) => request.onProgress?.(characters);
      for (;;) {
        const spoken = speak(request, { model, cacheKey, dialect: dialect.current() });
        const reply = await exchange(spoken, { client, endpoint, signal, extraBody, onProgress });
        if (reply.refused) {
          if (dialect.adjust({ words: reply.words, dialect: spoken.dialect, request })) continue;
          throw refusedBy({ ...endpoint, known }, reply);
        }
        known = true;
        const cut = findCutPrompt(request, reply.answer.usage);
        if (cut !== null) options.onAdjust({ change: cutPromptAdvice, because: cut });
        const answer = spoken.dialect.images ? reply.answer : { ...reply.answer, withoutImages: true as const };
        return withTextCalls(answer, { request, dialect: spoken.dialect });
      }
    },
  };
}

const cutPromptAdvice =
  'nothing, but the server seems to cut long prompts: raise its context (num_ctx at Ollama) or lower `files-per-batch`';

/** The dialect of a run, shared by the calls that run at the same time. */
export type AdjustableDialect = {
  current(): Dialect;
  /** True when the refused request is worth sending again in the current dialect. */
  adjust(refusal: Refusal): boolean;
};

export function adjustableDialect(
  initial: Dialect,
  onStep: (step: Step, words: ServerWords) => void,
): AdjustableDialect {
  const taken = new Set<string>();
  let dialect = initial;
  return {
    current: () => dialect,
    adjust: (refusal) => {
      // Another call climbed meanwhile: if this refusal is one that a step answers, the new dialect is tried first.
      if (refusal.dialect !== dialect) return nextStep(refusal, new Set()) !== null;
      const step = nextStep(refusal, taken);
      if (step === null) return false;
      taken.add(step.name);
      dialect = step.dialect;
      onStep(step, refusal.words);
      return true;
    },
  };
}

/** Below this many tokens the estimate is too rough to accuse a server. */
const smallestPrompt = 2000;

/**
 * Watches for servers that silently cut a prompt at their context, as Ollama does. Returns the sentence to
 * warn with, at most once.
 */
export function watchForCutPrompts(): (request: ModelRequest, usage: Usage | null) => string | null {
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
