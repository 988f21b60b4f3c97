import { isOpenAiHost } from './base-url.ts';
import type { Settings } from './settings.ts';

/** Output tokens of a call: enough for a verdict, and small where a model that does not reason has no use for more. */
const small = 4_096;
export const largestOutput = 16_384;

const reasoningModel = /(^|\/)(o\d|gpt-[5-9])|reason|think|deepseek-r|qwq|magistral|gpt-oss|gemini-(2\.5|[3-9])/i;

/** `max-tokens`, or by API and model: 4,096 a round on Chat for models that do not reason, 16,384 otherwise and for the last call. */
export function outputTokens(settings: Settings): { readonly step: number; readonly last: number } {
  if (settings.maxTokens !== null) return { step: settings.maxTokens, last: settings.maxTokens };
  const chat = settings.api === 'chat' || (settings.api === 'auto' && !isOpenAiHost(settings.baseUrl));
  // A small budget must still pay for an iteration and the last call after it.
  const affordable = Math.max(1_024, Math.floor(settings.maxTotalTokens / 6));
  const step = chat && !reasoningModel.test(settings.model) ? small : largestOutput;
  return { step: Math.min(step, affordable), last: Math.min(largestOutput, affordable) };
}

/** 0.2 on Chat Completions to hosts other than OpenAI's (OwlSight's number), else not sent unless it was set. */
export function temperatureOf(settings: Settings): number | null {
  if (settings.temperature !== null) return settings.temperature;
  return settings.api === 'responses' || isOpenAiHost(settings.baseUrl) ? null : 0.2;
}
