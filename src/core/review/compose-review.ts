import type { Finding } from '../findings/finding.ts';
import { mergeFindings } from '../findings/merge.ts';
import { placeFindings } from '../findings/place.ts';
import { limitFindings, rankFindings } from '../findings/rank.ts';
import type { ChangedFile } from '../pull-request/changed-file.ts';
import type { PullRequest } from '../pull-request/pull-request.ts';
import type { Selection } from '../pull-request/select-files.ts';
import type { Settings } from '../settings/settings.ts';
import { headline } from './headline.ts';
import { addMetrics, noMetrics } from './metrics.ts';
import { decideOutcome, mergeActions } from './outcome.ts';
import type { BundleReport, Coverage, Review, ReviewLimits } from './review.ts';
import type { BundleReview } from './review-bundle.ts';

export type ComposeInput = {
  readonly pullRequest: PullRequest;
  readonly settings: Settings;
  readonly files: readonly ChangedFile[];
  readonly selection: Selection;
  readonly missing: readonly string[];
  readonly bundles: readonly BundleReview[];
  readonly ruleFindings: readonly Finding[];
  readonly cancelled: boolean;
  readonly withoutKey: boolean;
  readonly milliseconds: number;
  readonly notes: readonly string[];
};

/** Everything that was found, as one value: merged, ranked, placed, with its outcome. Nothing is posted before it exists. */
export function composeReview(input: ComposeInput): Review {
  const reports = input.bundles.map((bundle) => bundle.report);
  const findings = rankFindings(
    mergeFindings([...input.ruleFindings, ...input.bundles.flatMap((bundle) => bundle.findings)]),
  );
  const coverage = coverageOf(input, reports);
  const decided = decideOutcome({
    bundles: reports,
    findings,
    refused: input.bundles.reduce((sum, bundle) => sum + bundle.refused.length, 0),
    missing: [...coverage.missing, ...incompleteFiles(input.selection)],
    cancelled: input.cancelled,
    withoutKey: input.withoutKey,
  });
  return {
    ...decided,
    ...mergeActions(reports, findings, decided.outcome),
    headline: headline(decided, findings, coverage.reviewed.length),
    pullRequest: input.pullRequest,
    placements: limitFindings(placeFindings(findings, { files: input.files }), input.settings),
    refused: input.bundles.flatMap((bundle) => bundle.refused),
    nonSpecific: reports.flatMap((report) => textOf(report.nonSpecificReview)),
    rawFreeText: reports.flatMap((report) => textOf(report.rawFreeText)).join('\n\n') || null,
    coverage,
    bundles: reports,
    metrics: reports.reduce((sum, report) => addMetrics(sum, report.metrics), noMetrics),
    milliseconds: input.milliseconds,
    limits: limitsOf(input.settings, !input.withoutKey),
    notes: input.notes,
  };
}

/** A review that found nothing to do, or could not be done: it says so and holds nothing else. */
export function emptyReview(
  stop: Extract<Review['stop'], { reason: 'skipped' | 'failed' | 'cancelled' }>,
  known: {
    readonly pullRequest: PullRequest | null;
    readonly settings: Settings | null;
    readonly milliseconds: number;
  } & {
    readonly skipped?: Coverage['skipped'];
    readonly notes?: readonly string[];
  },
): Review {
  const outcome = stop.reason === 'cancelled' ? 'partial' : stop.reason;
  const coverage = { reviewed: [], skipped: known.skipped ?? [], unreviewed: [], missing: [] };
  return {
    outcome,
    stop,
    headline: headline({ outcome, stop }, [], 0),
    pullRequest: known.pullRequest,
    action: 'COMMENT',
    approved: false,
    rationale: '',
    placements: [],
    refused: [],
    nonSpecific: [],
    rawFreeText: null,
    coverage,
    bundles: [],
    metrics: noMetrics,
    milliseconds: known.milliseconds,
    limits: limitsOf(known.settings, true),
    notes: known.notes ?? [],
  };
}

/** A file is reviewed when every bundle that holds a part of it was; without bundles the rules looked at all. */
function coverageOf(input: ComposeInput, reports: readonly BundleReport[]): Coverage {
  const gaps = new Map<string, string>();
  for (const report of reports) {
    if (!report.reviewed) for (const path of report.paths) gaps.set(path, report.gap ?? 'not reviewed');
  }
  for (const file of input.selection.kept) {
    if (file.hunks.length === 0 && file.incomplete !== null) gaps.set(file.path, file.incomplete);
  }
  const paths = input.selection.kept.map((file) => file.path);
  return {
    reviewed: paths.filter((path) => !gaps.has(path)),
    skipped: input.selection.skipped,
    unreviewed: paths.flatMap((path) => (gaps.has(path) ? [{ path, reason: gaps.get(path) ?? '' }] : [])),
    missing: input.missing,
  };
}

function incompleteFiles(selection: Selection): readonly string[] {
  return selection.kept.flatMap((file) =>
    file.incomplete === null ? [] : [`The diff of ${file.path} is incomplete: ${file.incomplete}.`],
  );
}

function limitsOf(settings: Settings | null, withModel: boolean): ReviewLimits {
  return {
    profile: settings?.profile ?? '',
    model: settings === null || !withModel || settings.profile === 'offline' ? null : settings.model,
    maxIterations: settings?.maxIterations ?? 0,
    maxTotalTokens: settings?.maxTotalTokens ?? 0,
    timeoutMinutes: settings?.timeoutMinutes ?? 0,
    maxComments: settings?.maxComments ?? 0,
  };
}

function textOf(text: string | null): readonly string[] {
  return text === null || text.trim() === '' ? [] : [text.trim()];
}
