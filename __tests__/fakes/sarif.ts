import { readFileSync } from 'node:fs';
import { Ajv } from 'ajv';

// The official schema of SARIF 2.1.0 (rtm.5), as the npm package @microsoft/jest-sarif carries it (MIT).
// It is of draft 4, whose keywords mean the same here; only its own name for ids is unknown to ajv.
const text = readFileSync(new URL('../fixtures/sarif-2.1.0-rtm.5.json', import.meta.url), 'utf8');
const { $schema: _, id: __, ...schema } = JSON.parse(text);
const formats = {
  uri: (text: string) => URL.canParse(text),
  'uri-reference': (text: string) => !/[\s#?]/.test(text),
  'date-time': true as const,
};
const validate = new Ajv({ strict: false, formats, unicodeRegExp: false }).compile(schema);

/** What is wrong with a log; null where nothing is. */
export function sarifProblem(log: unknown): string | null {
  return validate(log) ? null : JSON.stringify(validate.errors);
}
