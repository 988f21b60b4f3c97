import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compare, measures, summarise, type Tally } from '../../../src/core/eval/statistics.ts';

const nothing = { unmeasured: null, tokens: 0, billed: 0, cost: 0, seconds: 0 };
const tally = (name: string, goldens: number, findings: number, matched: number, rest: Partial<Tally> = {}): Tally => ({
  ...{ ...nothing, name, goldens, findings, matched },
  ...rest,
});

/** Two defects of three found, two of four findings right, one clean case of two silent. */
const four = [
  tally('a', 2, 2, 1, { tokens: 100, billed: 60, cost: 0.2, seconds: 10 }),
  tally('b', 1, 1, 1, { tokens: 300, billed: 200, cost: 0.4, seconds: 30 }),
  tally('c', 0, 0, 0, { tokens: 50, billed: 50, cost: 0.1, seconds: 2 }),
  tally('d', 0, 1, 0, { tokens: 150, billed: 90, cost: 0.1, seconds: 6 }),
];

describe('the measures', () => {
  it('are what a person computes by hand', () => {
    const measured = summarise(four);
    expect(measures.map((measure) => [measure, Number(measured[measure]?.value.toFixed(4))])).toEqual([
      ['precision', 0.5],
      ['recall', 0.6667],
      ['f1', 0.5714],
      ['silent', 0.5],
      ['findings', 1],
      ['tokens', 150],
      ['billed', 100],
      ['cost', 0.2],
      ['seconds', 12],
    ]);
  });

  it('are unknown where there is nothing to divide by', () => {
    const silent = summarise([tally('a', 1, 0, 0, { cost: null })]);
    expect([silent.precision, silent.recall?.value, silent.silent, silent.cost, summarise([]).tokens]).toEqual([
      ...[null, 0, null, null, null],
    ]);
  });

  it('spread as a coin does: half of 100 cases found lies between 40 and 60 of them', () => {
    const cases = Array.from({ length: 100 }, (_, index) => tally(`${index}`, 1, 1, index % 2));
    const { low = 0, high = 0 } = summarise(cases).recall ?? {};
    expect([Math.abs(low - 0.4) <= 0.02, Math.abs(high - 0.6) <= 0.02]).toEqual([true, true]);
  });
});

describe('the difference between two configurations', () => {
  it('is of the cases that both measured, each with itself', () => {
    const better = four.map((one) => ({ ...one, matched: one.goldens, findings: one.goldens, tokens: one.tokens + 7 }));
    const { recall, tokens, cases } = compare(four, better.slice(1));
    expect([cases, recall?.value, tokens]).toEqual([3, 0, { value: 7, low: 7, high: 7 }]);
  });
});

const tallies = fc.array(
  fc
    .record({
      goldens: fc.nat(4),
      wrong: fc.nat(4),
      part: fc.double({ min: 0, max: 1, noNaN: true }),
      tokens: fc.nat(90_000),
    })
    .map(({ goldens, wrong, part, tokens }) => {
      const matched = Math.floor(goldens * part);
      return tally('', goldens, matched + wrong, matched, { tokens });
    }),
  { minLength: 1, maxLength: 12 },
);

it('an interval holds its value, shares stay shares, and the same cases give the same numbers', () => {
  fc.assert(
    fc.property(tallies, (cases) => {
      const measured = summarise(cases);
      expect(summarise(cases)).toEqual(measured);
      for (const measure of measures) {
        const { value, low, high } = measured[measure] ?? { value: 0, low: 0, high: 0 };
        expect(low <= value && value <= high && low >= 0).toBe(true);
        if (['precision', 'recall', 'f1', 'silent'].includes(measure)) expect(high).toBeLessThanOrEqual(1);
      }
    }),
    { numRuns: 50 },
  );
});
