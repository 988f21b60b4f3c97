import type { Model } from '../../core/agent/model.ts';
import { adjustableDialect } from './adjustable-dialect.ts';
import { createClient } from './client.ts';
import { initialDialect } from './dialect.ts';
import { exchange } from './exchange.ts';
import { type Endpoint, quoted, refusedBy } from './model-errors.ts';
import { watchForCutPrompts } from './prompt-cut.ts';
import { speak } from './spoken-request.ts';
import { withTextCalls } from './text-calls.ts';

export { openAiEmbedder } from './embeddings.ts';
export { useProxyFromEnvironment } from './proxy.ts';

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
  /** Told once for everything that the server made Postil change. `because` is untrusted, without the key. */
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
