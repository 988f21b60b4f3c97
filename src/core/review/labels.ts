import type { LabelCondition, LabelOperator, LabelRule } from '../settings/label-rules.ts';
import { type Severity, severities } from '../settings/setting.ts';
import type { Review, Size } from './review.ts';
import { isComplete } from './verdict.ts';

export type LabelChanges = { readonly add: readonly string[]; readonly remove: readonly string[] };

/** Whether a run that ended so knows anything about labels: where nobody looked, they stay as they are. */
export function knowsLabels({ facts: { run } }: Review): boolean {
  return run === 'whole' || run === 'nothing' || run === 'no-key';
}

/** Which of the rules' labels are to be set, and which removed. One that a partial review cannot decide stays as it is. */
export function labelChanges(rules: readonly LabelRule[], review: Review, present: readonly string[]): LabelChanges {
  const known = knownOf(review);
  const has = (label: string) => present.find((one) => one.toLowerCase() === label.toLowerCase());
  const decided = rules.map(({ label, all }) => ({ label, holds: allOf(all.map((one) => holds(one, known))) }));
  return {
    add: decided.flatMap(({ label, holds }) => (holds === true && has(label) === undefined ? [label] : [])),
    remove: decided.flatMap(({ label, holds }) => (holds === false ? (has(label) ?? []) : [])),
  };
}

type Known = {
  readonly findings: Review['findings'];
  /** False where there may be more findings. */
  readonly isComplete: boolean;
  readonly size: Size;
  /** False where there may be more files. */
  readonly isListed: boolean;
};

function knownOf({ facts, findings, size, coverage }: Review): Known {
  return {
    // What `fail-on` counts.
    findings: findings.filter(({ place }) => place !== 'suppressed'),
    isComplete: isComplete(facts),
    size: size ?? { files: 0, changed: 0 },
    isListed: size !== null && coverage.missing.length === 0,
  };
}

/** Null where nobody knows. */
type Truth = boolean | null;

function allOf(truths: readonly Truth[]): Truth {
  if (truths.includes(false)) return false;
  return truths.includes(null) ? null : true;
}

/** True or false only where it is so whatever a complete review would find. */
function holds({ of, operator, value }: LabelCondition, { findings, isComplete, size, isListed }: Known): Truth {
  const range = (least: number, isAll: boolean) => ({ least, most: isAll ? least : Number.POSITIVE_INFINITY });
  if (of === 'changed' || of === 'files') return compares(operator, { ...range(size[of], isListed), with: value });
  const counted = findings.filter(({ category }) => of === 'findings' || of === category);
  if (typeof value === 'number') return compares(operator, { ...range(counted.length, isComplete), with: value });
  const alike = counted.filter(({ severity }) => compare(operator, rankOf(severity), rankOf(value)));
  return compares('>', { ...range(alike.length, isComplete), with: 0 });
}

function rankOf(severity: Severity): number {
  return severities.length - severities.indexOf(severity);
}

type Range = { readonly least: number; readonly most: number; readonly with: number };

/** Of a number somewhere in the range. Equal is what is neither more nor less. */
function compares(operator: LabelOperator, range: Range): Truth {
  if (operator === '=') return allOf([compares('>=', range), compares('<=', range)]);
  const [least, most] = [range.least, range.most].map((number) => compare(operator, number, range.with));
  return least === most ? (least ?? null) : null;
}

function compare(operator: LabelOperator, one: number, other: number): boolean {
  switch (operator) {
    case '>=':
      return one >= other;
    case '<=':
      return one <= other;
    case '>':
      return one > other;
    case '<':
      return one < other;
    case '=':
      return one === other;
  }
}
