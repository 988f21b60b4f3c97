import { stopSchema } from '../agent/event.ts';
import { earlierStates } from '../findings/earlier.ts';
import { places, suppressors } from '../findings/finding.ts';
import { submissionSchema, submittedFindingSchema } from '../findings/submission.ts';
import { fullReasons } from '../memory/memory.ts';
import { stopWords } from '../review/headline.ts';
import { outcomes } from '../review/verdict.ts';
import { exactly, type Infer, listOf, parserFor, withOptional } from '../schema.ts';

const text = { type: 'string' } as const;
const nullableText = { type: ['string', 'null'] } as const;
const count = { type: 'integer', minimum: 0 } as const;
const countOrNull = { type: ['integer', 'null'], minimum: 0 } as const;
const cost = { type: ['number', 'null'], description: 'US$; null without `pricing`.' } as const;
const fullHash = { type: 'string', pattern: '^(?:[0-9a-f]{40}|[0-9a-f]{64})$' } as const;
/** A link: `javascript:` is none. */
const addressOrNull = { ...nullableText, pattern: '^https?://' } as const;
const objectOrNull = { type: ['object', 'null'] } as const;

/** A finding of the report file: what `submit_review` takes, and what Postil found out about it. */
const knownFindingSchema = exactly({
  ...submittedFindingSchema.properties,
  id: { type: 'string', description: 'Unique in this report.' },
  start_line: { type: ['integer', 'null'], minimum: 1, description: 'First line, found from the quote.' },
  line: { type: ['integer', 'null'], minimum: 1, description: 'Last line.' },
  place: { enum: [...places, 'suppressed', 'standing'], description: 'Where people see it.' },
  reason: { ...nullableText, description: 'Why it is there and not inline; null when it is inline.' },
  url: addressOrNull,
  source: { enum: ['model', 'rule'] },
  also_at: listOf(text),
  narrowed: {
    type: 'boolean',
    description: 'Its lines are only those that the diff shows: the suggestion is for more.',
  },
  batch: { ...nullableText, description: 'The batch whose conversation found it; null for a rule.' },
  hunk: { ...nullableText, description: 'The lines of the diff around it, under their `@@` line.' },
  verification: { enum: ['confirmed', 'undecided', null], description: 'Null when nothing verified it.' },
  suppressed_by: { enum: [...suppressors, 'people', null], description: 'What kept it from being raised.' },
  proof: {
    ...exactly({ path: text, quote: text }),
    ...objectOrNull,
    description: 'The line that disproved it.',
  },
  unplaced: {
    ...withOptional(
      exactly({ quote: { ...nullableText, description: 'What the model took for the source.' }, reason: text }),
      { unreadable: { enum: [true], description: 'Nobody could read it as a finding.' } },
    ),
    ...objectOrNull,
    description: 'Why it stands on no line; null for a finding with a place, or of a whole file.',
  },
});

/** Older reports do not say what became of an earlier finding. */
const findingSchema = {
  ...knownFindingSchema,
  properties: {
    ...knownFindingSchema.properties,
    below_threshold: { enum: [true], description: '`min-severity` or `min-confidence` leaves it out.' },
    life: {
      enum: ['changed', 'returned'],
      description: 'Of an earlier finding: changed, not checked; or it came back.',
    },
  },
} as const;

const fileAndReason = exactly({ path: text, reason: text });
const unreadFile = exactly({
  path: text,
  reason: text,
  code: { type: 'boolean', description: 'False when it is known to be no code.' },
});

const coverageSchema = exactly({
  reviewed: listOf(text),
  skipped: listOf(fileAndReason, 'Left out on purpose.'),
  unread: listOf(unreadFile, 'Neither reviewed nor left out on purpose.'),
  unreviewed: listOf(fileAndReason, 'Should have been reviewed and was not.'),
  earlier: listOf(text, 'Reviewed by an earlier run and not touched since.'),
  missing: listOf(text, 'What could not be read at all, one sentence each.'),
});

const scopeSchema = exactly({
  kind: { enum: ['full', 'incremental'] },
  since: {
    ...fullHash,
    ...nullableText,
    description: 'Full hash of the last reviewed head; null for a full review.',
  },
  why: { enum: [...fullReasons, null], description: 'Why the review was a full one; null for an incremental one.' },
});

const followUpSchema = exactly({
  file: text,
  lines: text,
  refused: { ...nullableText, description: 'Why the lines were not shown; null when they were.' },
  confirmed: count,
  removed: count,
  added: count,
  extra_tokens: count,
});

/** Of every tool: the name of a prototype must not be one. */
const toolNames = { pattern: '^[a-z]{1,20}(?:_[a-z]{1,20}){1,4}$' } as const;

const metricsSchema = exactly({
  input_tokens: { ...count, description: 'Cached ones included.' },
  cached_tokens: count,
  output_tokens: { ...count, description: 'Thinking included.' },
  thinking_tokens: count,
  total_tokens: { ...count, description: 'Input and output.' },
  estimated: { type: 'boolean', description: 'True when a provider did not report all calls.' },
  model_calls: count,
  iterations: { ...count, description: 'Model calls that offered a reading tool.' },
  tool_calls: count,
  tool_calls_by_name: { type: 'object', propertyNames: toolNames, additionalProperties: count },
  tools: {
    type: 'object',
    propertyNames: toolNames,
    additionalProperties: exactly({
      calls: count,
      milliseconds: count,
      cut: { ...count, description: 'Results that were too long.' },
    }),
  },
  phases: {
    type: 'object',
    additionalProperties: exactly({
      model_calls: count,
      input_tokens: count,
      cached_tokens: count,
      output_tokens: count,
      cost,
    }),
  },
  cost,
});

const estimateSchema = exactly({ model_calls: count, input_tokens: count, output_tokens: count, cost });

const limitsSchema = exactly({
  max_iterations: count,
  max_total_tokens: count,
  max_cost: { type: ['number', 'null'], description: 'US$.' },
  timeout_minutes: { type: 'number' },
  max_comments: count,
});

const batchSchema = exactly({
  name: text,
  paths: listOf(text),
  reviewed: { type: 'boolean' },
  gap: { ...nullableText, description: 'What was not reviewed, and why; null when all was.' },
  stop: stopSchema,
  follow_up: {
    ...followUpSchema,
    ...objectOrNull,
    description: 'Lines that the model asked to see in the follow-up profile.',
  },
  metrics: metricsSchema,
});

const deliverySchema = exactly({
  sink: text,
  status: { enum: ['delivered', 'skipped', 'refused', 'failed'] },
  reason: nullableText,
  url: nullableText,
  findings: listOf(text, 'Ids of the findings it delivered.'),
});

const pullRequestSchema = exactly({
  repository: { ...nullableText, pattern: '^[\\w.-]+/[\\w.-]+$', description: 'owner/name' },
  number: { type: ['integer', 'null'], minimum: 1 },
  server_url: { ...addressOrNull, description: 'Such as https://github.com.' },
  title: text,
  base: fullHash,
  merge_base: fullHash,
  head: fullHash,
});

/** When what happened in the conversations of the batches. */
const timelineEntrySchema = exactly({
  batch: text,
  kind: { enum: ['model', 'tool', 'wait', 'finding', 'disproved', 'returned'] },
  at: { ...count, description: 'Milliseconds since the run began.' },
  milliseconds: count,
  name: { type: 'string', description: 'Phase of a model call, name of a tool, reason of a wait, title of a finding.' },
  asked: { ...nullableText, description: 'What a tool was asked, at most 200 characters.' },
  outcome: { type: 'string', description: '`ok`, or what went wrong.' },
  characters: { ...countOrNull, description: 'Characters that a tool answered.' },
  input_tokens: countOrNull,
  output_tokens: countOrNull,
  finding: { ...nullableText, description: 'Id of the finding that was accepted or disproved.' },
});

export type TimelineEntry = Infer<typeof timelineEntrySchema>;

const { approval, walkthrough } = submissionSchema.properties;
const label = { type: 'string', maxLength: 300 } as const;

/** Only in a report that one job hands to another: who made the review, and what posting it takes beside the rest of the report. */
const knownOriginSchema = exactly({
  name: label,
  run: label,
  settings: { type: 'string', pattern: '^[0-9a-f]{16}$', description: 'Digest of what the review depends on.' },
  found: listOf(text, 'Ids of the findings of this run: the others are of earlier ones.'),
  incomplete: listOf(text, 'Files whose diff is not whole, one sentence each.'),
  batches: listOf(
    exactly({
      approval: { ...approval, ...objectOrNull },
      non_specific_review: nullableText,
      raw_free_text: nullableText,
    }),
    'What the model said of each of `batches`.',
  ),
  stopped: {
    ...exactly({ reason: { enum: ['skipped', 'nothing', 'failed', 'cancelled'] }, why: text }),
    ...objectOrNull,
    description: 'Why nothing was reviewed; null where something was.',
  },
});

const originSchema = {
  ...knownOriginSchema,
  properties: {
    ...knownOriginSchema.properties,
    earlier: listOf(
      exactly({ id: label, state: { enum: earlierStates }, path: nullableText, quote: nullableText }),
      'What the model says became of earlier findings, each with its quote; files of older versions have none.',
    ),
  },
} as const;

const everyReport = exactly({
  schema_version: { enum: [2] },
  postil: { type: 'string', description: 'Version of Postil.' },
  started_at: { ...nullableText, description: 'ISO 8601.' },
  run_url: addressOrNull,
  outcome: { enum: outcomes },
  headline: text,
  stop_reason: { enum: stopWords },
  pull_request: { ...pullRequestSchema, ...objectOrNull },
  files_review: listOf(findingSchema),
  non_specific_review: nullableText,
  approval,
  raw_free_text: { ...nullableText, description: 'What could not be brought into findings.' },
  scope: { ...scopeSchema, ...objectOrNull },
  outdated: listOf(text, 'Titles of earlier findings that are fixed, or gone with their file.'),
  coverage: coverageSchema,
  walkthrough,
  deliveries: listOf(deliverySchema),
  batches: listOf(batchSchema),
  metrics: metricsSchema,
  estimate: {
    ...estimateSchema,
    ...objectOrNull,
    description: 'What the run was expected to take, before its first model call.',
  },
  limits: limitsSchema,
  timeline: listOf(timelineEntrySchema),
  reflection: {
    ...exactly({ confidence: { type: 'number' }, quality: { type: 'number' }, issues: listOf(text) }),
    ...objectOrNull,
    description: 'How the model judged the run; null when it was not asked or did not answer.',
  },
  milliseconds: count,
  model: nullableText,
  profile: text,
  notes: listOf(text),
});

/** The report file: the review as Postil keeps it, for other programs. What changes its meaning raises `schema_version`. */
export const reviewReportSchema = {
  ...everyReport,
  properties: {
    ...everyReport.properties,
    /** Older reports hold the titles alone. */
    ended: listOf(exactly({ title: text, life: { enum: ['fixed', 'gone'] } }), 'The same, with how each ended.'),
    origin: originSchema,
  },
};

export type ReviewReport = Infer<typeof reviewReportSchema>;
/** Tells the first problem alone: a report may come from a stranger. */
export const parseReviewReport = parserFor(reviewReportSchema, { firstProblem: true });
