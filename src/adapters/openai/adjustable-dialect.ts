import type { Dialect } from './dialect.ts';
import { nextStep, type Refusal, type Step } from './ladder.ts';
import type { ServerWords } from './server-words.ts';

/** The dialect of a run, shared by the calls that run at the same time. */
export type AdjustableDialect = {
  current(): Dialect;
  /** True when the refused request is worth sending again in the current dialect. */
  adjust(refusal: Refusal): boolean;
};

export function adjustableDialect(
  initial: Dialect,
  onStep: (step: Step, words: ServerWords) => void,
): AdjustableDialect {
  const taken = new Set<string>();
  let dialect = initial;
  return {
    current: () => dialect,
    adjust: (refusal) => {
      // Another call climbed meanwhile: if this refusal is one that a step answers, the new dialect is tried first.
      if (refusal.dialect !== dialect) return nextStep(refusal, new Set()) !== null;
      const step = nextStep(refusal, taken);
      if (step === null) return false;
      taken.add(step.name);
      dialect = step.dialect;
      onStep(step, refusal.words);
      return true;
    },
  };
}
