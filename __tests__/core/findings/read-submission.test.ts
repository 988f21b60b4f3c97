import { describe, expect, it } from 'vitest';
import { normaliseItem, normaliseSubmission } from '../../../src/core/findings/read-submission.ts';
import { cutLine } from '../../../src/core/text.ts';
import { submitted } from './make.ts';

type Changes = { readonly [name: string]: unknown };

function read(changes: Changes) {
  const result = normaliseItem({ ...submitted(), ...changes }, 1);
  return result.ok ? result.item : result.problem;
}

describe('an item', () => {
  it.each<[Changes, Changes]>([
    [{ severity: 'blocker' }, { severity: 'critical' }],
    [{ severity: 'HIGH' }, { severity: 'warning' }],
    [{ severity: 'medium' }, { severity: 'info' }],
    [{ severity: 'nit' }, { severity: 'nitpick' }],
    [{ severity: ' Critical ' }, { severity: 'critical' }],
    [{ severity: 'constructor' }, { severity: 'critical' }],
    [
      { quote: 'one();', lines: '4, 6' },
      { quote: 'one();', lines: null },
    ],
    [{ quote: ['one();', 'two();'] }, { quote: 'one();\ntwo();' }],
    [{ evidence: null }, { evidence: [] }],
    [{ also_at: 'src/b.ts:3' }, { also_at: ['src/b.ts:3'] }],
    [{ suggestion: { code: 'x' }, rule_id: 7 }, {}],
    [{ lines: '20-10' }, { lines: '10-20' }],
    [{ lines: 'lines 10 to 25' }, { lines: '10-25' }],
    [{ lines: '10–25' }, { lines: '10-25' }],
    [{ lines: 42 }, { lines: '42' }],
    [{ lines: '' }, { lines: null }],
    [{ confidence: '80%' }, { confidence: 0.8 }],
    [{ confidence: 95 }, { confidence: 0.95 }],
    [{ confidence: '120%' }, { confidence: 1 }],
    [{ confidence: -1 }, { confidence: 0 }],
    [{ confidence: 'High' }, { confidence: 0.9 }],
    [{ confidence: undefined }, { confidence: 0.5 }],
    [{ category: 'Security' }, { category: 'security' }],
    [{ category: 'vibes' }, { category: 'other' }],
    [{ side: undefined }, { side: 'RIGHT' }],
    [{ side: 'left' }, { side: 'LEFT' }],
    [{ quote: ' \n', suggestion: '', rule_id: 'N/A' }, {}],
    [{ quote: undefined, suggestion: undefined, rule_id: undefined, lines: undefined }, {}],
    [{ title: ' Total is\n never saved ' }, { title: 'Total is never saved' }],
    [{ mood: 'good' }, {}],
  ])('with %o is read as %o', (changes, expected) => {
    expect(read(changes)).toEqual({ ...submitted(), ...expected });
  });

  it.each<[Changes, string]>([
    [{ severity: null }, "the value must have required property 'severity'"],
    [{ quote: { text: 'one();' } }, 'quote must be string,null'],
    [{ title: 7 }, 'title must be string'],
  ])('is never guessed: %j', (changes, problem) => {
    expect(read(changes)).toBe(problem);
  });

  it.each(['10-20-30', '0', 0, -1, 'around 12', [1, 2], 1.5, '99999999999'])(
    'without a quote, with lines %j is an error',
    (lines) => {
      expect(read({ lines })).toMatch(
        /^lines is .*: write one line from 1 such as "42", or one range such as "10-25"$/,
      );
    },
  );

  it('cannot do without path, title and review', () => {
    const missing = ['path', 'review'].map((name) => `the value must have required property '${name}'`);
    const problem = ['title is empty', ...missing].join('; ');
    const said = { path: '', quote: null, evidence: [], title: '', review: '', category: 'other', severity: 'info' };
    expect(normaliseItem({ severity: 'info', title: ' ' }, 3)).toEqual({ ok: false, number: 3, problem, said });
  });
});

const approval = { approved: true, rationale: 'Fine.', action: 'APPROVE' };
const noApproval = { approved: false, rationale: '', action: 'COMMENT' };
const unsaid = { nonSpecificReview: null, approval: noApproval, contextRequest: null };
const nothing = { ...unsaid, earlier: [], items: [], walkthrough: [], verdicts: null, problems: [] };

describe('a whole submission', () => {
  it('comes out as it went in when it is strictly valid', () => {
    const item = submitted({ quote: 'a', lines: '3' });
    const walkthrough = [
      { paths: ['a.ts', 'b.ts'], changes: 'Adds a retry.', checked: 'Who calls it: two places, both wait.' },
    ];
    const whole = { walkthrough, files_review: [item], non_specific_review: 'Well.', approval };
    const items = [{ ok: true, number: 1, item }];
    expect(normaliseSubmission(whole)).toEqual({
      ...nothing,
      items,
      walkthrough,
      nonSpecificReview: 'Well.',
      approval,
    });
  });

  it('takes an absent nullable as null, an absent approval as a comment, and passes over unknown keys', () => {
    expect(normaliseSubmission({ files_review: [], verdict: 1 })).toEqual(nothing);
  });

  const line = { paths: ['a.ts'], changes: 'One.', checked: 'Two.' };
  const long = 'x'.repeat(500);
  it.each([
    ['that is no list', 7, []],
    ['with entries that are none', [null, 'a.ts', [], { paths: ['a.ts'] }, { ...line, paths: [' ', 7] }], []],
    ['with half a line', [{ paths: ['a.ts'], changes: 'One.' }], [{ ...line, checked: '' }]],
    ['with words of several lines', [{ ...line, checked: ' Two\n| three. ' }], [{ ...line, checked: 'Two | three.' }]],
    ['that came as JSON text', JSON.stringify([line]), [line]],
    ['with very long words', [{ ...line, changes: long }], [{ ...line, changes: cutLine(long, 240) }]],
    ['with one path for each line', [{ path: 'a.ts', changes: 'One.', checked: 'Two.' }], [line]],
    ['with a path that is no list', [{ ...line, paths: ' a.ts ' }], [line]],
    ['under the paths', { 'a.ts': { changes: 'One.', checked: 'Two.' } }, [line]],
  ])('keeps what can be read of a walkthrough %s, and the findings in any case', (_, walkthrough, read) => {
    const { items, walkthrough: kept, problems } = normaliseSubmission({ walkthrough, files_review: [submitted()] });
    expect({ found: items.map(({ ok }) => ok), kept, problems }).toEqual({ found: [true], kept: read, problems: [] });
  });

  const missing = 'files_review is missing: send a list, empty when there is nothing to report';
  const noObject = 'the submission must be an object with files_review and approval';
  it.each([
    [{}, missing],
    [{ approval }, missing],
    ['none', noObject],
    [null, noObject],
  ])('is no review without files_review: %j never reads as clean', (value, problem) => {
    expect(normaliseSubmission(value).problems).toEqual([problem]);
  });

  it('reads a list that came as JSON text, and one item without its list', () => {
    const item = submitted();
    const accepted = [{ ok: true, number: 1, item }];
    expect(normaliseSubmission({ files_review: JSON.stringify([item]) }).items).toEqual(accepted);
    expect(normaliseSubmission({ files_review: item }).items).toEqual(accepted);
  });

  it('keeps the good items beside the bad ones, each bad one with its own problem', () => {
    const { items } = normaliseSubmission({
      files_review: [submitted(), 'a bug', { ...submitted(), review: 7 }, submitted({ title: 'Other' })],
    });
    const read = items.map((item) => (item.ok ? item.number : `${item.number}: ${item.problem}`));
    expect(read).toEqual([1, '2: it must be an object', '3: review must be string', 4]);
  });

  it.each([
    [{ approved: true, action: 'approved' }, true, 'APPROVE'],
    [{ approved: false, action: 'request changes' }, false, 'REQUEST_CHANGES'],
    [{ approved: true, action: 'REQUEST_CHANGES' }, false, 'REQUEST_CHANGES'],
    [{ action: 'APPROVE' }, false, 'COMMENT'],
    [{ approved: 'yes', action: 'merge it' }, false, 'COMMENT'],
    ['APPROVE', false, 'COMMENT'],
  ])('has its approval read carefully: %j', (value, approved, action) => {
    const { approval } = normaliseSubmission({ files_review: [], approval: value });
    expect(approval).toEqual({ approved, rationale: '', action });
  });
});
