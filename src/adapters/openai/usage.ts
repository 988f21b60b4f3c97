import type { Usage } from '../../core/agent/usage.ts';
import { count, field } from './json.ts';

/** Usage of a chat answer; null when the server did not report it, or reported zeros. */
export function chatUsage(reported: unknown): Usage | null {
  return usageFrom({
    input: count(field(reported, 'prompt_tokens')),
    output: count(field(reported, 'completion_tokens')),
    total: count(field(reported, 'total_tokens')),
    cached:
      count(field(field(reported, 'prompt_tokens_details'), 'cached_tokens')) ??
      count(field(reported, 'prompt_cache_hit_tokens')),
    thinking: count(field(field(reported, 'completion_tokens_details'), 'reasoning_tokens')),
  });
}

/** Usage of a Responses answer; null when the server did not report it, or reported zeros. */
export function responsesUsage(reported: unknown): Usage | null {
  return usageFrom({
    input: count(field(reported, 'input_tokens')),
    output: count(field(reported, 'output_tokens')),
    total: count(field(reported, 'total_tokens')),
    cached: count(field(field(reported, 'input_tokens_details'), 'cached_tokens')),
    thinking: count(field(field(reported, 'output_tokens_details'), 'reasoning_tokens')),
  });
}

/** Usage of an embeddings answer, which writes nothing; null when the server did not report it. */
export function embeddingsUsage(reported: unknown): Usage | null {
  const input = count(field(reported, 'prompt_tokens')) ?? count(field(reported, 'total_tokens'));
  return usageFrom({ input, output: 0, total: null, cached: 0, thinking: 0 });
}

type Reported = {
  readonly input: number | null;
  readonly output: number | null;
  readonly total: number | null;
  readonly cached: number | null;
  readonly thinking: number | null;
};

function usageFrom({ input, output, total, cached, thinking }: Reported): Usage | null {
  if (input === null || input === 0 || output === null) return null;
  // Gemini and Grok leave thinking out of the completion and count it in the total only.
  const written = Math.max(output, (total ?? 0) - input);
  return {
    input,
    cached: Math.min(cached ?? 0, input),
    output: written,
    thinking: Math.min(thinking ?? written - output, written),
    estimated: false,
  };
}
