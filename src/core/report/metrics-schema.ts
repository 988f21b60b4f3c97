import type { Infer } from '../schema.ts';

const count = { type: 'integer', minimum: 0 } as const;

const toolSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['calls', 'milliseconds', 'cut'],
  properties: { calls: count, milliseconds: count, cut: { ...count, description: 'Results that were too long.' } },
} as const;

/** Of every tool. */
const toolNames = { pattern: '^[a-z]{1,20}(?:_[a-z]{1,20}){1,4}$' } as const;

const phaseSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['model_calls', 'input_tokens', 'cached_tokens', 'output_tokens', 'cost'],
  properties: {
    model_calls: count,
    input_tokens: count,
    cached_tokens: count,
    output_tokens: count,
    cost: { type: ['number', 'null'] },
  },
} as const;

export const metricsSchema = {
  type: 'object',
  additionalProperties: false,
  required: [
    'input_tokens',
    'cached_tokens',
    'output_tokens',
    'thinking_tokens',
    'total_tokens',
    'estimated',
    'model_calls',
    'iterations',
    'tool_calls',
    'tool_calls_by_name',
    'tools',
    'phases',
    'cost',
  ],
  properties: {
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
    tools: { type: 'object', propertyNames: toolNames, additionalProperties: toolSchema },
    phases: { type: 'object', additionalProperties: phaseSchema },
    cost: { type: ['number', 'null'], description: 'US$; null without `pricing`.' },
  },
} as const;

export const estimateSchema = {
  type: ['object', 'null'],
  additionalProperties: false,
  required: ['model_calls', 'input_tokens', 'output_tokens', 'cost'],
  properties: { model_calls: count, input_tokens: count, output_tokens: count, cost: { type: ['number', 'null'] } },
  description: 'What the run was expected to take, before its first model call.',
} as const;

export const limitsSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['max_iterations', 'max_total_tokens', 'max_cost', 'timeout_minutes', 'max_comments'],
  properties: {
    max_iterations: count,
    max_total_tokens: count,
    max_cost: { type: ['number', 'null'], description: 'US$.' },
    timeout_minutes: { type: 'number' },
    max_comments: count,
  },
} as const;

/** How the model judged the run; null when it was not asked or did not answer. */
export const reflectionSchema = {
  type: ['object', 'null'],
  additionalProperties: false,
  required: ['confidence', 'quality', 'issues'],
  properties: {
    confidence: { type: 'number' },
    quality: { type: 'number' },
    issues: { type: 'array', items: { type: 'string' } },
  },
} as const;

const textOrNull = { type: ['string', 'null'] } as const;
const countOrNull = { type: ['integer', 'null'], minimum: 0 } as const;

/** When what happened in the conversations of the batches. */
export const timelineEntrySchema = {
  type: 'object',
  additionalProperties: false,
  required: [
    'batch',
    'kind',
    'at',
    'milliseconds',
    'name',
    'asked',
    'outcome',
    'characters',
    'input_tokens',
    'output_tokens',
    'finding',
  ],
  properties: {
    batch: { type: 'string' },
    kind: { enum: ['model', 'tool', 'wait', 'finding', 'disproved', 'returned'] },
    at: { ...count, description: 'Milliseconds since the run began.' },
    milliseconds: count,
    name: {
      type: 'string',
      description: 'Phase of a model call, name of a tool, reason of a wait, title of a finding.',
    },
    asked: { ...textOrNull, description: 'What a tool was asked, at most 200 characters.' },
    outcome: { type: 'string', description: '`ok`, or what went wrong.' },
    characters: { ...countOrNull, description: 'Characters that a tool answered.' },
    input_tokens: countOrNull,
    output_tokens: countOrNull,
    finding: { ...textOrNull, description: 'Id of the finding that was accepted or disproved.' },
  },
} as const;

export type TimelineEntry = Infer<typeof timelineEntrySchema>;
