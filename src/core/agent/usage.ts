/** Tokens. `input` contains `cached`, `output` contains `thinking`, as providers report them. */
export type Usage = {
  readonly input: number;
  readonly cached: number;
  readonly output: number;
  readonly thinking: number;
  /** True when a provider did not report a call and Postil's estimate stands in. */
  readonly estimated: boolean;
};

export const noUsage: Usage = { input: 0, cached: 0, output: 0, thinking: 0, estimated: false };

export function addUsage(one: Usage, other: Usage): Usage {
  return {
    input: one.input + other.input,
    cached: one.cached + other.cached,
    output: one.output + other.output,
    thinking: one.thinking + other.thinking,
    estimated: one.estimated || other.estimated,
  };
}

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
