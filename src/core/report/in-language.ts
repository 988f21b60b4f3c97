import type { PlacedFinding } from '../findings/finding.ts';
import { headlineIn } from '../review/headline.ts';
import type { RunStop } from '../review/review.ts';
import type { ReviewRecord } from '../review/sink.ts';
import { english, type Say } from '../words/say.ts';

/**
 * The record as people of a language read it. It is made and kept in English, for programs and for the next run: what a finding is known again by,
 * such as its title, stays so here.
 */
export function recordIn(record: ReviewRecord, say: Say = english): ReviewRecord {
  if (say === english) return record;
  const { review, placed, deliveries, verdict } = record;
  const { coverage, stop } = review;
  const reasoned = <T extends { readonly reason: string }>(files: readonly T[]) =>
    files.map((file) => ({ ...file, reason: say.of(file.reason) }));
  const explained = <T extends PlacedFinding>(findings: readonly T[]) =>
    findings.map((one) => ({ ...one, reason: one.reason === null ? null : say.of(one.reason) }));
  return {
    ...record,
    review: {
      ...review,
      headline: headlineIn(review, say),
      withheld: review.withheld === null ? null : say.of(review.withheld),
      stop: stopIn(stop, say),
      coverage: {
        ...coverage,
        skipped: reasoned(coverage.skipped),
        unread: reasoned(coverage.unread),
        unreviewed: reasoned(coverage.unreviewed),
        missing: coverage.missing.map(say.of),
      },
      notes: review.notes.map(say.of),
      findings: explained(review.findings),
    },
    placed: explained(placed),
    deliveries: deliveries.map((one) => ({ ...one, reason: one.reason === null ? null : say.of(one.reason) })),
    verdict: { ...verdict, title: verdict.title === null ? null : say.of(verdict.title) },
  };
}

function stopIn(stop: RunStop, say: Say): RunStop {
  switch (stop.reason) {
    case 'skipped':
    case 'incomplete':
      return { ...stop, why: say.of(stop.why) };
    case 'failed':
      return { ...stop, message: say.of(stop.message), hint: say.of(stop.hint) };
    case 'unread':
      return { ...stop, files: stop.files.map((file) => ({ ...file, reason: say.of(file.reason) })) };
    default:
      return stop;
  }
}
