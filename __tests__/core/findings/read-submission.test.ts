import { describe, expect, it } from 'vitest';
import { normaliseItem, normaliseSubmission } from '../../../src/core/findings/read-submission.ts';
import { cutLine } from '../../../src/core/text.ts';
import { submitted } from './make.ts';

function read(changes: { readonly [name: string]: unknown }) {
  const result = normaliseItem({ ...submitted(), ...changes }, 1);
  return result.ok ? result.item : result.problem;
}

describe('severity', () => {
  it.each([
    ['blocker', 'critical'],
    ['Error', 'warning'],
    ['HIGH', 'warning'],
    ['major', 'warning'],
    ['medium', 'info'],
    ['minor', 'info'],
    ['low', 'info'],
    ['nit', 'nitpick'],
    ['style', 'nitpick'],
    [' Critical ', 'critical'],
  ])('%s means %s', (alias, severity) => {
    expect(read({ severity: alias })).toMatchObject({ severity });
  });

  it('is never guessed', () => {
    expect([read({ severity: 'constructor' }), read({ severity: null })]).toEqual([
      'severity must be one of critical, warning, info, nitpick',
      "the value must have required property 'severity'",
    ]);
  });
});

describe('lines', () => {
  it.each([
    ['42', '42'],
    ['10-25', '10-25'],
    ['20-10', '10-20'],
    ['L10-L25', '10-25'],
    ['lines 10 to 25', '10-25'],
    ['10–25', '10-25'],
    [42, '42'],
    ['', null],
    ['null', null],
    [undefined, null],
  ])('%j is read as %j', (lines, expected) => {
    expect(read({ lines })).toMatchObject({ lines: expected });
  });

  it.each(['10-20-30', '0', 0, -1, 'around 12', [1, 2], 1.5, '99999999999'])(
    '%j is an error that the model is told',
    (lines) => {
      expect(read({ lines })).toMatch(
        /^lines is .*: write one line from 1 such as "42", or one range such as "10-25"$/,
      );
    },
  );
});

describe('confidence', () => {
  it.each([
    [0.25, 0.25],
    ['0.8', 0.8],
    ['80%', 0.8],
    ['High', 0.9],
    [undefined, 0.5],
    [null, 0.5],
    ['', 0.5],
  ])('%j is read as %j', (confidence, expected) => {
    expect(read({ confidence })).toMatchObject({ confidence: expected });
  });

  it('has its bounds from the schema alone', () => {
    expect([read({ confidence: 1.5 }), read({ confidence: '120%' }), read({ confidence: 'sure' })]).toEqual([
      'confidence must be <= 1',
      'confidence must be <= 1',
      'confidence must be number',
    ]);
  });
});

describe('the rest of an item', () => {
  it('has other as the category it does not know', () => {
    const items = [read({ category: 'Security' }), read({ category: 'vibes' }), read({ category: undefined })];
    expect(items).toMatchObject([{ category: 'security' }, { category: 'other' }, { category: 'other' }]);
  });

  it('stands on the RIGHT side unless it says otherwise', () => {
    expect([read({ side: undefined }), read({ side: 'left' }), read({ side: 'middle' })]).toMatchObject([
      { side: 'RIGHT' },
      { side: 'LEFT' },
      'side must be one of RIGHT, LEFT',
    ]);
  });

  it('has null where a nullable is absent or blank', () => {
    expect(read({ quote: ' \n', suggestion: '', rule_id: 'N/A' })).toEqual(submitted());
    expect(read({ quote: undefined, suggestion: undefined, rule_id: undefined, lines: undefined })).toEqual(
      submitted(),
    );
  });

  it('has its title on one line', () => {
    expect(read({ title: ' Total is\n never saved ' })).toEqual(submitted());
  });

  it('cannot do without path, evidence, title and review', () => {
    const { severity } = submitted();
    expect(normaliseItem({ severity, title: ' ' }, 3)).toEqual({
      number: 3,
      ok: false,
      path: '',
      problem:
        "title is empty; the value must have required property 'path'; the value must have required property 'evidence'; the value must have required property 'review'",
      title: '',
    });
  });
});

const approval = { approved: true, rationale: 'Fine.', action: 'APPROVE' };

function problemsOf(value: unknown) {
  return normaliseSubmission(value).problems;
}

describe('a whole submission', () => {
  it('comes out as it went in when it is strictly valid', () => {
    const item = submitted({ quote: 'a', lines: '3' });
    const walkthrough = [{ path: 'a.ts', changes: 'Adds a retry.', checked: 'Who calls it: two places, both wait.' }];
    const whole = { walkthrough, files_review: [item], non_specific_review: 'Well.', approval };
    expect(normaliseSubmission(whole)).toEqual({
      items: [{ ok: true, number: 1, item }],
      walkthrough,
      nonSpecificReview: 'Well.',
      approval,
      contextRequest: null,
      problems: [],
    });
  });

  it('takes an absent nullable as null and an absent approval as a comment', () => {
    expect(normaliseSubmission({ files_review: [] })).toEqual({
      items: [],
      walkthrough: [],
      nonSpecificReview: null,
      approval: { approved: false, rationale: '', action: 'COMMENT' },
      contextRequest: null,
      problems: [],
    });
  });

  const note = { path: 'a.ts', changes: 'One.', checked: 'Two.' };
  it.each([
    ['that is no list', 7, []],
    ['with entries that are none', [null, 'a.ts', [], { path: 'a.ts' }, { changes: 'One.', checked: 'Two.' }], []],
    ['with half an entry', [{ path: 'a.ts', changes: 'One.' }], [{ ...note, checked: '' }]],
    ['of several lines', [{ ...note, checked: ' Two\n| three. ' }], [{ ...note, checked: 'Two | three.' }]],
    ['that came as JSON text', JSON.stringify([note]), [note]],
    [
      'with a very long line',
      [{ ...note, changes: 'x'.repeat(500) }],
      [{ ...note, changes: cutLine('x'.repeat(500), 240) }],
    ],
  ])('keeps what can be read of a walkthrough %s, and the findings in any case', (_, walkthrough, read) => {
    const { items, walkthrough: kept, problems } = normaliseSubmission({ walkthrough, files_review: [submitted()] });
    expect({ found: items.map(({ ok }) => ok), kept, problems }).toEqual({ found: [true], kept: read, problems: [] });
  });

  it('ignores unknown keys, on top and in items', () => {
    const { items, problems } = normaliseSubmission({ files_review: [{ ...submitted(), mood: 'good' }], verdict: 1 });
    expect({ items, problems }).toEqual({ items: [{ ok: true, number: 1, item: submitted() }], problems: [] });
  });

  it('is no review without files_review: an empty object never reads as clean', () => {
    expect([problemsOf({}), problemsOf({ approval }), problemsOf('none'), problemsOf(null)]).toEqual([
      ['files_review is missing: send a list, empty when there is nothing to report'],
      ['files_review is missing: send a list, empty when there is nothing to report'],
      ['the submission must be an object with files_review and approval'],
      ['the submission must be an object with files_review and approval'],
    ]);
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
    expect(items.map((item) => (item.ok ? item.number : `${item.number}: ${item.problem}`))).toEqual([
      1,
      '2: it must be an object',
      '3: severity must be one of critical, warning, info, nitpick',
      4,
    ]);
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
