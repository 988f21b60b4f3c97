import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readContextRequest } from '../../../src/core/findings/words.ts';
import { readFollowUpAnswer, readFollowUpText } from '../../../src/core/reviewing/follow-up-request.ts';

const item = {
  path: 'a.ts',
  quote: 'x',
  title: 'It breaks',
  review: 'When empty.',
  evidence: 'a.ts:1',
  severity: 'warning',
};
const ofCora = { file: 'a.ts', line: 4, title: 'It breaks', body: 'When empty.', severity: 'high' };

function read(value: unknown) {
  const answer = readFollowUpAnswer(value);
  if (answer === null) return null;
  const { confirmed, dismissed, submission, approves } = answer;
  const titles = submission.items.map((one) => (one.ok ? one.item.title : one.problem));
  return { confirmed, dismissed: dismissed.map(({ finding, reason }) => `${finding} ${reason}`), titles, approves };
}

describe('the answer of a second call', () => {
  it.each([
    [
      'in the words of the schema',
      {
        files_review: [item],
        confirmed: [1],
        dismissed: [{ finding: 2, reason: 'Guarded.' }],
        approval: { approved: true },
      },
      { confirmed: [1], dismissed: ['2 Guarded.'], titles: ['It breaks'], approves: true },
    ],
    [
      'as confirmed, dismissed and added',
      { confirmed: ['#1'], dismissed: [], added: [item] },
      { confirmed: [1], dismissed: [], titles: ['It breaks'], approves: false },
    ],
    [
      "with what is added in Cora's words",
      { confirmed: [], dismissed: [{ finding: '2', reason: 'Guarded.' }], added: [ofCora] },
      { confirmed: [], dismissed: ['2 Guarded.'], titles: ['It breaks'], approves: false },
    ],
    [
      'as the list once more',
      { issues: [ofCora] },
      { confirmed: [], dismissed: [], titles: ['It breaks'], approves: false },
    ],
    [
      'as a request for more lines, which is not answered',
      { issues: [], context_request: { file: 'a.ts', line_start: 1, line_end: 2, reason: '' } },
      { confirmed: [], dismissed: [], titles: [], approves: false },
    ],
    [
      'with a dismissal that gives no reason: it is none',
      { confirmed: [], dismissed: [{ finding: 1 }, { finding: 2, reason: ' ' }, { reason: 'x' }], added: [] },
      { confirmed: [], dismissed: [], titles: [], approves: false },
    ],
  ])('is read %s', (_, value, expected) => {
    expect(read(value)).toEqual(expected);
  });

  it.each([[null], ['fine'], [{}], [{ verdict: 'ok' }], [[]]])('%j says nothing', (value) => {
    expect(read(value)).toBeNull();
  });

  it('is found in prose', () => {
    expect(readFollowUpText('I looked.\n```json\n{"confirmed": [2], "dismissed": []}\n```\nDone.')?.confirmed).toEqual([
      2,
    ]);
    expect(readFollowUpText('All of them hold.')).toBeNull();
  });

  it('never makes the reader throw', () => {
    const parts = fc.constantFrom('confirmed', 'dismissed', 'added', 'files_review', 'issues', 'approval');
    fc.assert(
      fc.property(fc.dictionary(parts, fc.anything()), (value) => {
        const answer = readFollowUpAnswer(value);
        return answer === null || answer.dismissed.every(({ finding, reason }) => finding >= 1 && reason !== '');
      }),
    );
  });
});

describe('a request for lines', () => {
  it.each([
    [{ file: 'a.ts', line_start: 3, line_end: 9, reason: 'why' }, '3-9'],
    [{ file: ' a.ts ', line_start: '3', line_end: '9' }, '3-9'],
    [{ path: 'a.ts', start_line: 3, end_line: 3 }, '3-3'],
    [
      { file: 'a.ts', line_start: 3, line_end: null },
      'it gives no range of lines: line_start and line_end must be lines from 1',
    ],
    [
      { file: 'a.ts', line_start: 0, line_end: 2 },
      'it gives no range of lines: line_start and line_end must be lines from 1',
    ],
    [
      { file: 'a.ts', line_start: 1.5, line_end: 2 },
      'it gives no range of lines: line_start and line_end must be lines from 1',
    ],
    [{ file: 'a.ts', line_start: 9, line_end: 3 }, 'line 9 comes after line 3'],
    [{ line_start: 1, line_end: 2 }, 'it names no file'],
  ])('%j is read as %s', (value, expected) => {
    const read = readContextRequest(value);
    expect(read?.ok === true ? `${read.request.lineStart}-${read.request.lineEnd}` : read?.problem).toBe(expected);
  });

  it.each([[null], [undefined], ['lines please'], [[]], [7]])('%j is none', (value) => {
    expect(readContextRequest(value)).toBeNull();
  });

  it('never throws, and what it accepts is a range', () => {
    fc.assert(
      fc.property(fc.anything(), fc.anything(), fc.anything(), (file, line_start, line_end) => {
        const read = readContextRequest({ file, line_start, line_end });
        if (read?.ok !== true) return true;
        const { lineStart, lineEnd } = read.request;
        return lineStart >= 1 && lineStart <= lineEnd && Number.isSafeInteger(lineEnd);
      }),
    );
  });
});
