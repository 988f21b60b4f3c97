import { type Answer, calls } from '../fakes/model-server/script.ts';

/** The body of an error. */
export const error = (message: string, more: Record<string, unknown> = {}) => ({
  error: { message, type: 'invalid_request_error', param: null, code: null, ...more },
});
export const finding = { path: 'src/last.ts', quote: '  return items[items.length];', title: 'Reads past the end' };
const whole = { ...plain(), ...finding };
/** M5: a fence, words before it, a comma too many. */
export const fenced = `Here is my review:\n\`\`\`json\n${JSON.stringify({ files_review: [whole], approval: { approved: false, rationale: 'x', action: 'REQUEST_CHANGES' } }).slice(0, -1)},}\n\`\`\``;
/** M9b: one whole finding, and the beginning of another. */
export const cutSubmission = `{"files_review":[${JSON.stringify(whole)},{"path":"src/last.ts","quote":"export func`;

/** M17. */
export function sameIds(): Answer {
  const read = (path: string) => ({ name: 'read_file', arguments: { path }, id: 'same' });
  return calls(read('src/last.ts'), read('README.md'));
}

function plain() {
  return {
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
}
