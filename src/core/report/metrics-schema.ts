const count = { type: 'integer', minimum: 0 } as const;

const toolSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['calls', 'milliseconds', 'cut'],
  properties: { calls: count, milliseconds: count, cut: { ...count, description: 'Results that were too long.' } },
} as const;

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
    tool_calls_by_name: { type: 'object', additionalProperties: count },
    tools: { type: 'object', additionalProperties: toolSchema },
    phases: { type: 'object', additionalProperties: phaseSchema },
    cost: { type: ['number', 'null'], description: 'US$; null without `pricing`.' },
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
