import { severities } from '../settings/severity.ts';
import type { Finding } from './finding.ts';
import { isSameFinding } from './same-matter.ts';

/**
 * Makes one finding of those that several bundles, passes or the rule engine have at the same place about the same matter. It keeps the
 * richer text and the higher severity. Findings at different places stay apart: each is a place to mend.
 */
export function mergeFindings(findings: readonly Finding[]): readonly Finding[] {
  const merged: Finding[] = [];
  for (const finding of findings) {
    const index = merged.findIndex((earlier) => isSameFinding(earlier, finding));
    const earlier = merged[index];
    if (earlier === undefined) merged.push(finding);
    else merged[index] = mergeTwo(earlier, finding);
  }
  // A merged finding may now meet another: again, until nothing changes.
  return merged.length === findings.length ? merged : mergeFindings(merged);
}

function mergeTwo(one: Finding, other: Finding): Finding {
  const [kept, given] = isRicher(other, one) ? [other, one] : [one, other];
  return {
    ...kept,
    id: one.id,
    severity: severities.find((severity) => severity === one.severity || severity === other.severity) ?? kept.severity,
    suggestion: kept.suggestion ?? (samePlace(kept, given) ? given.suggestion : null),
    evidence: kept.evidence === '' ? given.evidence : kept.evidence,
    ruleId: kept.ruleId ?? given.ruleId,
    confidence: Math.max(one.confidence, other.confidence),
    alsoAt: alsoAt(kept, given),
  };
}

/** A model explains this case, a rule explains the rule; then the longer text tells more. */
function isRicher(one: Finding, other: Finding): boolean {
  if (one.source !== other.source) return one.source === 'model';
  return textLength(one) > textLength(other);
}

function textLength({ review, evidence }: Finding): number {
  return review.length + evidence.length;
}

function samePlace(one: Finding, other: Finding): boolean {
  return one.anchor.kind === other.anchor.kind && place(one) === place(other);
}

function alsoAt(kept: Finding, given: Finding): readonly string[] {
  const own = isInside(given, kept) ? [] : [place(given)];
  return [...new Set([...kept.alsoAt, ...given.alsoAt, ...own])].filter((other) => other !== place(kept));
}

function isInside({ anchor: inner }: Finding, { anchor: outer }: Finding): boolean {
  if (inner.kind === 'file' || outer.kind === 'file') return true;
  return outer.startLine <= inner.startLine && inner.endLine <= outer.endLine;
}

function place({ path, anchor }: Finding): string {
  if (anchor.kind === 'file') return path;
  const { startLine, endLine } = anchor;
  return startLine === endLine ? `${path}:${startLine}` : `${path}:${startLine}-${endLine}`;
}
