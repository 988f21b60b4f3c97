import { stopSchema } from '../agent/event.ts';
import { type AgentMetrics, metricsSchema } from '../agent/meter.ts';
import type { PlacedFinding } from '../findings/finding.ts';
import { type Action, submissionSchema } from '../findings/submission.ts';
import type { WalkthroughLine } from '../findings/walkthrough.ts';
import type { Asked } from '../history/asked.ts';
import type { AnswerMark } from '../history/mark.ts';
import type { KnownPart, PriorFinding, ReviewedScope, RunIdentity } from '../history/memory.ts';
import type { Readings } from '../history/receipts/receipts.ts';
import type { State } from '../history/state.ts';
import type { Message } from '../messages/message.ts';
import { messageOrNullSchema, messageSchema } from '../messages/message-schema.ts';
import type { PullRequest } from '../pull-request/pull-request.ts';
import { unreadFileSchema } from '../pull-request/select-files.ts';
import type { Side } from '../repository/repository.ts';
import {
  anyText,
  costOrNull,
  count,
  exactly,
  type Infer,
  listOf,
  objectOrNull,
  oneOf,
  onlyTrue,
  textOrNull,
  withOptional,
  yesOrNo,
} from '../schema.ts';
import type { Facts, Outcome } from './verdict.ts';

/** Why the whole run ended as it did: the value of the `stop-reason` output. */
export const runStopSchema = oneOf('reason', [
  exactly({ reason: { enum: ['completed'] } }),
  withOptional(exactly({ reason: { enum: ['skipped'] }, why: messageSchema }), {
    nothing: {
      ...onlyTrue,
      description: 'There was nothing in the change to review, rather than something that was left.',
    },
    paused: { ...onlyTrue, description: 'Somebody asked for no reviews on pushes. No gate passes by that.' },
    byAuthor: {
      ...onlyTrue,
      description:
        "The pull request's author may decide that, by its title, base branch, or size. No gate passes by that.",
    },
    planned: { ...onlyTrue, description: 'Other jobs review what this one planned.' },
  }),
  exactly({ reason: { enum: ['no-key'] } }),
  withOptional(exactly({ reason: { enum: ['incomplete'] }, why: listOf(messageSchema), stop: stopSchema }), {
    of: { enum: ['answer'], description: 'Where no stop says it, what could not be read.' },
  }),
  exactly({
    reason: {
      enum: ['earlier-unknown'],
      description: 'The existing comments could not be read, so nobody knows what was found before.',
    },
  }),
  exactly({
    reason: { enum: ['unexplained'], description: 'The model asked for changes, and named nothing to change.' },
  }),
  withOptional(
    exactly({ reason: { enum: ['unplaced'] }, count: { ...count, description: 'Findings whose code was not found.' } }),
    { unread: { ...onlyTrue, description: 'All of them could not be read at all.' } },
  ),
  exactly({
    reason: { enum: ['unread'], description: 'Everything that could be read was reviewed.' },
    files: listOf(unreadFileSchema),
  }),
  exactly({ reason: { enum: ['cancelled'] } }),
  withOptional(exactly({ reason: { enum: ['failed'] }, message: anyText, hint: anyText }), {
    stop: { ...stopSchema, description: 'Why the model stopped, where that is the reason.' },
  }),
]);
export type RunStop = Infer<typeof runStopSchema>;

const followUpSchema = exactly({
  file: anyText,
  lines: { ...anyText, description: 'Such as `10-25`; empty when none were given.' },
  refused: {
    ...messageOrNullSchema,
    description: 'Why the model was not shown them, or said nothing of use; null when it was and did.',
  },
  confirmed: { ...count, description: 'Findings of the first call.' },
  removed: count,
  added: { ...count, description: 'Findings of the second call.' },
  extraTokens: { ...count, description: 'Input and output of the second call.' },
});
export type FollowUpReport = Infer<typeof followUpSchema>;

export const batchSchema = exactly({
  name: anyText,
  paths: listOf(anyText),
  stop: stopSchema,
  reviewed: { ...yesOrNo, description: 'True when the model gave a review of this batch, be it at a limit.' },
  gap: { ...messageOrNullSchema, description: 'What was not reviewed, and why; null when all was.' },
  approval: { ...submissionSchema.properties.approval, ...objectOrNull },
  nonSpecificReview: textOrNull,
  rawFreeText: {
    ...textOrNull,
    description: 'What the model wrote when it could not be brought into findings.',
  },
  followUp: {
    ...followUpSchema,
    ...objectOrNull,
    description: 'Lines that the model asked to see after its one call; null when it asked for none.',
  },
  metrics: metricsSchema,
});

/** How the review of one batch ended. */
export type BatchReport = Infer<typeof batchSchema> & {
  /** One line about each group of its files, as far as the model wrote one. */
  readonly walkthrough: readonly WalkthroughLine[];
};

export type Metrics = AgentMetrics;

const fileAndReason = exactly({ path: anyText, reason: messageSchema });
export type SkippedFile = Infer<typeof fileAndReason>;

/** Every changed file stands in one of these lists, but `missing`. */
export const coverageSchema = exactly({
  reviewed: listOf(anyText),
  skipped: listOf(fileAndReason, 'Excluded by the workflow, or without anything to review.'),
  unread: listOf(unreadFileSchema, 'Neither reviewed nor left out on purpose, and no run can change that.'),
  unreviewed: listOf(fileAndReason, 'Should have been reviewed and was not, because of a limit or a failure.'),
  earlier: listOf(anyText, 'Reviewed by an earlier run and not touched since.'),
  missing: listOf(messageSchema, 'What could not be read at all (files beyond an API limit, say), one sentence each.'),
});
export type Coverage = Infer<typeof coverageSchema>;

/** `changed`: lines added and deleted. */
export type Size = { readonly files: number; readonly changed: number };

/** The composed review: a value. Nothing is posted before it exists. */
export type Review = {
  /** What the verdict rests on, before anything is delivered. */
  readonly facts: Facts;
  readonly outcome: Outcome;
  readonly stop: RunStop;
  /** What came out, in sentences: the first is the title. */
  readonly headline: readonly Message[];
  /** Why an approval that everything else supports is not given, one sentence; null where none is withheld. */
  readonly withheld: Message | null;
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
  /** Of what is reviewed, now, before or later; null where the diff was not read. */
  readonly size: Size | null;
  /** Files of which not everything is proven: the next run reviews them again. */
  readonly unproven: readonly string[];
  /** Files that the model did not approve, though nothing is open about them. */
  readonly doubted: readonly string[];
  /** What was reviewed whole, for the next run; left out where that is not known yet, null where nothing was. */
  readonly readings?: Readings | null;
  /** What changes in each group of files and what was checked there, in the order of the diff. */
  readonly walkthrough: readonly WalkthroughLine[];
  readonly batches: readonly BatchReport[];
  readonly metrics: Metrics;
  /** Null when no model was to be asked. */
  readonly estimate: RunEstimate | null;
  readonly milliseconds: number;
  /** Settings worth showing, such as model and profile: no secrets. */
  readonly limits: ReviewLimits;
  readonly notes: readonly Message[];
  /** Who speaks in our comments; null on a laptop. */
  readonly identity: RunIdentity | null;
  /** What was looked at; null when nothing was, and on a laptop. */
  readonly scope: ReviewedScope | null;
  /** Findings of earlier runs that are fixed, or gone with their file: their comments are closed. */
  readonly gone: readonly PriorFinding[];
  /** True when its marks are signed: then people can decline its findings by their ids. */
  readonly signs?: boolean;
  /** All findings of earlier runs that are signed, each with what this run makes of it: one place stands for all. */
  readonly lives: readonly PriorFinding[];
  /** What earlier rounds leave to the next one; null where nothing is remembered. */
  readonly round: Round | null;
  /** What a comment is answered, null: only by a reaction; left out where nobody asked, or asked for this review. */
  readonly answer?: Answer | null;
  /** Jobs that are to review what this one planned; left out where it planned nothing. */
  readonly shards?: number;
};

/** What a review adds to the state of its pull request. */
export type Round = {
  /** Of the state that it writes. */
  readonly number: number;
  readonly before: State | null;
  /** How many runs of this name reviewed the pull request before. */
  readonly reviews: number;
  /** Which complete reading this is, of the file that was read most often; 0 where none was read. */
  readonly reading: number;
  /** Every place of every finding of earlier rounds, with its life now. */
  readonly parts: readonly PriorFinding[];
  /** Threads that say what an older one says. */
  readonly twins: readonly KnownPart[];
};

/** What a run was expected to take, reported before its first model call. */
export const estimateSchema = exactly({
  modelCalls: count,
  input: { ...count, description: 'Tokens, over all calls.' },
  output: count,
  cost: costOrNull,
});
export type RunEstimate = Infer<typeof estimateSchema>;

export const limitsSchema = exactly({
  profile: anyText,
  model: textOrNull,
  maxIterations: count,
  maxTotalTokens: count,
  timeoutMinutes: { type: 'number' },
  maxComments: count,
  maxCost: { type: ['number', 'null'], description: 'US$ of the whole run; null when nothing is set.' },
});
export type ReviewLimits = Infer<typeof limitsSchema>;

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
  /** The same for the file, where GitHub does not take it on its lines: it names them, and offers nothing to commit. */
  readonly onFile: string;
};

/** A comment on a file of the diff as a whole. GitHub takes it only outside a review. */
export type FileComment = {
  readonly findingIds: readonly string[];
  readonly path: string;
  readonly body: string;
};

/** Lines at the reviewed head, 1-based and inclusive. */
export type SourcePlace = { readonly path: string; readonly startLine: number; readonly endLine: number };

/** What somebody is answered who asked in a comment: a value, before anything is posted. */
export type Answer = {
  readonly asked: Asked;
  /** Markdown, as the model or Postil wrote it: whoever posts it makes it harmless. */
  readonly text: string;
  /** What it could not find; null when nothing is missing. */
  readonly notFound: string | null;
  /** What it cites, looked up: the most important first. */
  readonly places: readonly SourcePlace[];
  /** Of the finding that it is about; null where it is about none. */
  readonly about: string | null;
  /** What it makes of that finding, and the line that proves it; left out where it judges nothing. */
  readonly verdict?: AnswerMark['verdict'];
  readonly proof?: SourcePlace;
  /** What the finding and its proof stand in. */
  readonly around?: AnswerMark['around'];
  /** What would take the place of the finding's lines; `applies`: in the thread, with a click. */
  readonly suggestion: { readonly code: string; readonly applies: boolean } | null;
  /** False where what was asked could not be done: the text says why. */
  readonly isDone: boolean;
  /** The check of the pull request may come to something else after it. */
  readonly movesGate: boolean;
};

/** An answer that only says something. */
export const plainAnswer = {
  ...{ notFound: null, places: [], about: null, suggestion: null },
  ...{ isDone: true, movesGate: false },
} as const;
