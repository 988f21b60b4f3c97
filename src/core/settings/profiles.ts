import type { ProfileName } from './settings.ts';

/** What a profile decides. `offline` makes no model call; `follow-up` one per batch without reading tools, and at most one more. */
export type Profile = {
  readonly maxIterations: number;
  /** Whether findings are checked in a call of their own. */
  readonly verify: boolean;
  /** Independent reviews of everything. */
  readonly passes: number;
};

export const profiles: { readonly [name in ProfileName]: Profile } = {
  offline: { maxIterations: 0, verify: false, passes: 1 },
  'follow-up': { maxIterations: 0, verify: false, passes: 1 },
  quick: { maxIterations: 3, verify: false, passes: 1 },
  balanced: { maxIterations: 8, verify: true, passes: 1 },
  thorough: { maxIterations: 15, verify: true, passes: 1 },
  deep: { maxIterations: 25, verify: true, passes: 3 },
};
