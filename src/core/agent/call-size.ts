import type { Usage } from './usage.ts';

/** The size of a model call in tokens: the estimate of its prompt, and the most it may write. */
export type CallSize = { readonly input: number; readonly output: number };

/** Estimates of prompts are a few per cent off on code. */
const margin = 1.15;
/** A ratio of reported to estimated input is believed at once when it rises, and forgotten slowly. */
const memory = 0.8;

/** How far estimates of this run's prompts were off, learnt from what the provider reports. */
export type EstimateRatio = {
  /** Tokens of a prompt, by what is known. */
  corrected(input: number): number;
  /** What to set aside for a call. */
  reserved(call: CallSize): CallSize;
  learn(call: CallSize, usage: Usage): void;
};

export function estimateRatio(): EstimateRatio {
  let factor = 1;
  return {
    corrected: (input) => Math.ceil(input * factor),
    reserved: ({ input, output }) => ({ input: Math.ceil(input * factor * margin), output }),
    learn: (call, usage) => {
      if (usage.estimated || usage.input === 0 || call.input === 0) return;
      const ratio = usage.input / call.input;
      factor = Math.max(1, ratio, memory * factor + (1 - memory) * ratio);
    },
  };
}
