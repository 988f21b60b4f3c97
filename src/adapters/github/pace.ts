import type { RateLimit } from './github-answer.ts';

/** Milliseconds. A wait longer than this is not worth a runner's time: the caller gets the refusal instead. */
export const longestWait = 120_000;
export const waitsPerRequest = 2;

/** What is reported when GitHub asks to wait (FAILURES P6). */
export function sayWait(
  { name, milliseconds }: RateLimit,
  asked: { readonly method: string; readonly url: string; readonly wait: boolean },
): string {
  const consequence = asked.wait ? 'Waiting.' : 'Not waiting that long.';
  const seconds = Math.ceil(milliseconds / 1000);
  return `GitHub's ${name} asks for ${seconds} s before ${asked.method} ${pathOf(asked.url)}. ${consequence}`;
}

export function pathOf(url: string): string {
  return URL.canParse(url) ? new URL(url).pathname : url;
}

const writesAtOnce = 3;

/**
 * How many milliseconds the next write has to wait: three go at once, then one a second. GitHub asks for a second between many writes; an
 * ordinary run has a review and a summary comment, and would only wait.
 */
export function writePace(pace: 'github' | 'none', now: () => number): () => number {
  let free = writesAtOnce;
  let at = now();
  return () => {
    if (pace === 'none') return 0;
    free = Math.min(writesAtOnce, free + (now() - at) / 1000) - 1;
    at = now();
    return Math.max(0, -free * 1000);
  };
}
