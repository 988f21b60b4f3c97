import type { Finding } from '../findings/finding.ts';
import { rankFindings } from '../findings/place.ts';
import type { BatchReview, ReviewDraft, ReviewedDraft, StoppedDraft } from '../review/draft.ts';
import type { DismissedFinding, FollowUpReport, RefusedFinding, SkippedFile } from '../review/review.ts';
import {
  type BatchOnWire,
  type FileOnWire,
  type FindingOnWire,
  metricsOnWire,
  type ReviewedOnWire,
  reviewFileLimits,
  type StoppedOnWire,
  stopOnWire,
} from './schema.ts';

export type Writing = {
  readonly redact: (text: string) => string;
  /** How much of it is written: characters of a text, and findings. */
  readonly room: { readonly text: number; readonly findings: number };
};

/** A draft in the form of the file: secrets taken out, texts cut, of too many findings the most important. */
export function draftOnWire(draft: ReviewDraft, writing: Writing): Pick<FileOnWire, 'reviewed' | 'stopped'> {
  const pen = penOf(writing);
  return draft.kind === 'reviewed'
    ? { reviewed: reviewedOnWire(draft, { pen, most: writing.room.findings }), stopped: null }
    : { reviewed: null, stopped: stoppedOnWire(draft, pen) };
}

/** Ways of writing a text. */
type Pen = ReturnType<typeof penOf>;

function penOf({ redact, room }: Writing) {
  const to = (max: number) => (text: string) => {
    const redacted = redact(text);
    return redacted.length <= max ? redacted : `${redacted.slice(0, max - 1)}…`;
  };
  const text = to(room.text);
  return {
    text,
    optional: (value: string | null) => (value === null ? null : text(value)),
    label: to(reviewFileLimits.label),
    path: to(reviewFileLimits.path),
    file: ({ path, reason }: SkippedFile) => ({ path: to(reviewFileLimits.path)(path), reason: text(reason) }),
    refused: (findings: readonly RefusedFinding[]) =>
      findings.slice(0, reviewFileLimits.findings).map((one) => ({
        title: text(one.title),
        path: to(reviewFileLimits.path)(one.path),
        quote: one.quote === null ? null : text(one.quote),
        reason: text(one.reason),
      })),
    notes: (notes: readonly string[]) => notes.slice(0, reviewFileLimits.notes).map(text),
    // Line by line, as the source was rendered; what is longer is compared as far as it goes.
    quote: (quote: string) => quote.split('\n').map(redact).join('\n').slice(0, reviewFileLimits.text),
    // A suggestion that is cut would be another one.
    suggestion: (value: string | null) => (value === null || value.length > room.text ? null : redact(value)),
  };
}

function reviewedOnWire(draft: ReviewedDraft, { pen, most }: { pen: Pen; most: number }): ReviewedOnWire {
  const { coverage, scope } = draft;
  const all = rankFindings([...draft.ruleFindings, ...draft.batches.flatMap(({ findings }) => findings)]);
  const kept = new Set(all.slice(0, most).map(({ id }) => id));
  const write = (findings: readonly Finding[]) =>
    findings.filter(({ id }) => kept.has(id)).map((finding) => findingOnWire(finding, pen));
  const left = all.length - kept.size;
  const dropped = left === 0 ? [] : [`The review file had room for ${kept.size} of ${all.length} findings.`];
  return {
    scope: scope.kind === 'full' ? { since: null, why: scope.why } : { since: scope.since, why: null },
    batches: draft.batches.map((batch) => ({ ...batchOnWire(batch, pen), findings: write(batch.findings) })),
    ruleFindings: write(draft.ruleFindings),
    ignored: draft.ignored
      .slice(0, reviewFileLimits.findings)
      .map(({ finding, reason }) => ({ finding: findingOnWire(finding, pen), reason: pen.text(reason) })),
    refused: pen.refused(draft.refused),
    coverage: {
      reviewed: coverage.reviewed.map(pen.path),
      skipped: coverage.skipped.map(pen.file),
      unread: coverage.unread.map(({ code, ...file }) => ({ ...pen.file(file), code })),
      unreviewed: coverage.unreviewed.map(pen.file),
      earlier: coverage.earlier.map(pen.path),
      missing: pen.notes([...dropped, ...coverage.missing]),
    },
    incomplete: draft.incomplete.map(pen.text),
    cancelled: draft.cancelled,
    withoutKey: draft.withoutKey,
    estimate: draft.estimate,
    ...closing(draft, pen),
  };
}

function stoppedOnWire(draft: StoppedDraft, pen: Pen): StoppedOnWire {
  return { stop: stoppedBecause(draft.stop, pen), skipped: draft.skipped.map(pen.file), ...closing(draft, pen) };
}

function stoppedBecause(stop: StoppedDraft['stop'], pen: Pen): StoppedOnWire['stop'] {
  switch (stop.reason) {
    case 'skipped':
      return { reason: stop.nothing === true ? 'nothing' : stop.reason, message: pen.text(stop.why), hint: '' };
    case 'failed':
      return { reason: stop.reason, message: pen.text(stop.message), hint: pen.text(stop.hint) };
    case 'cancelled':
      return { reason: stop.reason, message: '', hint: '' };
  }
}

function closing({ milliseconds, limits, notes }: ReviewDraft, pen: Pen) {
  const { profile, model } = limits;
  const named = { profile: pen.label(profile), model: model === null ? null : pen.label(model) };
  return { milliseconds, limits: { ...limits, ...named }, notes: pen.notes(notes) };
}

function batchOnWire({ report, refused, dismissed }: BatchReview, pen: Pen): Omit<BatchOnWire, 'findings'> {
  const { approval, followUp } = report;
  const stop = stopOnWire(report.stop);
  return {
    name: pen.label(report.name),
    paths: report.paths.map(pen.path),
    stop: { ...stop, message: pen.text(stop.message), hint: pen.text(stop.hint) },
    reviewed: report.reviewed,
    gap: pen.optional(report.gap),
    approval: approval === null ? null : { ...approval, rationale: pen.text(approval.rationale) },
    walkthrough: report.walkthrough.map(({ path, changes, checked }) => ({
      path: pen.path(path),
      changes: pen.text(changes),
      checked: pen.text(checked),
    })),
    nonSpecificReview: pen.optional(report.nonSpecificReview),
    rawFreeText: pen.optional(report.rawFreeText),
    followUp: followUp === null ? null : followUpOnWire(followUp, pen),
    metrics: metricsOnWire(report.metrics),
    refused: pen.refused(refused),
    dismissed: dismissedOnWire(dismissed, pen),
  };
}

function followUpOnWire({ file, lines, refused, ...counts }: FollowUpReport, pen: Pen): FollowUpReport {
  return { ...counts, file: pen.path(file), lines: pen.label(lines), refused: pen.optional(refused) };
}

function dismissedOnWire(dismissed: readonly DismissedFinding[], pen: Pen): BatchOnWire['dismissed'] {
  return dismissed.slice(0, reviewFileLimits.findings).map(({ finding, reason, by, proof }) => ({
    finding: findingOnWire(finding, pen),
    reason: pen.text(reason),
    by,
    proof: proof === undefined ? null : { path: pen.path(proof.path), quote: pen.text(proof.quote) },
  }));
}

function findingOnWire(finding: Finding, pen: Pen): FindingOnWire {
  const { anchor, severity, category, ruleId, sameAs, confidence } = finding;
  return {
    path: pen.path(finding.path),
    lines: anchor.kind === 'file' ? null : linesOnWire(anchor, pen),
    title: pen.text(finding.title),
    review: pen.text(finding.review),
    evidence: pen.text(finding.evidence),
    severity,
    category,
    suggestion: pen.suggestion(finding.suggestion),
    ruleId: ruleId === null ? null : pen.label(ruleId),
    sameAs: sameAs === undefined ? null : pen.label(sameAs),
    confidence,
    verification: finding.verification ?? null,
    alsoAt: finding.alsoAt.slice(0, reviewFileLimits.places).map(pen.path),
  };
}

function linesOnWire(anchor: Extract<Finding['anchor'], { kind: 'lines' }>, pen: Pen): FindingOnWire['lines'] {
  const { side, startLine, endLine, quote } = anchor;
  return { side, startLine, endLine, quote: pen.quote(quote) };
}
