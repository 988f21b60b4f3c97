import type { Finding } from '../findings/finding.ts';
import type { FollowUpAnswer } from '../findings/follow-up-answer.ts';
import type { DismissedFinding } from './review.ts';
import { applyVerdicts } from './verdicts.ts';

export type MergedFollowUp = {
  readonly findings: readonly Finding[];
  readonly dismissed: readonly DismissedFinding[];
  readonly confirmed: number;
  readonly removed: number;
  readonly added: number;
};

/**
 * Confirmed is kept, dismissed is taken out with its reason, new is added, unmentioned is kept (DESIGN section 2). What is said once more counts as
 * confirmed. `before` is numbered from 1; `after` holds the same ids, and what the second answer added.
 */
export function mergeFollowUp(
  before: readonly Finding[],
  after: readonly Finding[],
  { confirmed, dismissed }: Pick<FollowUpAnswer, 'confirmed' | 'dismissed'>,
): MergedFollowUp {
  const known = new Map(before.map((finding) => [finding.id, finding]));
  const isAgain = (finding: Finding) => known.has(finding.id) && known.get(finding.id) !== finding;
  const confirmedIds = new Set([
    ...confirmed.flatMap((number) => before[number - 1]?.id ?? []),
    ...after.filter(isAgain).map(({ id }) => id),
  ]);
  const reasons = dismissed.flatMap(({ finding, reason }) => {
    const id = before[finding - 1]?.id;
    return id === undefined ? [] : [[id, reason] as const];
  });
  const judged = applyVerdicts(after, { confirmed: confirmedIds, dismissed: new Map(reasons), adjusted: new Map() });
  return {
    findings: judged.findings,
    dismissed: judged.dismissed.map((one) => ({ ...one, by: 'follow-up' })),
    confirmed: judged.findings.filter(({ id }) => confirmedIds.has(id)).length,
    removed: judged.dismissed.length,
    added: after.filter(({ id }) => !known.has(id)).length,
  };
}
