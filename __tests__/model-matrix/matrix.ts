import { describe, expect, it } from 'vitest';
import { at } from '../fakes/json.ts';
import { rows } from './faults.ts';
import { type Adapter, limits, positions, type Reviewed, reviewWith } from './reviewed.ts';

/** Every fault at every call: a true outcome, a clean history, within every limit, in bounded time. */
export function faultMatrix(adapter: Adapter): void {
  describe(`over ${adapter.name}`, () => {
    const cells = rows.flatMap((row) => positions.map((position) => ({ ...row, position })));
    it.each(cells)('$row, $what, at the $position call', async ({ fault, outcomes, words, position }) => {
      const reviewed = await reviewWith(fault, { adapter, position });
      const { review } = reviewed;
      expect(outcomes(position)).toContain(review.outcome);
      if (words !== undefined)
        expect(`${review.headline} ${review.bundles.map(({ gap }) => gap).join()}`).toMatch(words);
      expectBounded(reviewed);
    });
  });
}

function expectBounded({ review, server, virtualMinutes }: Reviewed): void {
  expect(server.complaints).toEqual([]);
  // A gap is never passed off as "nothing found".
  expect(review.outcome === 'findings').toBe(
    review.placements.length > 0 && review.bundles.every(({ gap }) => gap === null),
  );
  const { usage, iterations, modelCalls } = review.metrics;
  expect(iterations).toBeLessThanOrEqual(limits.iterations);
  expect(usage.input + usage.output).toBeLessThanOrEqual(limits.tokens);
  // Five attempts a call; last calls, extraction and verification have bounds of their own.
  expect(modelCalls).toBeLessThanOrEqual(5 * (limits.iterations + 7));
  expect(virtualMinutes).toBeLessThan(15);
  expect(server.attempts.some(({ body }) => at(body, 'response_format') !== undefined)).toBe(false);
}
