import type { Placement } from '../findings/placement.ts';
import type { PullRequest } from '../pull-request/pull-request.ts';
import type { Settings } from '../settings/settings.ts';
import type { StoppedDraft } from './draft.ts';
import { headline } from './headline.ts';
import { noMetrics } from './metrics.ts';
import type { Coverage, Review, ReviewLimits } from './review.ts';

type Known = {
  readonly pullRequest: PullRequest | null;
  readonly milliseconds: number;
  readonly limits?: ReviewLimits;
  readonly skipped?: Coverage['skipped'];
  readonly notes?: readonly string[];
  /** What earlier runs found and still stands. */
  readonly standing?: readonly Placement[];
};

/** A review that found nothing to do, or could not be done: it says so, and what stood before it stands. */
export function emptyReview(stop: StoppedDraft['stop'], known: Known): Review {
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
    refused: [],
    nonSpecific: [],
    rawFreeText: null,
    coverage,
    bundles: [],
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
