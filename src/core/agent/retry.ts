import type { ModelError } from './model.ts';

export const maxAttempts = 5;

const firstWait = 1_000;
const longestWait = 30_000;

/**
 * Milliseconds to wait after a failed attempt (1 is the first). What the server asks for is obeyed at any length;
 * otherwise the wait doubles from one second to thirty, a random half of it left out so that bundles do not march in step.
 */
export function waitBeforeRetry(
  error: ModelError,
  given: { readonly attempt: number; readonly random: () => number },
): number {
  if (error.retryAfter !== null) return Math.max(0, error.retryAfter);
  const wait = Math.min(longestWait, firstWait * 2 ** (given.attempt - 1));
  return Math.round(wait * (1 - given.random() / 2));
}
