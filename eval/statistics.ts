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

/** Shares from 0 to 1, means per case. */
export const measures = [
  'precision',
  'recall',
  'f1',
  'silent',
  'findings',
  'tokens',
  'billed',
  'cost',
  'seconds',
] as const;
export type Measure = (typeof measures)[number];

/** Null where there is nothing to divide by. */
export type Interval = { readonly value: number; readonly low: number; readonly high: number } | null;
export type Measured = { readonly [M in Measure]: Interval };

/** A measure of some cases; null where there is nothing to divide by. */
function measureOf(measure: Measure, cases: readonly Tally[]): number | null {
  const sum = (of: Exclude<keyof Tally, 'name' | 'unmeasured'>) =>
    cases.reduce((total, tally) => total + (tally[of] ?? 0), 0);
  switch (measure) {
    case 'precision':
      return share(sum('matched'), sum('findings'));
    case 'recall':
      return share(sum('matched'), sum('goldens'));
    case 'f1':
      // 2pr / (p + r), which is this, and 0 where nothing matches.
      return share(2 * sum('matched'), sum('findings') + sum('goldens'));
    case 'silent': {
      const clean = cases.filter(({ goldens }) => goldens === 0);
      return share(clean.filter(({ findings }) => findings === 0).length, clean.length);
    }
    case 'cost':
      return cases.some(({ cost }) => cost === null) ? null : share(sum('cost'), cases.length);
    default:
      return share(sum(measure), cases.length);
  }
}

function share(part: number, whole: number): number | null {
  return whole === 0 ? null : part / whole;
}

const resamples = 2_000;

/** Every measure with its 95 % bootstrap interval over the cases. The same tallies give the same numbers. */
export function summarise(tallies: readonly Tally[]): Measured {
  const samples = drawn(tallies.length);
  return measuredBy((measure) =>
    intervalOf<Tally>((cases) => measureOf(measure, cases), { samples, pick: (index) => tallies[index] }),
  );
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
  const samples = drawn(pairs.length);
  const of = (measure: Measure) =>
    intervalOf<readonly [Tally, Tally]>(
      (drawnPairs) => {
        const of = (side: 0 | 1) => drawnPairs.map((pair) => pair[side]);
        const [before, after] = [measureOf(measure, of(0)), measureOf(measure, of(1))];
        return before === null || after === null ? null : after - before;
      },
      { samples, pick: (index) => pairs[index] },
    );
  return { cases: pairs.length, measures: measuredBy(of) };
}

function measuredBy(of: (measure: Measure) => Interval): Measured {
  return {
    precision: of('precision'),
    recall: of('recall'),
    f1: of('f1'),
    silent: of('silent'),
    findings: of('findings'),
    tokens: of('tokens'),
    billed: of('billed'),
    cost: of('cost'),
    seconds: of('seconds'),
  };
}

type Drawing<T> = {
  readonly samples: readonly (readonly number[])[];
  readonly pick: (index: number) => T | undefined;
};

/** Percentiles of the resampled values. They are widened to the value itself, which a few very unequal cases can put outside. */
function intervalOf<T>(valueAt: (cases: readonly T[]) => number | null, { samples, pick }: Drawing<T>): Interval {
  const chosen = (indexes: readonly number[]) => indexes.map(pick).filter((one) => one !== undefined);
  const [whole = [], ...others] = samples;
  const value = valueAt(chosen(whole));
  if (value === null) return null;
  const values = others.flatMap((indexes) => valueAt(chosen(indexes)) ?? []).sort((one, other) => one - other);
  const at = (quantile: number) => values[Math.round(quantile * (values.length - 1))] ?? value;
  return { value, low: Math.min(value, at(0.025)), high: Math.max(value, at(0.975)) };
}

/** All cases as they are, then draws with replacement. */
function drawn(count: number): readonly (readonly number[])[] {
  const random = generator(0x706f_7374);
  const indexes = Array.from({ length: count }, (_, index) => index);
  const draw = () => indexes.map(() => Math.floor(random() * count));
  return [indexes, ...Array.from({ length: count === 0 ? 0 : resamples }, draw)];
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
