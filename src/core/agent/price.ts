import type { Usage } from './usage.ts';

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
