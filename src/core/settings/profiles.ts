import type { ProfileName } from './settings.ts';

/** What a profile decides. `offline` makes no model call. */
export type Profile = { readonly maxIterations: number };

export const profiles: { readonly [name in ProfileName]: Profile } = {
  offline: { maxIterations: 0 },
  quick: { maxIterations: 3 },
  balanced: { maxIterations: 8 },
  thorough: { maxIterations: 15 },
  deep: { maxIterations: 25 },
};
