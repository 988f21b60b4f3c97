import type { EarlierAnswer } from '../findings/earlier.ts';
import type { Finding } from '../findings/finding.ts';
import type { ReviewedScope } from '../history/memory.ts';
import type { Message } from '../messages/message.ts';
import type { Settings } from '../settings/settings.ts';
import type { BatchReport, Coverage, ReviewLimits, RunEstimate, RunStop, SkippedFile } from './review.ts';
import type { ShardPlan } from './shards.ts';

/** What rules and model came to, before it is compared with earlier runs and placed: plain data that may cross from one job to another. */
export type ReviewDraft = ReviewedDraft | StoppedDraft;

export type ReviewedDraft = {
  readonly kind: 'reviewed';
  readonly scope: ReviewedScope;
  readonly batches: readonly BatchReview[];
  readonly ruleFindings: readonly Finding[];
  /** What the review of each file rests on beside files: see `Readings`. Null where that is not known. */
  readonly basis: string | null;
  /** Files of which the batches were shown a part, as the rest was reviewed before. */
  readonly narrowed: readonly string[];
  /** What became of earlier findings whose lines changed, one answer each at most. */
  readonly earlier: readonly EarlierAnswer[];
  /** Found, and kept from being raised by comments in the code. */
  readonly ignored: readonly Finding[];
  readonly coverage: Coverage;
  /** Files whose diff is not whole, one sentence each. */
  readonly incomplete: readonly Message[];
  readonly cancelled: boolean;
  /** True when there was no key and nobody asked for the rules alone. */
  readonly withoutKey: boolean;
  /** Null when no model was to be asked. */
  readonly estimate: RunEstimate | null;
  readonly milliseconds: number;
  readonly limits: ReviewLimits;
  readonly notes: readonly Message[];
  /** How it is divided over other jobs: then this one has reviewed nothing of it with a model. Left out everywhere else. */
  readonly plan?: ShardPlan;
  /** What each job came to, of a review that several made; left out where one did. */
  readonly shards?: readonly ShardRun[];
};

/** One job of several: what it had, and which batches it was for. */
export type ShardRun = {
  readonly number: number;
  /** Names of its batches. */
  readonly batches: readonly string[];
  readonly limits: Pick<ReviewLimits, 'maxTotalTokens' | 'timeoutMinutes' | 'maxCost'>;
  readonly milliseconds: number;
};

/** Nothing was reviewed. */
export type StoppedDraft = {
  readonly kind: 'stopped';
  readonly stop: Extract<RunStop, { reason: 'skipped' | 'failed' | 'cancelled' }>;
  readonly skipped: readonly SkippedFile[];
  readonly milliseconds: number;
  readonly limits: ReviewLimits;
  readonly notes: readonly Message[];
};

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
  /** What it says of the earlier findings that it was asked about; left out where there were none. */
  readonly earlier?: readonly EarlierAnswer[];
  /** Not raised, and listed in the delivery. */
  readonly disproved: readonly Finding[];
  /** Files at head of which its conversation was shown or read something, but for its own. */
  readonly read: readonly string[];
};
