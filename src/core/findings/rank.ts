import { atLeast, type Severity, severities } from '../settings/severity.ts';
import type { Finding } from './finding.ts';
import type { Placement } from './placement.ts';

/** Most important first: by severity, confidence, path, line. Findings that are equal in all of these keep their order. */
export function rankFindings(findings: readonly Finding[]): readonly Finding[] {
  return findings.toSorted(
    (one, other) =>
      severities.indexOf(one.severity) - severities.indexOf(other.severity) ||
      other.confidence - one.confidence ||
      compare(one.path, other.path) ||
      firstLine(one) - firstLine(other),
  );
}

/** How much is said to people directly; `maxComments` counts inline, file-level and body. */
export type CommentLimits = {
  readonly minSeverity: Severity;
  readonly minConfidence: number;
  readonly maxComments: number;
};

/** Moves what the limits leave out to the summary, with the reason. The placements come in rank order; none is lost. */
export function limitFindings(placements: readonly Placement[], limits: CommentLimits): readonly Placement[] {
  let comments = 0;
  return placements.map((placement) => {
    if (placement.place === 'summary' || placement.place === 'suppressed') return placement;
    const reason = belowLimit(placement.finding, limits) ?? beyondMaximum(++comments, limits);
    return reason === null ? placement : { finding: placement.finding, place: 'summary', reason };
  });
}

function belowLimit({ severity, confidence }: Finding, limits: CommentLimits): string | null {
  if (!atLeast(severity, limits.minSeverity)) return `below min-severity (${limits.minSeverity})`;
  return confidence < limits.minConfidence ? `below min-confidence (${limits.minConfidence})` : null;
}

function beyondMaximum(comments: number, { maxComments }: CommentLimits): string | null {
  return comments > maxComments ? `beyond max-comments (${maxComments})` : null;
}

/** By code unit, so that the order is the same in every locale. */
function compare(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}

/** A matter of the whole file comes before its lines. */
function firstLine({ anchor }: Finding): number {
  return anchor.kind === 'file' ? 0 : anchor.startLine;
}
