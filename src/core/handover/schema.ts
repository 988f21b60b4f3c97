import { phases, type StopReason } from '../agent/event.ts';
import { categories, suppressors } from '../findings/finding.ts';
import { submissionSchema } from '../findings/submission.ts';
import type { FullReason } from '../memory/memory.ts';
import type { Metrics } from '../review/review.ts';
import { type Infer, parserFor, type Schema } from '../schema.ts';
import { severities } from '../settings/setting.ts';

const plain = {
  submitted: { reason: 'submitted' },
  answered: { reason: 'answered' },
  iterations: { reason: 'limit', limit: 'iterations' },
  tokens: { reason: 'limit', limit: 'tokens' },
  cost: { reason: 'limit', limit: 'cost' },
  time: { reason: 'limit', limit: 'time' },
  'tool-calls': { reason: 'limit', limit: 'tool-calls' },
  'repeated-calls': { reason: 'repeated-calls' },
  'empty-answers': { reason: 'empty-answers' },
  'refused-by-model': { reason: 'refused', by: 'model' },
  'refused-by-content-filter': { reason: 'refused', by: 'content-filter' },
  truncated: { reason: 'truncated' },
  'truncated-by-reasoning': { reason: 'truncated', by: 'reasoning' },
  'context-overflow': { reason: 'context-overflow' },
  cancelled: { reason: 'cancelled' },
} as const satisfies { readonly [word: string]: StopReason };

type PlainWord = keyof typeof plain;
type StopWord = PlainWord | 'model-failed';

/** One word for each way a batch's run can stop, so that no combination on the wire is without a meaning. */
const batchStopWords: readonly StopWord[] = [...Object.keys(plain).filter(isPlain), 'model-failed'];

type StopOnWire = { readonly word: StopWord; readonly message: string; readonly hint: string };

export function stopOnWire(stop: StopReason): StopOnWire {
  if (stop.reason === 'model-failed') return { word: stop.reason, message: stop.message, hint: stop.hint };
  const lastCall = stop.reason === 'limit' || stop.reason === 'repeated-calls' ? stop.lastCall : undefined;
  return { word: wordOf(stop), message: lastCall ?? '', hint: '' };
}

export function stopOf({ word, message, hint }: StopOnWire): StopReason {
  if (word === 'model-failed') return { reason: word, message, hint };
  const stop: StopReason = plain[word];
  const followed = stop.reason === 'limit' || stop.reason === 'repeated-calls';
  return followed && message !== '' ? { ...stop, lastCall: message } : stop;
}

function wordOf(stop: Exclude<StopReason, { reason: 'model-failed' }>): PlainWord {
  if (stop.reason === 'limit') return stop.limit;
  if (stop.reason === 'truncated') return stop.by === 'reasoning' ? 'truncated-by-reasoning' : stop.reason;
  if (stop.reason !== 'refused') return stop.reason;
  return stop.by === 'model' ? 'refused-by-model' : 'refused-by-content-filter';
}

function isPlain(word: string): word is PlainWord {
  return Object.hasOwn(plain, word);
}

type Properties = { readonly [name: string]: Schema };

/** An object in which every property is there, and no other. */
function exactly<const P extends Properties>(properties: P) {
  const required = Object.keys(properties).filter((name): name is Extract<keyof P, string> => name in properties);
  return { type: 'object', additionalProperties: false, required, properties } as const;
}

function listOf<const S extends Schema>(items: S, maxItems: number) {
  return { type: 'array', items, maxItems } as const;
}

// Without a maximum `1e999` would be a number.
const count = { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER } as const;
/** Milliseconds. */
const time = { type: 'number', minimum: 0, maximum: Number.MAX_SAFE_INTEGER } as const;
/** US$. */
const cost = { type: ['number', 'null'], minimum: 0, maximum: 1_000_000_000 } as const;

const usage = exactly({
  input: count,
  cached: count,
  output: count,
  thinking: count,
  estimated: { type: 'boolean' },
});

const toolNames = '^[a-z]{1,20}(?:_[a-z]{1,20}){1,4}$';

/** How metrics stand in a review file. Lists: names as keys of an object could be those of its prototype. */
const metricsSchema = exactly({
  usage,
  cost,
  modelCalls: count,
  iterations: count,
  toolCalls: count,
  tools: listOf(
    exactly({ name: { type: 'string', pattern: toolNames }, calls: count, milliseconds: time, cut: count }),
    100,
  ),
  phases: listOf(exactly({ phase: { enum: phases }, modelCalls: count, usage, cost }), phases.length),
});

type MetricsOnWire = Infer<typeof metricsSchema>;

/** Names that no tool of ours has are left out; their calls are in the total. */
export function metricsOnWire({ tools, phases: byPhase, ...metrics }: Metrics): MetricsOnWire {
  const isOurs = new RegExp(toolNames);
  const named = Object.entries(tools).filter(([name]) => isOurs.test(name));
  return {
    ...metrics,
    tools: named.slice(0, 100).map(([name, use]) => ({ name, ...use })),
    phases: phases.flatMap((phase) => {
      const use = byPhase[phase];
      return use === undefined ? [] : [{ phase, ...use }];
    }),
  };
}

export function metricsFrom({ tools, phases: byPhase, ...metrics }: MetricsOnWire): Metrics {
  return {
    ...metrics,
    tools: Object.fromEntries(tools.map(({ name, ...use }) => [name, use])),
    phases: Object.fromEntries(byPhase.map(({ phase, ...use }) => [phase, use])),
  };
}

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
  verification: { enum: ['confirmed', 'undecided', null] },
  alsoAt: listOf(path, reviewFileLimits.places),
});

const findings = listOf(findingSchema, reviewFileLimits.findings);

const approval = submissionSchema.properties.approval.properties;

const refused = listOf(exactly({ title: text, path, quote: nullableText, reason: text }), reviewFileLimits.findings);

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
  exactly({
    finding: findingSchema,
    reason: text,
    by: { enum: suppressors },
    proof: { ...exactly({ path, quote: text }), type: ['object', 'null'] },
  }),
  reviewFileLimits.findings,
);

const batchSchema = exactly({
  name: label,
  paths,
  stop: exactly({ word: { enum: batchStopWords }, message: text, hint: text }),
  reviewed: { type: 'boolean' },
  gap: nullableText,
  approval: { ...exactly({ ...approval, rationale: text }), type: ['object', 'null'] },
  walkthrough: listOf(exactly({ path, changes: text, checked: text }), 500),
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
  batches: listOf(batchSchema, 10_000),
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
const reviewFileSchema = exactly({
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
export type BatchOnWire = Infer<typeof batchSchema>;
export type FindingOnWire = Infer<typeof findingSchema>;
/** Tells the first problem alone. */
export const parseFileOnWire = parserFor(reviewFileSchema, { firstProblem: true });
