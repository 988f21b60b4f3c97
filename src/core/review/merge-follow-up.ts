import type { Finding } from '../findings/finding.ts';
import type { FollowUpAnswer } from '../findings/follow-up-answer.ts';
import { overlaps } from '../findings/same-matter.ts';
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
  { confirmed, dismissed, again }: Pick<FollowUpAnswer, 'confirmed' | 'dismissed' | 'again'>,
): MergedFollowUp {
  const known = new Map(before.map((finding) => [finding.id, finding]));
  const isAgain = (finding: Finding) => known.has(finding.id) && known.get(finding.id) !== finding;
  const met = after.filter(isAgain).map(({ id }) => id);
  const reworded = again ? sayAgain(before, { after, met }) : new Map<string, string>();
  const kept = after.filter(({ id }) => !reworded.has(id));
  const confirmedIds = new Set([
    ...confirmed.flatMap((number) => before[number - 1]?.id ?? []),
    ...met,
    ...reworded.values(),
  ]);
  const reasons = dismissed.flatMap(({ finding, reason }) => {
    const id = before[finding - 1]?.id;
    return id === undefined ? [] : [[id, reason] as const];
  });
  const judged = applyVerdicts(kept, { confirmed: confirmedIds, dismissed: new Map(reasons), adjusted: new Map() });
  return {
    findings: judged.findings,
    dismissed: judged.dismissed.map((one) => ({ ...one, by: 'follow-up' })),
    confirmed: judged.findings.filter(({ id }) => confirmedIds.has(id)).length,
    removed: judged.dismissed.length,
    added: kept.filter(({ id }) => !known.has(id)).length,
  };
}

/** New findings that say in other words what an earlier one says at the same place, each with that one: a list once more doubles nothing. */
function sayAgain(
  before: readonly Finding[],
  { after, met }: { readonly after: readonly Finding[]; readonly met: readonly string[] },
): ReadonlyMap<string, string> {
  const ids = new Set(before.map(({ id }) => id));
  const open = before.filter(({ id }) => !met.includes(id));
  const again = new Map<string, string>();
  for (const finding of after.filter(({ id }) => !ids.has(id))) {
    const at = open.findIndex(({ path, anchor }) => path === finding.path && overlaps(anchor, finding.anchor));
    const [same] = at === -1 ? [] : open.splice(at, 1);
    if (same !== undefined) again.set(finding.id, same.id);
  }
  return again;
}
