import { isOpenAiHost, ownPriceOf, priceOf } from './formats.ts';
import { filesOf, type Settings } from './settings.ts';

/**
 * Inputs that contradict `mode`, one sentence each. Only inputs that a config file cannot set are looked at: it is
 * the same file for both jobs.
 */
export function modeProblems(settings: Settings, { withKey }: { withKey: boolean }): readonly string[] {
  const { mode, reviewFile, reviewEvent } = settings;
  if (mode === 'review-and-post') {
    return reviewFile === ''
      ? []
      : ["'review-file' is for two jobs: set 'mode' to review in one and to post in the other."];
  }
  return [
    ...(reviewFile === '' ? [`'mode: ${mode}' needs 'review-file', the file that ${useOf[mode]}.`] : []),
    ...(reviewFile === '' ? [] : sameFile(settings)),
    ...(mode === 'post' && withKey
      ? ["'api-key' is set in 'mode: post': the job that may write asks no model and must not hold the key."]
      : []),
    ...(mode === 'review' && reviewEvent !== 'comment'
      ? ["'review-event' is set in 'mode: review', which posts nothing: set it in the job with 'mode: post'."]
      : []),
  ];
}

const useOf = { review: 'the review is written to', post: 'the review is read from' } as const;

function sameFile(settings: Settings): readonly string[] {
  return Object.entries(filesOf(settings))
    .filter(([name, path]) => name !== 'review-file' && path === settings.reviewFile)
    .map(([name]) => `'review-file' and '${name}' name the same file.`);
}

type Costs = Pick<Settings, 'maxCost' | 'pricing' | 'profile' | 'model' | 'verify' | 'verifyModel' | 'embeddingsModel'>;

/** A limit of cost that could not be kept, because nobody said what a model costs; null when there is none. */
export function costProblem(costs: Costs): string | null {
  const { maxCost, pricing, profile, model, verify, verifyModel, embeddingsModel } = costs;
  if (maxCost === null || profile === 'offline') return null;
  const models = [model, ...(verify && verifyModel !== '' ? [verifyModel] : [])];
  const unpriced = models.find((name) => priceOf(pricing, name) === null);
  if (unpriced === undefined) {
    if (embeddingsModel === '' || ownPriceOf(pricing, embeddingsModel) !== null) return null;
    return `'max-cost' is set, and 'pricing' has no line of its own for ${embeddingsModel}: add one such as '${embeddingsModel}: input=0.02,output=0', US$ per million tokens.`;
  }
  return `'max-cost' is set, and 'pricing' does not say what ${unpriced} costs: add a line such as 'input=1,cached=0.05,output=5', US$ per million tokens.`;
}

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
