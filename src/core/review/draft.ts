import type { Finding } from '../findings/finding.ts';
import type { ReviewedScope } from '../memory/memory.ts';
import type { IgnoredFinding } from '../rules/obey-comments.ts';
import type { Coverage, RefusedFinding, ReviewLimits, RunEstimate, RunStop, SkippedFile } from './review.ts';
import type { BundleReview } from './review-bundle.ts';

/** What rules and model came to, before it is compared with earlier runs and placed: plain data that may cross from one job to another. */
export type ReviewDraft = ReviewedDraft | StoppedDraft;

export type ReviewedDraft = {
  readonly kind: 'reviewed';
  readonly scope: ReviewedScope;
  readonly bundles: readonly BundleReview[];
  readonly ruleFindings: readonly Finding[];
  /** Found, and kept from being raised by comments in the code. */
  readonly ignored: readonly IgnoredFinding[];
  /** Findings that belong to no bundle and could not be accepted. */
  readonly refused: readonly RefusedFinding[];
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
