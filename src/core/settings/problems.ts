import { isOpenAiHost, ownPriceOf, parseShard, priceOf } from './formats.ts';
import { filesOf, handsOver, type Settings } from './settings.ts';

/**
 * Inputs that contradict `mode`, one sentence each. Only inputs that a config file cannot set are looked at: it is
 * the same file for both jobs.
 */
export function modeProblems(settings: Settings, { withKey }: { withKey: boolean }): readonly string[] {
  const { mode, reviewFile, planFile, reviewEvent, shard } = settings;
  const problems: readonly (readonly [boolean, string])[] = [
    [
      mode === 'review-and-post' && reviewFile !== '',
      "'review-file' is for two jobs: set 'mode' to review in one and to post in the other.",
    ],
    [
      (mode === 'review' || mode === 'post') && reviewFile === '',
      `'mode: ${mode}' needs 'review-file', the file that the review is ${mode === 'review' ? 'written to' : 'read from'}.`,
    ],
    [mode === 'plan' && planFile === '', "'mode: plan' needs 'plan-file', the file that the plan is written to."],
    [mode === 'plan' && reviewFile !== '', "'review-file' is set in 'mode: plan', which reviews nothing."],
    [
      mode !== 'review' && shard !== '',
      `'shard' is set in 'mode: ${mode}': it says what a job with 'mode: review' reviews.`,
    ],
    [
      mode === 'review' && shard !== '' && planFile === '',
      "'shard' needs 'plan-file', the file that 'mode: plan' wrote.",
    ],
    [
      (mode === 'review-and-post' || (mode === 'review' && shard === '')) && planFile !== '',
      `'plan-file' is set in 'mode: ${mode}' without 'shard': it is for a review in shards.`,
    ],
    [
      shard !== '' && parseShard(shard) === null,
      `'shard' is not such as '3/8', an item of the output 'shards': ${shard.slice(0, 20)}`,
    ],
    [
      (mode === 'post' || mode === 'plan') && withKey,
      `'api-key' is set in 'mode: ${mode}': this job asks no model and must not hold the key.`,
    ],
    [
      handsOver(settings) && reviewEvent !== 'comment',
      `'review-event' is set in 'mode: ${mode}', which posts nothing: set it in the job with 'mode: post'.`,
    ],
  ];
  const found = problems.flatMap(([isSo, sentence]) => (isSo ? [sentence] : []));
  return [...found, ...sameFile(settings)];
}

function sameFile(settings: Settings): readonly string[] {
  const { reviewFile, planFile } = settings;
  const handed = { 'review-file': reviewFile, 'plan-file': planFile };
  const all = Object.entries({ ...filesOf(settings), ...handed }).filter(([, path]) => path !== '');
  const isHanded = (name: string) => Object.hasOwn(handed, name);
  return all.flatMap(([name, path], at) =>
    all.slice(at + 1).flatMap(([other, same]) => {
      if (path !== same || !(isHanded(name) || isHanded(other))) return [];
      return [`'${isHanded(name) ? name : other}' and '${isHanded(name) ? other : name}' name the same file.`];
    }),
  );
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
