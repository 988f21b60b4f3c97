import { readerFor } from '../codec.ts';
import { earlierStates } from '../findings/earlier.ts';
import { places, suppressors } from '../findings/finding.ts';
import { submissionSchema, submittedFindingSchema } from '../findings/submission.ts';
import { toldLineSchema } from '../findings/walkthrough.ts';
import { citationSchema } from '../findings/words.ts';
import { fullHash, scopeSchema } from '../history/memory.ts';
import { messageOrNullSchema, messageSchema } from '../messages/message-schema.ts';
import {
  anyText,
  count,
  countOrNull,
  exactly,
  type Infer,
  listOf,
  objectOrNull,
  onlyTrue,
  type Parsed,
  textOrNull,
  withOptional,
} from '../schema.ts';
import { reflectionSchema } from './reflect.ts';
import { batchSchema, coverageSchema, estimateSchema, limitsSchema, runStopSchema } from './review.ts';
import { shardPlanSchema } from './shards.ts';
import { deliverySchema } from './sink.ts';
import { stopWords } from './stops.ts';
import { outcomes } from './verdict.ts';

/** A link: `javascript:` is none. */
const addressOrNull = { ...textOrNull, pattern: '^https?://' } as const;

const {
  rule_id: ruleId,
  same_as: _,
  also_at: alsoAt,
  evidence: _list,
  ...submitted
} = submittedFindingSchema.properties;

/** A finding as the file tells it: flat, what `submit_review` takes and what Postil found out about it. */
const findingSchema = withOptional(
  exactly({
    ...submitted,
    ruleId,
    evidence: { ...anyText, description: 'What was read that proves it, with its places.' },
    id: { ...anyText, description: 'Unique in this report.' },
    startLine: { type: ['integer', 'null'], minimum: 1, description: 'First line, found from the quote.' },
    line: { type: ['integer', 'null'], minimum: 1, description: 'Last line.' },
    place: { enum: [...places, 'suppressed', 'standing'], description: 'Where people see it.' },
    reason: { ...messageOrNullSchema, description: 'Why it is there and not inline; null when it is inline.' },
    url: addressOrNull,
    source: { enum: ['model', 'rule'] },
    alsoAt,
  }),
  {
    columns: {
      ...exactly({ start: { type: 'integer', minimum: 1 }, end: { type: 'integer', minimum: 1 } }),
      description: 'Where in a long first line of the quote it is: characters from 1, the end exclusive.',
    },
    alsoMore: { ...count, description: 'How many more places there are than `alsoAt` names.' },
    note: { ...messageSchema, description: 'Stands behind the review.' },
    reviewMessages: listOf(messageSchema, 'The review as codes, where Postil wrote it.'),
    sameAs: anyText,
    citations: listOf(citationSchema, 'The places of the evidence.'),
    narrowed: {
      ...onlyTrue,
      description: 'Its lines are only those that the diff shows: the suggestion is for more.',
    },
    batch: { ...anyText, description: 'The batch whose conversation found it; a rule has none.' },
    hunk: { ...anyText, description: 'The lines of the diff around it, under their `@@` line.' },
    verification: { enum: ['confirmed', 'undecided'] },
    suppressedBy: { enum: suppressors, description: 'What kept it from being raised.' },
    proof: { ...exactly({ path: anyText, quote: anyText }), description: 'The line that disproved it.' },
    unplaced: withOptional(
      exactly({
        quote: { ...textOrNull, description: 'What the model took for the source.' },
        reason: messageSchema,
      }),
      { unreadable: { ...onlyTrue, description: 'Nobody could read it as a finding.' } },
    ),
    belowThreshold: { ...onlyTrue, description: '`min-severity` or `min-confidence` leaves it out.' },
    life: {
      enum: ['changed', 'returned'],
      description: 'Of an earlier finding: changed, not checked; or it came back.',
    },
  },
);
export type ReportedFinding = Infer<typeof findingSchema>;

const pullRequestSchema = exactly({
  repository: { ...textOrNull, pattern: '^[\\w.-]+/[\\w.-]+$', description: 'owner/name' },
  number: { type: ['integer', 'null'], minimum: 1 },
  serverUrl: { ...addressOrNull, description: 'Such as https://github.com.' },
  title: anyText,
  base: fullHash,
  mergeBase: fullHash,
  head: fullHash,
});

/** A call, a wait or a finding in the conversation of a batch. */
const timelineEntrySchema = exactly({
  batch: anyText,
  kind: { enum: ['model', 'tool', 'wait', 'finding', 'disproved', 'returned'] },
  at: { ...count, description: 'Milliseconds since the run began.' },
  milliseconds: count,
  name: { ...anyText, description: 'Phase of a model call, name of a tool, reason of a wait, title of a finding.' },
  asked: { ...textOrNull, description: 'What a tool was asked, at most 200 characters.' },
  outcome: { ...anyText, description: '`ok`, or what went wrong.' },
  characters: { ...countOrNull, description: 'Characters that a tool answered.' },
  inputTokens: countOrNull,
  outputTokens: countOrNull,
});
export type TimelineEntry = Infer<typeof timelineEntrySchema>;

const label = { type: 'string', maxLength: 300 } as const;

/** Only in a report that one job hands to another: who made the review, and what posting it takes beside the rest of the report. */
const originSchema = withOptional(
  exactly({
    name: label,
    run: label,
    settings: { type: 'string', pattern: '^[0-9a-f]{16}$', description: 'Digest of what the review depends on.' },
    found: listOf(anyText, 'Ids of the findings of this run: the others are of earlier ones.'),
    incomplete: listOf(messageSchema, 'Files whose diff is not whole, one sentence each.'),
    earlier: listOf(
      exactly({ id: label, state: { enum: earlierStates }, path: textOrNull, quote: textOrNull }),
      'What the model says became of earlier findings, each with its quote.',
    ),
    narrowed: listOf(anyText, 'Files of which the batches were shown a part: the rest was reviewed before.'),
    read: listOf(listOf(anyText), 'Other files that the conversation of each batch was shown or read.'),
  }),
  {
    basis: { type: 'string', pattern: '^[0-9a-f]{16}$', description: 'Digest of what a review rests on beside files.' },
    plan: { ...shardPlanSchema, description: 'Only of a job that plans: what the others review.' },
    shard: {
      ...exactly({
        number: count,
        plan: { type: 'string', pattern: '^[0-9a-f]{64}$', description: 'Digest of the plan.' },
      }),
      description: 'Only of a job that reviewed a part of a plan.',
    },
  },
);

/** The report file: the review as Postil keeps it, for other programs. What changes its meaning raises `schemaVersion`. */
export const reportSchema = withOptional(
  exactly({
    schemaVersion: { enum: [4] },
    postil: { ...anyText, description: 'Version of Postil.' },
    startedAt: { ...textOrNull, description: 'ISO 8601.' },
    runUrl: addressOrNull,
    outcome: { enum: outcomes },
    headline: anyText,
    headlineMessages: listOf(messageSchema, 'The same as codes with parameters, one for each sentence.'),
    stopReason: { enum: stopWords },
    stop: runStopSchema,
    pullRequest: { ...pullRequestSchema, ...objectOrNull },
    filesReview: listOf(findingSchema),
    nonSpecificReview: textOrNull,
    approval: submissionSchema.properties.approval,
    rawFreeText: { ...textOrNull, description: 'What could not be brought into findings.' },
    scope: { ...scopeSchema, ...objectOrNull, description: 'What was looked at; null when nothing was.' },
    ended: listOf(
      exactly({ title: anyText, life: { enum: ['fixed', 'gone'] } }),
      'Earlier findings that are fixed, or gone with their file.',
    ),
    coverage: coverageSchema,
    walkthrough: listOf(toldLineSchema, 'One line about each group of files, in the words of the model.'),
    deliveries: listOf(deliverySchema),
    batches: listOf(batchSchema),
    metrics: batchSchema.properties.metrics,
    estimate: {
      ...estimateSchema,
      ...objectOrNull,
      description: 'What the run was expected to take, before its first model call.',
    },
    limits: limitsSchema,
    timeline: listOf(timelineEntrySchema),
    reflection: {
      ...reflectionSchema,
      ...objectOrNull,
      description: 'How the model judged the run; null when it was not asked or did not answer.',
    },
    milliseconds: count,
    notes: listOf(messageSchema),
  }),
  {
    origin: originSchema,
    signature: { type: 'string', pattern: '^[0-9a-f]{64}$', description: 'Of all before it, where a job had a key.' },
  },
);
export type ReviewReport = Infer<typeof reportSchema>;

const readReport = readerFor(reportSchema);

/** Reads a report file. One of another version is refused in one sentence. */
export function parseReport(value: unknown): Parsed<ReviewReport> {
  const isVersioned = typeof value === 'object' && value !== null && 'schema_version' in value;
  if (!isVersioned || value.schema_version === 4) return readReport(value);
  return { ok: false, problems: ['another version of Postil wrote it: its schema_version is not 4'] };
}

/** Texts of the report that are written as they are, and why. All others lose their secrets. */
export const writtenAsTheyAre: Readonly<Record<string, string>> = {
  postil: 'our own version',
  startedAt: 'a time',
  runUrl: 'GitHub names it',
  'pullRequest.repository': 'GitHub names it, and the job that posts compares it',
  'pullRequest.serverUrl': 'GitHub names it',
  'pullRequest.base': 'a hash',
  'pullRequest.mergeBase': 'a hash',
  'pullRequest.head': 'a hash',
  'scope.since': 'a hash',
  'filesReview.id': 'counted by Postil',
  'filesReview.lines': 'two numbers',
  'filesReview.url': 'GitHub answered it',
  'deliveries.sink': 'one of our own names',
  'deliveries.url': 'GitHub answered it, or it is the path that the settings name',
  'deliveries.delivered.findingId': 'counted by Postil',
  'deliveries.delivered.url': 'GitHub answered it',
  'limits.profile': 'one of our own names',
  'origin.name': 'a setting that the job that posts compares',
  'origin.run': 'GitHub numbers it',
  'origin.settings': 'a digest',
  'origin.basis': 'a digest',
  'origin.found': 'counted by Postil',
  'origin.earlier.id': 'a digest that the job that posts looks up',
  'origin.plan.batches.files.path': 'the diff names it, and the job that reviews looks it up',
  'origin.shard.plan': 'a digest',
  signature: 'a digest',
};
