import { describe, expect, it } from 'vitest';
import { normaliseSubmission } from '../../../src/core/findings/normalise-submission.ts';
import { submitted } from './make.ts';

const approval = { approved: true, rationale: 'Fine.', action: 'APPROVE' };

function problemsOf(value: unknown) {
  return normaliseSubmission(value).problems;
}

describe('a whole submission', () => {
  it('comes out as it went in when it is strictly valid', () => {
    const item = submitted({ quote: 'a', lines: '3' });
    expect(normaliseSubmission({ files_review: [item], non_specific_review: 'Well.', approval })).toEqual({
      items: [{ ok: true, number: 1, item }],
      nonSpecificReview: 'Well.',
      approval,
      contextRequest: null,
      problems: [],
    });
  });

  it('takes an absent nullable as null and an absent approval as a comment', () => {
    expect(normaliseSubmission({ files_review: [] })).toEqual({
      items: [],
      nonSpecificReview: null,
      approval: { approved: false, rationale: '', action: 'COMMENT' },
      contextRequest: null,
      problems: [],
    });
  });

  it('ignores unknown keys, on top and in items', () => {
    const { items, problems } = normaliseSubmission({ files_review: [{ ...submitted(), mood: 'good' }], verdict: 1 });
    expect({ items, problems }).toEqual({ items: [{ ok: true, number: 1, item: submitted() }], problems: [] });
  });

  it('is no review without files_review: an empty object never reads as clean', () => {
    expect([problemsOf({}), problemsOf({ approval }), problemsOf('none'), problemsOf(null)]).toMatchInlineSnapshot(`
      [
        [
          "files_review is missing: send a list, empty when there is nothing to report",
        ],
        [
          "files_review is missing: send a list, empty when there is nothing to report",
        ],
        [
          "the submission must be an object with files_review and approval",
        ],
        [
          "the submission must be an object with files_review and approval",
        ],
      ]
    `);
  });

  it('reads a list that came as JSON text, and one item without its list', () => {
    const item = submitted();
    const accepted = [{ ok: true, number: 1, item }];
    expect(normaliseSubmission({ files_review: JSON.stringify([item]) }).items).toEqual(accepted);
    expect(normaliseSubmission({ files_review: item }).items).toEqual(accepted);
  });

  it('keeps the good items beside the bad ones, each bad one with its own problem', () => {
    const { items } = normaliseSubmission({
      files_review: [submitted(), 'a bug', { ...submitted(), severity: 'awful' }, submitted({ title: 'Other' })],
    });
    expect(items.map((item) => (item.ok ? item.number : `${item.number}: ${item.problem}`))).toMatchInlineSnapshot(`
      [
        1,
        "2: it must be an object",
        "3: severity must be one of critical, warning, info, nitpick",
        4,
      ]
    `);
  });
});

describe('an approval', () => {
  it.each([
    [
      { approved: true, action: 'approved' },
      { approved: true, rationale: '', action: 'APPROVE' },
    ],
    [
      { approved: false, action: 'request changes' },
      { approved: false, rationale: '', action: 'REQUEST_CHANGES' },
    ],
    [
      { approved: true, action: 'REQUEST_CHANGES' },
      { approved: false, rationale: '', action: 'REQUEST_CHANGES' },
    ],
    [{ action: 'APPROVE' }, { approved: false, rationale: '', action: 'COMMENT' }],
    [
      { approved: 'yes', action: 'merge it' },
      { approved: false, rationale: '', action: 'COMMENT' },
    ],
    ['APPROVE', { approved: false, rationale: '', action: 'COMMENT' }],
  ])('reads %j carefully', (value, expected) => {
    expect(normaliseSubmission({ files_review: [], approval: value }).approval).toEqual(expected);
  });
});
