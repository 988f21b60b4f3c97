import { type ClientOptions, createClient } from './client.ts';
import { field, list, text } from './json.ts';

/** What servers call it: OpenRouter, Groq, vLLM, Mistral and LM Studio, llama.cpp. What is loaded goes before what the model could. */
const names = [
  'loaded_context_length',
  'context_length',
  'context_window',
  'max_model_len',
  'max_context_length',
] as const;

/** Tokens that fit into a conversation, as the server's list of models says; null where it does not. Never throws. */
export async function contextWindow(
  options: ClientOptions & { readonly model: string },
  signal: AbortSignal,
): Promise<number | null> {
  const models = await createClient(options)
    .models(signal)
    .catch(() => null);
  const own = list(field(models, 'data')).find((one) => text(field(one, 'id')) === options.model);
  const told = [...names.map((name) => field(own, name)), field(field(own, 'meta'), 'n_ctx')];
  const [tokens = null] = told.flatMap((value) => (typeof value === 'number' && value > 0 ? [value] : []));
  return tokens;
}
