import { severities } from '../settings/severity.ts';
import type { Finding } from './finding.ts';
import { placesIndex } from './places-index.ts';
import { isSameFinding } from './same-matter.ts';

/**
 * Makes one finding of those that several bundles, passes or the rule engine have at the same place about the same matter. It keeps the
 * richer text and the higher severity. Within a group nothing is merged: who names two things on one line means two.
 */
export function mergeFindings(groups: readonly (readonly Finding[])[]): readonly Finding[] {
  return groups.reduce(mergeGroup, []);
}

function mergeGroup(earlier: readonly Finding[], group: readonly Finding[]): readonly Finding[] {
  const mergedInto = new Map<Finding, Finding>();
  const others: Finding[] = [];
  const near = placesIndex(earlier, (one) => one);
  for (const finding of group) {
    const one = near(finding).find((candidate) => !mergedInto.has(candidate) && isSameFinding(candidate, finding));
    if (one === undefined) others.push(finding);
    else mergedInto.set(one, mergeTwo(one, finding));
  }
  return [...earlier.map((one) => mergedInto.get(one) ?? one), ...others];
}

/** Without the items that say word for word what one before them says at the same place. */
export function withoutEchoes(findings: readonly Finding[]): readonly Finding[] {
  const words = ({ path, anchor, title, review }: Finding) => JSON.stringify([path, anchor, title, review]);
  return [...new Map(findings.toReversed().map((finding) => [words(finding), finding])).values()].toReversed();
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
    ...(given.sameAs === undefined ? {} : { sameAs: kept.sameAs ?? given.sameAs }),
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
