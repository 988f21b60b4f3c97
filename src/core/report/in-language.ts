import type { PlacedFinding } from '../findings/finding.ts';
import type { ReviewRecord } from '../review/sink.ts';
import { english, type Say } from '../words/say.ts';

/**
 * The record as people of a language read it. It is made and kept in English, for programs and for the next run: what a finding is known again by,
 * such as its title, stays so here.
 */
export function recordIn(record: ReviewRecord, say: Say = english): ReviewRecord {
  if (say === english) return record;
  const { review, placed, deliveries } = record;
  const { coverage } = review;
  const explained = <T extends PlacedFinding>(findings: readonly T[]) =>
    findings.map((one) => ({ ...one, reason: one.reason === null ? null : say.of(one.reason) }));
  return {
    ...record,
    review: {
      ...review,
      coverage: { ...coverage, missing: coverage.missing.map(say.of) },
      notes: review.notes.map(say.of),
      findings: explained(review.findings),
    },
    placed: explained(placed),
    deliveries: deliveries.map((one) => ({ ...one, reason: one.reason === null ? null : say.of(one.reason) })),
  };
}
