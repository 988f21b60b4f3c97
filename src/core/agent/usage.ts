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
