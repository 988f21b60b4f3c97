import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readContextRequest } from '../../../src/core/findings/words.ts';
import { readFollowUpAnswer, readFollowUpText } from '../../../src/core/reviewing/follow-up-request.ts';
import { submitted } from './make.ts';

const item = submitted({ title: 'It breaks' });
const ofCora = { file: 'a.ts', line: 4, title: 'It breaks', body: 'When empty.', severity: 'high' };
const guarded = { finding: '2', reason: 'Guarded.' };
const request = { file: 'a.ts', line_start: 1, line_end: 2, reason: '' };
const noReasons = [{ finding: 1 }, { finding: 2, reason: ' ' }, { reason: 'x' }];

const nothing = { confirmed: [], dismissed: [], titles: [], approves: false };

describe('the answer of a second call', () => {
  it.each<[string, object, object]>([
    [
      'in the words of the schema',
      { files_review: [item], confirmed: [1], dismissed: [{ ...guarded, finding: 2 }], approval: { approved: true } },
      { confirmed: [1], dismissed: ['2 Guarded.'], titles: ['It breaks'], approves: true },
    ],
    ['as confirmed and added', { confirmed: ['#1'], added: [item] }, { confirmed: [1], titles: ['It breaks'] }],
    [
      "with what is added in Cora's words",
      { dismissed: [guarded], added: [ofCora] },
      { dismissed: ['2 Guarded.'], titles: ['It breaks'] },
    ],
    ['as the list once more', { issues: [ofCora] }, { titles: ['It breaks'] }],
    ['as a request for more lines, which is not answered', { issues: [], context_request: request }, {}],
    ['with dismissals that give no reason: they are none', { confirmed: [], dismissed: noReasons, added: [] }, {}],
  ])('is read %s', (_, value, expected) => {
    const answer = readFollowUpAnswer(value);
    const titles = answer?.submission.items.map((one) => (one.ok ? one.item.title : one.problem));
    const dismissed = answer?.dismissed.map(({ finding, reason }) => `${finding} ${reason}`);
    const { confirmed, approves } = answer ?? {};
    expect({ confirmed, dismissed, titles, approves }).toEqual({ ...nothing, ...expected });
  });

  it.each([[null], ['fine'], [{}], [{ verdict: 'ok' }], [[]]])('%j says nothing', (value) => {
    expect(readFollowUpAnswer(value)).toBeNull();
  });

  it('is found in prose', () => {
    const text = 'I looked.\n```json\n{"confirmed": [2], "dismissed": []}\n```\nDone.';
    expect(readFollowUpText(text)?.confirmed).toEqual([2]);
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
  const noRange = 'it gives no range of lines: line_start and line_end must be lines from 1';

  it.each([
    [{ file: 'a.ts', line_start: 3, line_end: 9, reason: 'why' }, '3-9'],
    [{ file: ' a.ts ', line_start: '3', line_end: '9' }, '3-9'],
    [{ path: 'a.ts', start_line: 3, end_line: 3 }, '3-3'],
    [{ file: 'a.ts', line_start: 3, line_end: null }, noRange],
    [{ file: 'a.ts', line_start: 0, line_end: 2 }, noRange],
    [{ file: 'a.ts', line_start: 1.5, line_end: 2 }, noRange],
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
