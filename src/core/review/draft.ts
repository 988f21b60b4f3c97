import { noMetrics } from '../agent/meter.ts';
import type { Finding, Placement } from '../findings/finding.ts';
import type { ReviewedScope } from '../memory/memory.ts';
import type { PullRequest } from '../pull-request/pull-request.ts';
import type { IgnoredFinding } from '../rules/obey-comments.ts';
import type { Settings } from '../settings/settings.ts';
import { headline } from './headline.ts';
import type {
  BatchReport,
  Coverage,
  DisprovedFinding,
  Review,
  ReviewLimits,
  RunEstimate,
  RunStop,
  SkippedFile,
  UnplacedFinding,
} from './review.ts';

/** What rules and model came to, before it is compared with earlier runs and placed: plain data that may cross from one job to another. */
export type ReviewDraft = ReviewedDraft | StoppedDraft;

export type ReviewedDraft = {
  readonly kind: 'reviewed';
  readonly scope: ReviewedScope;
  readonly batches: readonly BatchReview[];
  readonly ruleFindings: readonly Finding[];
  /** Found, and kept from being raised by comments in the code. */
  readonly ignored: readonly IgnoredFinding[];
  /** Findings that belong to no batch and could not be accepted. */
  readonly unplaced: readonly UnplacedFinding[];
  readonly coverage: Coverage;
  /** Files whose diff is not whole, one sentence each. */
  readonly incomplete: readonly string[];
  readonly cancelled: boolean;
  /** True when there was no key and nobody asked for the rules alone. */
  readonly withoutKey: boolean;
  /** Null when no model was to be asked. */
  readonly estimate: RunEstimate | null;
  readonly milliseconds: number;
  readonly limits: ReviewLimits;
  readonly notes: readonly string[];
};

/** Nothing was reviewed. */
export type StoppedDraft = {
  readonly kind: 'stopped';
  readonly stop: Extract<RunStop, { reason: 'skipped' | 'failed' | 'cancelled' }>;
  readonly skipped: readonly SkippedFile[];
  readonly milliseconds: number;
  readonly limits: ReviewLimits;
  readonly notes: readonly string[];
};

/** A review that found nothing to do, or could not be done: it says so, and what stood before it stands. */
export function emptyReview(
  stop: StoppedDraft['stop'],
  known: {
    pullRequest: PullRequest | null;
    milliseconds: number;
    limits?: ReviewLimits;
    skipped?: Coverage['skipped'];
    notes?: readonly string[];
    /** What earlier runs found and still stands. */
    standing?: readonly Placement[];
  },
): Review {
  const outcome = stop.reason === 'cancelled' ? 'partial' : stop.reason;
  const placements = known.standing ?? [];
  const coverage = { reviewed: [], skipped: known.skipped ?? [], unread: [], unreviewed: [], earlier: [], missing: [] };
  return {
    outcome,
    stop,
    headline: headline({ outcome, stop }, placements, coverage),
    pullRequest: known.pullRequest,
    action: 'COMMENT',
    approved: false,
    rationale: '',
    event: 'COMMENT',
    placements,
    unplaced: [],
    nonSpecific: [],
    rawFreeText: null,
    coverage,
    walkthrough: [],
    batches: [],
    metrics: noMetrics,
    estimate: null,
    milliseconds: known.milliseconds,
    limits: known.limits ?? limitsOf(null, false),
    notes: known.notes ?? [],
    identity: null,
    scope: null,
    gone: [],
    earlierReviews: 0,
  };
}

/** The settings worth showing. `withModel` is false where no model could be asked. */
export function limitsOf(settings: Settings | null, withModel: boolean): ReviewLimits {
  return {
    profile: settings?.profile ?? '',
    model: settings === null || !withModel || settings.profile === 'offline' ? null : settings.model,
    maxIterations: settings?.maxIterations ?? 0,
    maxTotalTokens: settings?.maxTotalTokens ?? 0,
    timeoutMinutes: settings?.timeoutMinutes ?? 0,
    maxComments: settings?.maxComments ?? 0,
    maxCost: settings?.maxCost ?? null,
  };
}

export type BatchReview = {
  readonly report: BatchReport;
  readonly findings: readonly Finding[];
  readonly unplaced: readonly UnplacedFinding[];
  /** Not raised, and listed in the delivery. */
  readonly disproved: readonly DisprovedFinding[];
};
