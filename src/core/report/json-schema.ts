import { places, suppressors } from '../findings/finding.ts';
import { submissionSchema, submittedFindingSchema } from '../findings/submission.ts';
import { fullReasons } from '../memory/memory.ts';
import { stopWords } from '../review/headline.ts';
import { outcomes } from '../review/review.ts';
import { type Infer, parserFor } from '../schema.ts';
import {
  estimateSchema,
  limitsSchema,
  metricsSchema,
  reflectionSchema,
  timelineEntrySchema,
} from './metrics-schema.ts';

/** A finding of the report file: what `submit_review` takes, and what Postil found out about it. */
const findingReportSchema = {
  type: 'object',
  additionalProperties: false,
  required: [
    ...submittedFindingSchema.required,
    'id',
    'start_line',
    'line',
    'place',
    'reason',
    'url',
    'source',
    'also_at',
    'narrowed',
    'batch',
    'hunk',
    'verification',
    'suppressed_by',
    'proof',
  ],
  properties: {
    ...submittedFindingSchema.properties,
    id: { type: 'string', description: 'Unique in this report.' },
    start_line: { type: ['integer', 'null'], minimum: 1, description: 'First line, found from the quote.' },
    line: { type: ['integer', 'null'], minimum: 1, description: 'Last line.' },
    place: { enum: [...places, 'suppressed', 'standing'], description: 'Where people see it.' },
    reason: { type: ['string', 'null'], description: 'Why it is there and not inline; null when it is inline.' },
    url: { type: ['string', 'null'] },
    source: { enum: ['model', 'rule'] },
    also_at: { type: 'array', items: { type: 'string' } },
    narrowed: {
      type: 'boolean',
      description: 'Its lines are only those that the diff shows: the suggestion is for more.',
    },
    batch: { type: ['string', 'null'], description: 'The batch whose conversation found it; null for a rule.' },
    hunk: { type: ['string', 'null'], description: 'The lines of the diff around it, under their `@@` line.' },
    verification: { enum: ['confirmed', 'undecided', null], description: 'Null when nothing verified it.' },
    suppressed_by: { enum: [...suppressors, 'people', null], description: 'What kept it from being raised.' },
    proof: {
      type: ['object', 'null'],
      additionalProperties: false,
      required: ['path', 'quote'],
      properties: { path: { type: 'string' }, quote: { type: 'string' } },
      description: 'The line that disproved it.',
    },
  },
} as const;

const text = { type: 'string' } as const;
const nullableText = { type: ['string', 'null'] } as const;
const count = { type: 'integer', minimum: 0 } as const;
const hash = '^(?:[0-9a-f]{40}|[0-9a-f]{64})$';

const fileAndReasonSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['path', 'reason'],
  properties: { path: text, reason: text },
} as const;

const unreadSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['path', 'reason', 'code'],
  properties: {
    path: text,
    reason: text,
    code: { type: 'boolean', description: 'False when it is known to be no code.' },
  },
} as const;

const coverageSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['reviewed', 'skipped', 'unread', 'unreviewed', 'earlier', 'missing'],
  properties: {
    reviewed: { type: 'array', items: text },
    skipped: { type: 'array', items: fileAndReasonSchema, description: 'Left out on purpose.' },
    unread: { type: 'array', items: unreadSchema, description: 'Neither reviewed nor left out on purpose.' },
    unreviewed: { type: 'array', items: fileAndReasonSchema, description: 'Should have been reviewed and was not.' },
    earlier: { type: 'array', items: text, description: 'Reviewed by an earlier run and not touched since.' },
    missing: { type: 'array', items: text, description: 'What could not be read at all, one sentence each.' },
  },
} as const;

const scopeSchema = {
  type: ['object', 'null'],
  additionalProperties: false,
  required: ['kind', 'since', 'why'],
  properties: {
    kind: { enum: ['full', 'incremental'] },
    since: {
      type: ['string', 'null'],
      pattern: hash,
      description: 'Full hash of the last reviewed head; null for a full review.',
    },
    why: { enum: [...fullReasons, null], description: 'Why the review was a full one; null for an incremental one.' },
  },
} as const;

const followUpSchema = {
  type: ['object', 'null'],
  additionalProperties: false,
  required: ['file', 'lines', 'refused', 'confirmed', 'removed', 'added', 'extra_tokens'],
  properties: {
    file: text,
    lines: text,
    refused: { type: ['string', 'null'], description: 'Why the lines were not shown; null when they were.' },
    confirmed: count,
    removed: count,
    added: count,
    extra_tokens: count,
  },
  description: 'Lines that the model asked to see in the follow-up profile.',
} as const;

const batchSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['name', 'paths', 'reviewed', 'gap', 'stop', 'follow_up', 'metrics'],
  properties: {
    name: text,
    paths: { type: 'array', items: text },
    reviewed: { type: 'boolean' },
    gap: { type: ['string', 'null'], description: 'What was not reviewed, and why; null when all was.' },
    stop: { type: 'string', description: 'Why the run of the model ended, one sentence.' },
    follow_up: followUpSchema,
    metrics: metricsSchema,
  },
} as const;

const refusedSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['title', 'path', 'quote', 'reason'],
  properties: {
    title: text,
    path: text,
    quote: { type: ['string', 'null'], description: 'What it took for the source.' },
    reason: text,
  },
} as const;

const deliverySchema = {
  type: 'object',
  additionalProperties: false,
  required: ['sink', 'status', 'reason', 'url', 'findings'],
  properties: {
    sink: text,
    status: { enum: ['delivered', 'skipped', 'refused', 'failed'] },
    reason: nullableText,
    url: nullableText,
    findings: { type: 'array', items: text, description: 'Ids of the findings it delivered.' },
  },
} as const;

const pullRequestSchema = {
  type: ['object', 'null'],
  additionalProperties: false,
  required: ['repository', 'number', 'server_url', 'title', 'base', 'merge_base', 'head'],
  properties: {
    repository: { type: ['string', 'null'], pattern: '^[\\w.-]+/[\\w.-]+$', description: 'owner/name' },
    number: { type: ['integer', 'null'], minimum: 1 },
    server_url: { type: ['string', 'null'], description: 'Such as https://github.com.' },
    title: text,
    base: { type: 'string', pattern: hash, description: 'Full hash, as the next two.' },
    merge_base: { type: 'string', pattern: hash },
    head: { type: 'string', pattern: hash },
  },
} as const;

const label = { type: 'string', maxLength: 300 } as const;

/** Only in a report that one job hands to another: who made the review, and what posting it takes beside the rest of the report. */
const originSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['name', 'run', 'settings', 'found', 'incomplete', 'batches', 'stopped'],
  properties: {
    name: label,
    run: label,
    settings: { type: 'string', pattern: '^[0-9a-f]{16}$', description: 'Digest of what the review depends on.' },
    found: {
      type: 'array',
      items: text,
      description: 'Ids of the findings of this run: the others are of earlier ones.',
    },
    incomplete: { type: 'array', items: text, description: 'Files whose diff is not whole, one sentence each.' },
    batches: {
      type: 'array',
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['approval', 'non_specific_review', 'raw_free_text'],
        properties: {
          approval: { ...submissionSchema.properties.approval, type: ['object', 'null'] },
          non_specific_review: nullableText,
          raw_free_text: nullableText,
        },
      },
      description: 'What the model said of each of `batches`.',
    },
    stopped: {
      type: ['object', 'null'],
      additionalProperties: false,
      required: ['reason', 'why'],
      properties: { reason: { enum: ['skipped', 'nothing', 'failed', 'cancelled'] }, why: text },
      description: 'Why nothing was reviewed; null where something was.',
    },
  },
} as const;

/** The report file: the review as Postil keeps it, for other programs. What changes its meaning raises `schema_version`. */
export const reviewReportSchema = {
  type: 'object',
  additionalProperties: false,
  required: [
    'schema_version',
    'postil',
    'started_at',
    'run_url',
    'outcome',
    'headline',
    'stop_reason',
    'pull_request',
    'files_review',
    'non_specific_review',
    'approval',
    'raw_free_text',
    'scope',
    'outdated',
    'coverage',
    'walkthrough',
    'refused',
    'deliveries',
    'batches',
    'metrics',
    'estimate',
    'limits',
    'timeline',
    'reflection',
    'milliseconds',
    'model',
    'profile',
    'notes',
  ],
  properties: {
    schema_version: { enum: [2] },
    postil: { type: 'string', description: 'Version of Postil.' },
    started_at: { type: ['string', 'null'], description: 'ISO 8601.' },
    run_url: nullableText,
    outcome: { enum: outcomes },
    headline: text,
    stop_reason: { enum: stopWords },
    pull_request: pullRequestSchema,
    files_review: { type: 'array', items: findingReportSchema },
    non_specific_review: nullableText,
    approval: submissionSchema.properties.approval,
    raw_free_text: { type: ['string', 'null'], description: 'What could not be brought into findings.' },
    scope: scopeSchema,
    outdated: { type: 'array', items: text, description: 'Titles of earlier findings whose code is gone.' },
    coverage: coverageSchema,
    walkthrough: submissionSchema.properties.walkthrough,
    refused: { type: 'array', items: refusedSchema, description: 'Findings that were not accepted.' },
    deliveries: { type: 'array', items: deliverySchema },
    batches: { type: 'array', items: batchSchema },
    metrics: metricsSchema,
    estimate: estimateSchema,
    limits: limitsSchema,
    timeline: { type: 'array', items: timelineEntrySchema },
    reflection: reflectionSchema,
    milliseconds: count,
    model: nullableText,
    profile: text,
    notes: { type: 'array', items: text },
    origin: originSchema,
  },
} as const;

export type ReviewReport = Infer<typeof reviewReportSchema>;
/** Tells the first problem alone: a report may come from a stranger. */
export const parseReviewReport = parserFor(reviewReportSchema, { firstProblem: true });
