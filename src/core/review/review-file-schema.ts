import { categories } from '../findings/finding.ts';
import { suppressors } from '../findings/placement.ts';
import { submissionSchema } from '../findings/submission.ts';
import type { FullReason } from '../memory/memory.ts';
import { type Infer, parserFor } from '../schema.ts';
import { severities } from '../settings/severity.ts';
import { cost, count, exactly, listOf, time } from './exact-schema.ts';
import { metricsSchema } from './review-file-metrics.ts';
import { stopWords } from './review-file-stops.ts';

/** What a review file may hold, at most; texts in UTF-16 units. */
export const reviewFileLimits = {
  bytes: 5_000_000,
  findings: 1_000,
  text: 20_000,
  /** What git takes. */
  path: 4_096,
  label: 300,
  notes: 1_000,
  places: 100,
} as const;

const text = { type: 'string', maxLength: reviewFileLimits.text } as const;
const nullableText = { type: ['string', 'null'], maxLength: reviewFileLimits.text } as const;
const label = { type: 'string', maxLength: reviewFileLimits.label } as const;
const path = { type: 'string', maxLength: reviewFileLimits.path } as const;
const hash = { type: 'string', pattern: '^(?:[0-9a-f]{40}|[0-9a-f]{64})$' } as const;
const line = { ...count, minimum: 1 } as const;

const manyPaths = 100_000;
const paths = listOf(path, manyPaths);
const files = listOf(exactly({ path, reason: text }), manyPaths);
const notes = listOf(text, reviewFileLimits.notes);

const findingSchema = exactly({
  path,
  lines: {
    ...exactly({ side: { enum: ['RIGHT', 'LEFT'] }, startLine: line, endLine: line, quote: text }),
    type: ['object', 'null'],
  },
  title: text,
  review: text,
  evidence: text,
  severity: { enum: severities },
  category: { enum: categories },
  suggestion: nullableText,
  ruleId: { type: ['string', 'null'], maxLength: reviewFileLimits.label },
  sameAs: { type: ['string', 'null'], maxLength: reviewFileLimits.label },
  confidence: { type: 'number', minimum: 0, maximum: 1 },
  alsoAt: listOf(path, reviewFileLimits.places),
});

const findings = listOf(findingSchema, reviewFileLimits.findings);

const approval = submissionSchema.properties.approval.properties;

const refused = listOf(exactly({ title: text, path, reason: text }), reviewFileLimits.findings);

const followUpSchema = {
  ...exactly({
    file: path,
    lines: label,
    refused: nullableText,
    confirmed: count,
    removed: count,
    added: count,
    extraTokens: count,
  }),
  type: ['object', 'null'],
} as const;
const dismissed = listOf(
  exactly({ finding: findingSchema, reason: text, by: { enum: suppressors } }),
  reviewFileLimits.findings,
);

const bundleSchema = exactly({
  name: label,
  paths,
  stop: exactly({ word: { enum: stopWords }, message: text, hint: text }),
  reviewed: { type: 'boolean' },
  gap: nullableText,
  approval: { ...exactly({ ...approval, rationale: text }), type: ['object', 'null'] },
  nonSpecificReview: nullableText,
  rawFreeText: nullableText,
  metrics: metricsSchema,
  findings,
  refused,
  followUp: followUpSchema,
  dismissed,
});

const fullReasons = [
  'first review',
  'incremental is off',
  'history was rewritten',
  'the base changed',
  'the settings changed',
  'the earlier commit cannot be read',
  'the earlier state is not signed',
] as const satisfies readonly FullReason[];

const limits = exactly({
  profile: label,
  model: { type: ['string', 'null'], maxLength: reviewFileLimits.label },
  maxIterations: count,
  maxTotalTokens: count,
  timeoutMinutes: { type: 'number', minimum: 0, maximum: 100_000 },
  maxComments: count,
  maxCost: cost,
});

const reviewedSchema = exactly({
  /** Incremental when `since` is there. */
  scope: exactly({ since: { ...hash, type: ['string', 'null'] }, why: { enum: [...fullReasons, null] } }),
  bundles: listOf(bundleSchema, 10_000),
  ruleFindings: findings,
  ignored: listOf(exactly({ finding: findingSchema, reason: text }), reviewFileLimits.findings),
  refused,
  coverage: exactly({
    reviewed: paths,
    skipped: files,
    unread: listOf(exactly({ path, reason: text, code: { type: 'boolean' } }), manyPaths),
    unreviewed: files,
    earlier: paths,
    missing: notes,
  }),
  incomplete: listOf(text, manyPaths),
  cancelled: { type: 'boolean' },
  withoutKey: { type: 'boolean' },
  estimate: {
    ...exactly({ modelCalls: count, input: count, output: count, cost }),
    type: ['object', 'null'],
  },
  milliseconds: time,
  limits,
  notes,
});

const stoppedSchema = exactly({
  stop: exactly({ reason: { enum: ['skipped', 'nothing', 'failed', 'cancelled'] }, message: text, hint: text }),
  skipped: files,
  milliseconds: time,
  limits,
  notes,
});

/** What one job hands to another. Nothing in it chooses an event, a name, a commit or a repository: those are compared, never obeyed. */
export const reviewFileSchema = exactly({
  schema_version: { enum: [1] },
  version: label,
  repository: { type: 'string', maxLength: reviewFileLimits.label, pattern: '^[A-Za-z0-9_.-]+/[A-Za-z0-9_.-]+$' },
  number: line,
  head: hash,
  mergeBase: hash,
  identity: exactly({ name: label, run: label, settings: { type: 'string', pattern: '^[0-9a-f]{16}$' } }),
  /** One of the two is null. */
  reviewed: { ...reviewedSchema, type: ['object', 'null'] },
  stopped: { ...stoppedSchema, type: ['object', 'null'] },
});

export type FileOnWire = Infer<typeof reviewFileSchema>;
export type ReviewedOnWire = Infer<typeof reviewedSchema>;
export type StoppedOnWire = Infer<typeof stoppedSchema>;
export type BundleOnWire = Infer<typeof bundleSchema>;
export type FindingOnWire = Infer<typeof findingSchema>;
export type MetricsOnWire = Infer<typeof metricsSchema>;

/** Tells the first problem alone. */
export const parseFileOnWire = parserFor(reviewFileSchema, { firstProblem: true });
