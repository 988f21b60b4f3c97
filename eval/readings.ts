import { plural } from '../src/core/text.ts';
import type { EvalCase, Golden } from './case.ts';
import { type CountedFinding, type Pair, placeText } from './match.ts';
import type { Tally } from './statistics.ts';

/** What one configuration came to on one case. */
export type CaseResult = {
  readonly of: EvalCase;
  readonly tally: Tally;
  /** That answered; null where no model was used. */
  readonly model: string | null;
  readonly raised: readonly CountedFinding[];
  readonly pairs: readonly Pair[];
  /** Not all was read, so that what it did not find says nothing. */
  readonly isPartial: boolean;
  /** Further readings, of later pushes too: every measure is of the first. */
  readonly later: readonly CaseResult[];
  /** What a reader of the numbers should know, one sentence each. */
  readonly notes: readonly string[];
};

/** A case that says nothing about the reviewer, and why. */
export function notMeasured(of: EvalCase, why: string): CaseResult {
  const counts = { goldens: of.goldens.length, findings: 0, matched: 0, tokens: 0, billed: 0, cost: null, seconds: 0 };
  const tally = { name: of.name, unmeasured: why, ...counts };
  return { of, tally, model: null, raised: [], pairs: [], isPartial: true, later: [], notes: [] };
}

/** The reviews of a case in their order: every push as often as is asked. None knows what another one found, and none has receipts. */
export function readingsOf(of: EvalCase, times: number): readonly EvalCase[] {
  return [of, ...of.pushes].flatMap((push, index) =>
    Array.from({ length: times }, (_, again) => {
      const parts = [index === 0 ? '' : `.push-${index + 1}`, again === 0 ? '' : `.reading-${again + 1}`];
      return { ...of, ...push, name: `${of.name}${parts.join('')}`, pushes: [] };
    }),
  );
}

/** The first reading with the later ones, up to one that could not be measured. Null when one was not run to its end. */
export async function inReadings(
  of: EvalCase,
  times: number,
  measure: (of: EvalCase) => Promise<CaseResult | null>,
): Promise<CaseResult | null> {
  const results: CaseResult[] = [];
  for (const reading of readingsOf(of, times)) {
    const result = await measure(reading);
    if (result === null) return null;
    results.push(result);
    if (result.tally.unmeasured !== null) break;
  }
  const [first, ...later] = results;
  if (first === undefined) return null;
  const notes = later.flatMap(({ of, tally, notes }, index) => {
    if (tally.unmeasured !== null) return `${of.name} was not measured: ${tally.unmeasured}`;
    const late = foundIn(results).filter((found) => isLate(found) && found.foundAt === index + 1);
    const places = late.map(({ golden: { path, start, end } }) => placeText({ path, lines: [start, end] }));
    const lateNote = `${of.name} found what was there before: ${places.join(', ')}.`;
    return [...(late.length === 0 ? [] : [lateNote]), ...notes.map((note) => `${of.name}: ${note}`)];
  });
  return { ...first, later, notes: [...first.notes, ...notes] };
}

type Found = { readonly golden: Golden; readonly thereAt: number; readonly foundAt: number };

const isLate = ({ thereAt, foundAt }: Found) => foundAt > thereAt;

/** Defects that a reading found, with the first that could have found each and the first that did. None where a reading was not whole. */
function foundIn(readings: readonly CaseResult[]): readonly Found[] {
  if (readings.some(({ isPartial }) => isPartial)) return [];
  const thereAt = new Map<number, number>();
  const found = new Map<number, Found>();
  for (const [index, { of, pairs }] of readings.entries()) {
    for (const [at, golden] of of.goldens.entries()) {
      const first = thereAt.get(golden.number) ?? index;
      thereAt.set(golden.number, first);
      const isFound = pairs.some((pair) => pair.golden === at);
      if (isFound && !found.has(golden.number)) found.set(golden.number, { golden, thereAt: first, foundAt: index });
    }
  }
  return [...found.values()];
}

/** Defects that were found, and those of them that an earlier reading could have found. */
type Late = { readonly cases: number; readonly findings: number; readonly late: number };

/** Over the cases of which every reading is whole; null when none was read again. */
export function lateOf(results: readonly CaseResult[]): Late | null {
  const readings = results.filter(({ later }) => later.length > 0).map((first) => [first, ...first.later]);
  if (readings.length === 0) return null;
  const whole = readings.filter((of) => !of.some(({ isPartial }) => isPartial));
  const found = whole.flatMap(foundIn);
  return { cases: whole.length, findings: found.length, late: found.filter(isLate).length };
}

/** With fewer findings a share says nothing. */
const enough = 100;

export function lateText({ cases, findings, late }: Late): string {
  const share = findings < enough ? 'too few for a share' : `${Math.round((100 * late) / findings)} %`;
  const found = plural(findings, 'worth-fixing finding');
  return `late: ${late} of ${found} came with a later reading (${plural(cases, 'case')}); ${share}.`;
}
