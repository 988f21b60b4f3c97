import type { StopReason } from '../agent/event.ts';
import type { AgentMetrics } from '../agent/meter.ts';
import type { PlacedFinding } from '../findings/finding.ts';
import type { Action, Approval, FileNote } from '../findings/submission.ts';
import type { PriorFinding, ReviewedScope, RunIdentity } from '../memory/memory.ts';
import type { PullRequest } from '../pull-request/pull-request.ts';
import type { UnreadFile } from '../pull-request/select-files.ts';
import type { Side } from '../repository/repository.ts';
import type { Facts, Outcome } from './verdict.ts';

/** Why the whole run ended as it did: the value of the `stop-reason` output. */
export type RunStop =
  | { readonly reason: 'completed' }
  /** `nothing`: there was nothing in the change to review, rather than something that was left. */
  | { readonly reason: 'skipped'; readonly why: string; readonly nothing?: true }
  | { readonly reason: 'no-key' }
  /** `of`: where no stop says it, what could not be read. */
  | { readonly reason: 'incomplete'; readonly why: string; readonly stop: StopReason; readonly of?: 'answer' }
  /** The existing comments could not be read, so nobody knows what was found before. */
  | { readonly reason: 'earlier-unknown' }
  /** The model asked for changes, and named nothing to change. */
  | { readonly reason: 'unexplained' }
  /** Findings whose code was not found; `unread`: all of them could not be read at all. */
  | { readonly reason: 'unplaced'; readonly count: number; readonly unread?: true }
  /** Everything that could be read was reviewed. */
  | { readonly reason: 'unread'; readonly files: readonly UnreadFile[] }
  | { readonly reason: 'cancelled' }
  /** `label`: the message in a few words, where there are some. */
  | { readonly reason: 'failed'; readonly message: string; readonly hint: string; readonly label?: string };

export type SkippedFile = { readonly path: string; readonly reason: string };

/** How the review of one batch ended. */
export type BatchReport = {
  readonly name: string;
  readonly paths: readonly string[];
  readonly stop: StopReason;
  /** True when the model gave a review of this batch, be it at a limit. */
  readonly reviewed: boolean;
  /** What of the batch was not reviewed, and why; null when all was. */
  readonly gap: string | null;
  readonly approval: Approval | null;
  /** One line about each of its files, as far as the model wrote one. */
  readonly walkthrough: readonly FileNote[];
  readonly nonSpecificReview: string | null;
  /** What the model wrote when it could not be brought into the schema. */
  readonly rawFreeText: string | null;
  /** Lines that the model asked to see after its one call; null when it asked for none, and in profiles with tools. */
  readonly followUp: FollowUpReport | null;
  readonly metrics: Metrics;
};

export type FollowUpReport = {
  readonly file: string;
  /** Such as `10-25`; empty when none were given. */
  readonly lines: string;
  /** Why the model was not shown them, or said nothing of use; null when it was and did. */
  readonly refused: string | null;
  /** Findings of the first call. */
  readonly confirmed: number;
  readonly removed: number;
  /** Findings of the second call. */
  readonly added: number;
  /** Input and output of the second call. */
  readonly extraTokens: number;
};

export type Metrics = AgentMetrics;

/** Every changed file stands in one of these lists, but `missing`. */
export type Coverage = {
  readonly reviewed: readonly string[];
  /** Excluded by the workflow, or without anything to review. */
  readonly skipped: readonly SkippedFile[];
  /** Neither reviewed nor excluded, and no run can change that: the model may not read it, or there is nothing to read. */
  readonly unread: readonly UnreadFile[];
  /** Files that should have been reviewed and were not, because of a limit or a failure; with the reason. */
  readonly unreviewed: readonly SkippedFile[];
  /** Files whose change an earlier run reviewed and no push touched since. */
  readonly earlier: readonly string[];
  /** What could not be read at all (files beyond an API limit, say), one sentence each. */
  readonly missing: readonly string[];
};

/** The composed review: a value. Nothing is posted before it exists. */
export type Review = {
  /** What the verdict rests on, before anything is delivered. */
  readonly facts: Facts;
  readonly outcome: Outcome;
  readonly stop: RunStop;
  /** One line for a person: what came out. */
  readonly headline: string;
  /** Why an approval that everything else supports is not given, one sentence; null where none is withheld. */
  readonly withheld: string | null;
  readonly pullRequest: PullRequest | null;
  readonly action: Action;
  readonly approved: boolean;
  readonly rationale: string;
  /** With which event it is posted: decided by settings and outcome, never by the model alone. */
  readonly event: PostEvent;
  /** Ranked, most important first: everything that is delivered. */
  readonly findings: readonly PlacedFinding[];
  readonly nonSpecific: readonly string[];
  readonly rawFreeText: string | null;
  readonly coverage: Coverage;
  /** Files of which not everything is proven: the next run reviews them again. */
  readonly unproven: readonly string[];
  /** Files that the model did not approve, though nothing is open about them. */
  readonly doubted: readonly string[];
  /** What changes in each reviewed file and what was checked there, in the order of the diff. */
  readonly walkthrough: readonly FileNote[];
  readonly batches: readonly BatchReport[];
  readonly metrics: Metrics;
  /** Null when no model was to be asked. */
  readonly estimate: RunEstimate | null;
  readonly milliseconds: number;
  /** Settings worth showing, such as model and profile: no secrets. */
  readonly limits: ReviewLimits;
  readonly notes: readonly string[];
  /** Who speaks in our comments; null on a laptop. */
  readonly identity: RunIdentity | null;
  /** What was looked at; null when nothing was, and on a laptop. */
  readonly scope: ReviewedScope | null;
  /** Findings of earlier runs that are fixed, or gone with their file: their comments are closed. */
  readonly gone: readonly PriorFinding[];
  /** True when its marks are signed: then people can decline its findings by their ids. */
  readonly signs?: boolean;
  /** All findings of earlier runs that are signed, each with what this run makes of it. */
  readonly lives: readonly PriorFinding[];
  /** How many runs of this name reviewed the pull request before. */
  readonly earlierReviews: number;
};

/** What a run was expected to take, reported before its first model call. */
export type RunEstimate = {
  readonly modelCalls: number;
  /** Tokens, over all calls. */
  readonly input: number;
  readonly output: number;
  /** US$; null without a price. */
  readonly cost: number | null;
};

export type ReviewLimits = {
  readonly profile: string;
  readonly model: string | null;
  readonly maxIterations: number;
  readonly maxTotalTokens: number;
  readonly timeoutMinutes: number;
  readonly maxComments: number;
  /** US$ of the whole run; null when nothing is set. */
  readonly maxCost: number | null;
};

export type PostEvent = 'COMMENT' | 'REQUEST_CHANGES' | 'APPROVE';

/** One pull request review, rendered and sanitised: what is sent, apart from how it is cut into requests. */
export type ReviewPost = {
  /** COMMENT unless the workflow's author allowed more; the model alone never decides it. */
  readonly event: PostEvent;
  /** Full hash of the commit that was reviewed: comments anchor to it, wherever the head is now. */
  readonly commit: string;
  /** Markdown, at most 65,536 characters; empty when the comments say it all. */
  readonly body: string;
  /** Ids of the findings that the body tells. */
  readonly bodyFindings: readonly string[];
  readonly comments: readonly ReviewComment[];
  readonly fileComments: readonly FileComment[];
};

/** A comment on lines of the diff. `path` is as the diff knows it; lines are 1-based, `startLine` null for a single line. */
export type ReviewComment = {
  readonly findingIds: readonly string[];
  readonly path: string;
  readonly side: Side;
  readonly startLine: number | null;
  readonly line: number;
  readonly body: string;
};

/** A comment on a file of the diff as a whole. GitHub takes it only outside a review. */
export type FileComment = {
  readonly findingIds: readonly string[];
  readonly path: string;
  readonly body: string;
};
