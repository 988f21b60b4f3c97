import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { similarity, vectorOf } from '../../../src/core/context/embedder.ts';
import { fuseRankings } from '../../../src/core/context/fuse-rankings.ts';

describe('vectors in bytes', () => {
  const component = fc.double({ min: -1, max: 1, noNaN: true });
  const length = 64;
  const direction = fc
    .array(component, { minLength: length, maxLength: length })
    .filter((all) => all.some((one) => Math.abs(one) > 0.01));

  it('compare as the numbers that they come from, to two hundredths', () => {
    fc.assert(
      fc.property(direction, direction, (one, other) => {
        const dot = (a: readonly number[], b: readonly number[]) =>
          a.reduce((sum, each, at) => sum + each * (b[at] ?? 0), 0);
        const exact = dot(one, other) / Math.sqrt(dot(one, one) * dot(other, other));
        const [a, b] = [vectorOf(one), vectorOf(other)];
        if (a === null || b === null) throw new Error('no direction');
        expect(Math.abs(similarity(a, b) - exact)).toBeLessThan(0.02);
      }),
    );
  });

  it.each([[[]], [[0, 0]], [[Number.NaN, 1]], [[Number.POSITIVE_INFINITY]]])('are none for %j', (components) => {
    expect(vectorOf(components)).toBe(null);
  });
});

describe('fused rankings', () => {
  it('hold every item once, and first what leads in all', () => {
    const ranking = fc.uniqueArray(fc.integer({ min: 0, max: 30 }));
    fc.assert(
      fc.property(fc.array(ranking, { maxLength: 4 }), (rankings) => {
        const fused = fuseRankings(rankings);
        expect([...fused].sort((one, other) => one - other)).toEqual(
          [...new Set(rankings.flat())].sort((one, other) => one - other),
        );
        const leaders = new Set(rankings.map(([first]) => first));
        if (rankings.length > 0 && leaders.size === 1) expect(fused[0]).toBe(rankings[0]?.[0]);
      }),
    );
  });
});
