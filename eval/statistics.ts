import type { Review } from '../src/core/review/review.ts';
import type { EvalCase } from './case.ts';

/** What one review of one case came to. */
export type Tally = {
  readonly name: string;
  /** Why it cannot be counted; null when it can. */
  readonly unmeasured: string | null;
  readonly goldens: number;
  readonly findings: number;
  /** Findings that tell a golden: as many goldens are found. */
  readonly matched: number;
  /** Input and output. */
  readonly tokens: number;
  /** Input that no cache held, and output. */
  readonly billed: number;
  /** US$; null without a price. */
  readonly cost: number | null;
  readonly seconds: number;
};

/** What a review of a case took, beside what it found. */
export function tallyOf(
  { name, goldens }: Pick<EvalCase, 'name' | 'goldens'>,
  {
    metrics,
    milliseconds,
    ...counts
  }: { metrics: Review['metrics']; milliseconds: number; findings: number; matched: number },
): Tally {
  const { usage, cost } = metrics;
  return {
    ...{ name, unmeasured: null, goldens: goldens.length, ...counts, cost },
    tokens: usage.input + usage.output,
    billed: Math.max(0, usage.input - usage.cached) + usage.output,
    seconds: milliseconds / 1_000,
  };
}

/** By measure; null where there is nothing to divide by. */
type Values = { readonly [measure: string]: number | null };

/** Shares from 0 to 1, means per case. */
function measuresOf(cases: readonly Tally[]): Values {
  const sum = (of: Exclude<keyof Tally, 'name' | 'unmeasured'>) =>
    cases.reduce((total, tally) => total + (tally[of] ?? 0), 0);
  const [findings, goldens, matched] = [sum('findings'), sum('goldens'), sum('matched')];
  const clean = cases.filter((tally) => tally.goldens === 0);
  const isPriced = cases.every(({ cost }) => cost !== null);
  return {
    precision: share(matched, findings),
    recall: share(matched, goldens),
    // 2pr / (p + r), and 0 where nothing matches.
    f1: share(2 * matched, findings + goldens),
    silent: share(clean.filter((tally) => tally.findings === 0).length, clean.length),
    findings: share(findings, cases.length),
    tokens: share(sum('tokens'), cases.length),
    billed: share(sum('billed'), cases.length),
    cost: isPriced ? share(sum('cost'), cases.length) : null,
    seconds: share(sum('seconds'), cases.length),
  };
}

function share(part: number, whole: number): number | null {
  return whole === 0 ? null : part / whole;
}

export type Interval = { readonly value: number; readonly low: number; readonly high: number };
export type Measured = { readonly [measure: string]: Interval | null };

/** Every measure with its 95 % bootstrap interval over the cases. The same tallies give the same numbers. */
export function summarise(tallies: readonly Tally[]): Measured {
  return bootstrap(tallies.length, (indexes) => measuresOf(indexes.flatMap((index) => tallies[index] ?? [])));
}

/** What B has more than A, over the cases that both measured: each case is drawn with both of its reviews. */
export function compare(
  first: readonly Tally[],
  second: readonly Tally[],
): { readonly cases: number; readonly measures: Measured } {
  const pairs = first.flatMap((one) => {
    const other = second.find(({ name }) => name === one.name);
    return other === undefined ? [] : [[one, other] as const];
  });
  const measures = bootstrap(pairs.length, (indexes) => {
    const drawn = indexes.flatMap((index) => (pairs[index] === undefined ? [] : [pairs[index]]));
    const before = measuresOf(drawn.map(([one]) => one));
    return mapped(measuresOf(drawn.map(([, other]) => other)), (after, measure) => {
      const start = before[measure] ?? null;
      return after === null || start === null ? null : after - start;
    });
  });
  return { cases: pairs.length, measures };
}

function mapped<From, To>(values: { readonly [name: string]: From }, of: (value: From, name: string) => To) {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, of(value, name)] as const));
}

const resamples = 2_000;

/** The values of all cases, and the percentiles of those of draws with replacement. */
function bootstrap(count: number, valuesOf: (indexes: readonly number[]) => Values): Measured {
  const random = generator(0x706f_7374);
  const all = Array.from({ length: count }, (_, index) => index);
  const draws = Array.from({ length: count === 0 ? 0 : resamples }, () =>
    valuesOf(all.map(() => Math.floor(random() * count))),
  );
  return mapped(valuesOf(all), (value, measure) => {
    if (value === null) return null;
    const drawn = draws.flatMap((values) => values[measure] ?? []).sort((one, other) => one - other);
    const at = (quantile: number) => drawn[Math.round(quantile * (drawn.length - 1))] ?? value;
    // Widened to the value itself, which a few very unequal cases can put outside.
    return { value, low: Math.min(value, at(0.025)), high: Math.max(value, at(0.975)) };
  });
}

/** Numbers from 0 to 1 that are the same for the same seed (mulberry32). */
function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b_79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
