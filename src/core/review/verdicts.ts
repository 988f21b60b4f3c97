import type { Finding } from '../findings/finding.ts';
import type { Severity } from '../settings/severity.ts';
import type { DismissedFinding } from './review.ts';

/** What somebody who checked the findings says of them, by id. Who is not mentioned stays: absence is no dismissal. */
export type Verdicts = {
  readonly confirmed: ReadonlySet<string>;
  /** Why it is wrong. */
  readonly dismissed: ReadonlyMap<string, string>;
  readonly adjusted: ReadonlyMap<string, { readonly severity: Severity | null; readonly review: string }>;
};

export const noVerdicts: Verdicts = { confirmed: new Set(), dismissed: new Map(), adjusted: new Map() };

export type Judged = {
  readonly findings: readonly Finding[];
  readonly dismissed: readonly Omit<DismissedFinding, 'by'>[];
};

/**
 * Confirmed are kept, dismissed are taken out with the reason, adjusted are changed, all others stay. What is confirmed and dismissed at once
 * stays; what a rule found is not the model's to judge.
 */
export function applyVerdicts(findings: readonly Finding[], verdicts: Verdicts): Judged {
  const reasonFor = (finding: Finding) => {
    if (finding.source === 'rule' || verdicts.confirmed.has(finding.id)) return undefined;
    return verdicts.dismissed.get(finding.id);
  };
  return {
    findings: findings.filter((finding) => reasonFor(finding) === undefined).map((one) => adjusted(one, verdicts)),
    dismissed: findings.flatMap((finding) => {
      const reason = reasonFor(finding);
      return reason === undefined ? [] : [{ finding, reason }];
    }),
  };
}

function adjusted(finding: Finding, verdicts: Verdicts): Finding {
  const change = finding.source === 'rule' ? undefined : verdicts.adjusted.get(finding.id);
  if (change === undefined) return finding;
  return { ...finding, severity: change.severity ?? finding.severity, review: change.review || finding.review };
}
