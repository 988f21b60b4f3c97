import { parserFor } from '../src/core/schema.ts';

const schema = {
  type: 'object',
  additionalProperties: false,
  required: ['files', 'changedLines', 'batchCount', 'diff', 'rules', 'batches', 'peakMebibytes'],
  properties: {
    files: { type: 'number' },
    changedLines: { type: 'number' },
    batchCount: { type: 'number' },
    diff: { type: 'number' },
    rules: { type: 'number' },
    batches: { type: 'number' },
    peakMebibytes: { type: 'number' },
  },
} as const;

/** What the planning process tells of itself. `diff`, `rules` and `batches` are milliseconds of its steps. */
export type Planned = {
  readonly files: number;
  readonly changedLines: number;
  readonly batchCount: number;
  readonly diff: number;
  readonly rules: number;
  readonly batches: number;
  /** The most memory that the process itself had resident. */
  readonly peakMebibytes: number;
};

const parse = parserFor(schema);

export function parsePlanned(text: string): Planned {
  const parsed = parse(JSON.parse(text));
  if (!parsed.ok) throw new Error(`The planning process said something else: ${text}`);
  return parsed.value;
}
