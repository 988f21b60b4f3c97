import { groupBy, plural } from '../src/core/text.ts';
import type { EvalCase } from './case.ts';
import type { Pair, Raised } from './match.ts';
import type { Tally } from './statistics.ts';

/** What one configuration came to on one case. */
export type CaseResult = {
  readonly of: EvalCase;
  readonly tally: Tally;
  /** That answered; null where none was asked. */
  readonly model: string | null;
  readonly raised: readonly Raised[];
  readonly pairs: readonly Pair[];
  /** What a reader of the numbers should know, one sentence each. */
  readonly notes: readonly string[];
};

const ranks = { critical: 0, warning: 1, info: 2 } as const;

/** What a case is a reason for: a defect that was missed, or no number at all; a finding without a defect; nothing. */
export function rankOf({ tally }: CaseResult): keyof typeof ranks {
  if (tally.unmeasured !== null || tally.matched < tally.goldens) return 'critical';
  return tally.findings > tally.matched ? 'warning' : 'info';
}

export function worstFirst(results: readonly CaseResult[]): readonly CaseResult[] {
  return results.toSorted((one, other) => ranks[rankOf(one)] - ranks[rankOf(other)]);
}

/** A line for each case; those that are not measured for the same reason share one. */
export function caseLines(results: readonly CaseResult[]): readonly string[] {
  const alike = groupBy(worstFirst(results), ({ of, tally }) => tally.unmeasured ?? `measured: ${of.name}`);
  return [...alike].map(([why, group]) => {
    const [first] = group;
    if (first !== undefined && group.length === 1) return caseLine(first);
    return `${group.length} cases: not measured. ${why} ${group.map(({ of }) => of.name).join(', ')}`;
  });
}

/** A case that says nothing about the reviewer, and why. */
export function notMeasured(of: EvalCase, why: string): CaseResult {
  const counts = { goldens: of.goldens.length, findings: 0, matched: 0, tokens: 0, billed: 0, cost: null, seconds: 0 };
  return { of, tally: { name: of.name, unmeasured: why, ...counts }, model: null, raised: [], pairs: [], notes: [] };
}

/** `name: 1 of 1 found, 2 wrong`. */
export function caseLine({ of, tally, notes }: CaseResult): string {
  const note = notes.length === 0 ? '' : `. ${notes.join(' ')}`;
  if (tally.unmeasured !== null) return `${of.name}: not measured. ${tally.unmeasured}`;
  const wrong = tally.findings - tally.matched;
  const others = wrong === 0 ? '' : `, ${plural(wrong, 'finding')} without a defect`;
  if (tally.goldens === 0) return `${of.name}: clean, ${wrong === 0 ? 'silent' : plural(wrong, 'finding')}${note}`;
  return `${of.name}: ${tally.matched} of ${tally.goldens} found${others}${note}`;
}
