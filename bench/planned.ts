import { parserFor } from '../src/core/schema.ts';

const schema = {
  type: 'object',
  additionalProperties: false,
  required: ['files', 'changedLines', 'bundleCount', 'diff', 'rules', 'bundles', 'peakMebibytes'],
  properties: {
    files: { type: 'number' },
    changedLines: { type: 'number' },
    bundleCount: { type: 'number' },
    diff: { type: 'number' },
    rules: { type: 'number' },
    bundles: { type: 'number' },
    peakMebibytes: { type: 'number' },
  },
} as const;

/** What the planning process tells of itself. `diff`, `rules` and `bundles` are milliseconds of its steps. */
export type Planned = {
  readonly files: number;
  readonly changedLines: number;
  readonly bundleCount: number;
  readonly diff: number;
  readonly rules: number;
  readonly bundles: number;
  /** The most memory that the process itself had resident. */
  readonly peakMebibytes: number;
};

const parse = parserFor(schema);

export function parsePlanned(text: string): Planned {
  const parsed = parse(JSON.parse(text));
  if (!parsed.ok) throw new Error(`The planning process said something else: ${text}`);
  return parsed.value;
}
