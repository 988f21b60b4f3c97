import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Need } from '../../../src/core/agent/shares.ts';
import { shardPlanSchema } from '../../../src/core/review/shards.ts';
import { shareOutShards } from '../../../src/core/reviewing/plan-shards.ts';
import { parserFor } from '../../../src/core/schema.ts';
import { mostShards, shardMatrix } from '../../../src/core/settings/formats.ts';

const tokens = fc.oneof(fc.integer({ min: 0, max: 200_000 }), fc.constant(0));
const need = fc
  .record({ input: tokens, output: tokens, part: fc.double({ min: 0, max: 1, noNaN: true }) })
  .map(({ part, ...usual }): Need => ({ least: { input: Math.floor(usual.input * part), output: 0 }, usual }));
const limits = fc.record({
  maxTotalTokens: fc.oneof(fc.integer({ min: 1_000, max: 2_000_000_000 }), fc.integer({ min: 1, max: 50 })),
  maxCost: fc.option(fc.double({ min: 0, max: 10_000, noNaN: true })),
  timeoutMinutes: fc.oneof(fc.double({ min: 0.1, max: 360, noNaN: true }), fc.integer({ min: 1, max: 360 })),
  maxShards: fc.integer({ min: 1, max: 256 }),
  shardTokens: fc.integer({ min: 1_000, max: 1_000_000_000 }),
});
const cost = fc.option(fc.double({ min: 0, max: 100_000, noNaN: true }));

const parse = parserFor(shardPlanSchema);
const sum = (numbers: readonly number[]) => numbers.reduce((all, one) => all + one, 0);

describe('the shards of a plan', () => {
  it('hold every batch once, the most valuable first, and never take more than the run may', () => {
    fc.assert(
      fc.property(fc.array(need, { maxLength: 400 }), limits, cost, (needs, given, estimated) => {
        const shards = shareOutShards(needs, { limits: given, cost: estimated });
        const all = shards.flatMap(({ batches }) => batches);
        expect(all.toSorted((one, other) => one - other)).toEqual(needs.map((_, index) => index));
        expect(shards.map(({ batches }) => batches.toSorted((one, other) => one - other))).toEqual(
          shards.map(({ batches }) => batches),
        );
        expect(sum(shards.map((one) => one.tokens))).toBeLessThanOrEqual(given.maxTotalTokens);
        expect(sum(shards.map((one) => one.minutes))).toBeLessThanOrEqual(given.timeoutMinutes + 1e-9);
        // Where there are several, the smallest one has enough for a conversation, whichever it is.
        const least = Math.max(...needs.map((one) => one.least.input + one.least.output));
        const tooSmall = shards.filter((one) => one.minutes < 2 || one.tokens < least);
        if (shards.length > 1) expect(tooSmall).toEqual([]);
        const costs = shards.map((one) => one.cost);
        if (given.maxCost === null) expect(new Set(costs)).toEqual(new Set([null]));
        else expect(sum(costs.map((one) => one ?? Infinity))).toBeLessThanOrEqual(given.maxCost + 1e-9);
        // A matrix has at least one job, and none of them is for nothing where there is something to do.
        const most = Math.min(mostShards, given.maxShards, Math.max(1, needs.length));
        expect(shards.length).toBeGreaterThanOrEqual(1);
        expect(shards.length).toBeLessThanOrEqual(most);
        if (needs.length > 0) expect(shards.filter(({ batches }) => batches.length === 0)).toEqual([]);
        expect(JSON.parse(shardMatrix(shards.length))).toHaveLength(shards.length);
      }),
      { numRuns: 500 },
    );
  });

  it('are of about one size, and as many as the tokens are for', () => {
    const needs = Array.from({ length: 100 }, () => ({
      least: { input: 0, output: 0 },
      usual: { input: 90_000, output: 10_000 },
    }));
    const run = { maxTotalTokens: 20_000_000, maxCost: 10, timeoutMinutes: 120, maxShards: 8, shardTokens: 1_000_000 };
    const divided = (changes: Partial<typeof run>, paid: number | null = null) => {
      const shards = shareOutShards(needs, { limits: { ...run, ...changes }, cost: paid });
      return [shards.length, ...new Set(shards.map(({ batches }) => batches.length))];
    };
    expect([
      divided({}),
      divided({ maxShards: 256 }),
      // What the run may take ends first: by tokens, by money, by time.
      divided({ maxTotalTokens: 3_000_000 }),
      divided({ maxShards: 256 }, 40),
      divided({ timeoutMinutes: 10 }),
    ]).toEqual([
      [8, 13, 12],
      [10, 10],
      [3, 34, 33],
      [3, 34, 33],
      [5, 20],
    ]);
  });

  it('can each begin what they have, the smallest one too', () => {
    const needs = [1_000_000, 10_000].map((input) => ({
      least: { input: 10_000, output: 0 },
      usual: { input, output: 0 },
    }));
    const run = { maxTotalTokens: 20_000, maxCost: null, timeoutMinutes: 4, maxShards: 8, shardTokens: 1_000 };
    const shards = shareOutShards(needs, { limits: run, cost: null });
    expect(shards.map(({ batches, tokens: own, minutes }) => [batches, own, minutes])).toEqual([
      [[0], 10_000, 2],
      [[1], 10_000, 2],
    ]);
  });

  it('come out of a file as they went in', () => {
    fc.assert(
      fc.property(fc.array(need, { maxLength: 30 }), limits, cost, (needs, given, estimated) => {
        const plan = {
          isShared: false,
          batches: [],
          shards: shareOutShards(needs, { limits: given, cost: estimated }),
        };
        const parsed = parse(JSON.parse(JSON.stringify(plan)));
        expect(parsed.ok && parsed.value).toEqual(plan);
      }),
    );
  });
});
