import type { NormalisedRequest } from '../fakes/model-server/normalise.ts';
import { type Answer, call, calls, submit } from '../fakes/model-server/script.ts';
import { finding, path } from './faulty-script.ts';

/** The body of an error. */
export const error = (message: string, more: Record<string, unknown> = {}) => ({
  error: { message, type: 'invalid_request_error', param: null, code: null, ...more },
});

const whole = {
  ...finding,
  lines: null,
  side: 'RIGHT',
  evidence: 'Read.',
  review: 'It is undefined.',
  severity: 'warning',
  category: 'bug',
  suggestion: null,
  rule_id: null,
  confidence: 0.9,
};
const approval = { approved: false, rationale: 'Mend this first.', action: 'REQUEST_CHANGES' };

/** M5: a fence, words before it, a comma too many. */
export const fenced = `Here is my review:\n\`\`\`json\n${JSON.stringify({ files_review: [whole], approval }).slice(0, -1)},}\n\`\`\``;

/** M5: an item whose severity is none, and that has no title. */
export const unschooled = call('submit_review', {
  files_review: [{ ...whole, title: undefined, severity: 'terrible' }],
  non_specific_review: null,
  approval,
});

/** M9b: one whole finding, and the beginning of another. */
export const cutSubmission = `{"files_review":[${JSON.stringify(whole)},{"path":"src/last.ts","quote":"export func`;

/** M13: reads something else each time, as long as it may. */
export function readOn({ tools, messages, prompt }: NormalisedRequest): Answer {
  const closed = tools.length === 1 || (tools.length === 0 && prompt.includes('No other tool is left'));
  if (closed) return submit([finding]);
  return call('list_files', { directory: `d${messages.length}`, pattern: null });
}

const read = (id: string, of: string) => ({ name: 'read_file', arguments: { path: of }, id });

export const sameIds = calls(read('same', path), read('same', 'README.md'));
export const missingIds = calls(read('', path), read('', 'README.md'));
