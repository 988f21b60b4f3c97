import { ownPriceOf, priceOf } from './pricing.ts';
import type { Settings } from './settings.ts';

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
  return `'max-cost' is set, and 'pricing' does not say what ${unpriced} costs: add a line such as 'input=1.25,cached=0.125,output=10', US$ per million tokens.`;
}
