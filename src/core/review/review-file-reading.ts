import type { Finding } from '../findings/finding.ts';
import type { ReviewDraft, ReviewedDraft, StoppedDraft } from './draft.ts';
import type { BundleReport } from './review.ts';
import { metricsFrom } from './review-file-metrics.ts';
import type { BundleOnWire, FileOnWire, FindingOnWire, ReviewedOnWire, StoppedOnWire } from './review-file-schema.ts';
import { stopOf } from './review-file-stops.ts';

/** The draft in a file whose form was checked; null when the file holds none, or two. Ids of findings are given anew. */
export function draftFrom({ reviewed, stopped }: Pick<FileOnWire, 'reviewed' | 'stopped'>): ReviewDraft | null {
  if (reviewed !== null) return stopped === null ? reviewedFrom(reviewed) : null;
  return stopped === null ? null : stoppedFrom(stopped);
}

function reviewedFrom(wire: ReviewedOnWire): ReviewedDraft {
  let count = 0;
  const read = (findings: readonly FindingOnWire[], source: Finding['source']) =>
    findings.map((finding) => findingFrom(finding, { id: `f${++count}`, source }));
  const withId = <T extends { readonly finding: FindingOnWire }>(one: T, source: Finding['source']) => ({
    ...one,
    finding: findingFrom(one.finding, { id: `f${++count}`, source }),
  });
  const { since, why } = wire.scope;
  return {
    ...wire,
    kind: 'reviewed',
    scope: since === null ? { kind: 'full', why: why ?? 'first review' } : { kind: 'incremental', since },
    ruleFindings: read(wire.ruleFindings, 'rule'),
    ignored: wire.ignored.map((one) => withId(one, 'rule')),
    bundles: wire.bundles.map(({ findings, refused, dismissed, ...report }) => ({
      report: reportFrom(report),
      findings: read(findings, 'model'),
      refused,
      dismissed: dismissed.map((one) => withId(one, 'model')),
    })),
  };
}

function stoppedFrom({ stop, ...wire }: StoppedOnWire): StoppedDraft {
  return { ...wire, kind: 'stopped', stop: stoppedBecause(stop) };
}

function stoppedBecause({ reason, message, hint }: StoppedOnWire['stop']): StoppedDraft['stop'] {
  switch (reason) {
    case 'skipped':
      return { reason, why: message };
    case 'nothing':
      return { reason: 'skipped', why: message, nothing: true };
    case 'failed':
      return { reason, message, hint };
    case 'cancelled':
      return { reason };
  }
}

function reportFrom(wire: Omit<BundleOnWire, 'findings' | 'refused' | 'dismissed'>): BundleReport {
  return { ...wire, stop: stopOf(wire.stop), metrics: metricsFrom(wire.metrics) };
}

function findingFrom(
  { lines, sameAs, ...wire }: FindingOnWire,
  own: { readonly id: string; readonly source: Finding['source'] },
): Finding {
  const repeated = sameAs === null ? {} : { sameAs };
  return { ...wire, ...own, ...repeated, anchor: lines === null ? { kind: 'file' } : { kind: 'lines', ...lines } };
}
