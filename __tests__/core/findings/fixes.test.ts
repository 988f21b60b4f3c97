import { describe, expect, it } from 'vitest';
import { type PlacedFinding, placed, unraised } from '../../../src/core/findings/finding.ts';
import { patchOf, planFixes, type WorkTreeFile } from '../../../src/core/findings/fixes.ts';
import { finding, linesAt } from '../../fakes/review-record.ts';

/** A confirmed finding on these lines of `a.ts`, which is to become the suggestion. */
function fixing(lines: readonly [number, number], quote: string, changes: Partial<PlacedFinding> = {}): PlacedFinding {
  const confirmed = {
    verification: 'confirmed',
    path: 'a.ts',
    anchor: linesAt(lines, quote),
    suggestion: 'new',
  } as const;
  return { ...placed(finding(), 'inline'), ...confirmed, ...changes };
}

function plan(text: string, findings: readonly PlacedFinding[], file: WorkTreeFile = { text }) {
  return planFixes(findings, { files: new Map([['a.ts', file]]), severity: 'warning' });
}

describe('suggestions that are applied', () => {
  it.each([
    ['one line', 'a\nb\nc\n', [2, 2], 'b', 'new', 'a\nnew\nc\n'],
    ['more lines than there were', 'a\nb\nc\n', [2, 2], 'b', 'x\ny\n', 'a\nx\ny\nc\n'],
    ['fewer lines than there were', 'a\nb\nc\n', [1, 2], 'a\nb', 'x', 'x\nc\n'],
    ['no line', 'a\nb\nc\n', [2, 2], 'b', '', 'a\nc\n'],
    ['carriage returns', 'a\r\nb\r\nc\r\n', [2, 2], 'b', 'x\ny', 'a\r\nx\r\ny\r\nc\r\n'],
    ['carriage returns, and no end of the last line', 'a\r\nb', [2, 2], 'b', 'x\ny', 'a\r\nx\r\ny'],
    ['a carriage return on the other lines alone', 'a\r\nb\nc\r\n', [2, 2], 'b', 'x\ny', 'a\r\nx\ny\nc\r\n'],
    ['no end of the last line', 'a\nb', [2, 2], 'b', 'x\ny', 'a\nx\ny'],
    ['one line without an end', 'a', [1, 1], 'a', 'x\ny', 'x\ny'],
    ['the last line, which is removed', 'a\nb\n', [2, 2], 'b', '', 'a\n'],
    ['a byte order mark elsewhere', '\uFEFFa\nb\n', [2, 2], 'b', 'x', '\uFEFFa\nx\n'],
  ] as const)('keep the line ends and the end of the file: %s', (_, text, lines, quote, suggestion, after) => {
    expect(plan(text, [fixing(lines, quote, { suggestion })])).toMatchObject({
      files: [{ path: 'a.ts', after }],
      left: [],
    });
  });

  it('keep their places, however many stand above them', () => {
    const findings = [fixing([1, 1], 'a', { suggestion: '1\n2\n3' }), fixing([3, 3], 'c'), fixing([2, 2], 'b')];
    expect(plan('a\nb\nc\n', findings).files).toEqual([
      { path: 'a.ts', before: 'a\nb\nc\n', after: '1\n2\n3\nnew\nnew\n' },
    ]);
  });

  it('overlap nothing: the more severe one is taken, and of two alike the first', () => {
    const findings = [
      fixing([1, 2], 'a\nb', { severity: 'warning', title: 'wide' }),
      fixing([2, 3], 'b\nc', { severity: 'critical', title: 'worst' }),
      fixing([3, 3], 'c', { severity: 'critical', title: 'second' }),
    ];
    const { files, applied, left } = plan('a\nb\nc\n', findings);
    expect([files[0]?.after, applied.map(({ title }) => title)]).toEqual(['a\nnew\n', ['worst']]);
    expect(left.map(({ finding: { title }, reason }) => [title, reason])).toEqual([
      ['second', 'it overlaps the one at a.ts:2, which comes first'],
      ['wide', 'it overlaps the one at a.ts:2, which is more severe'],
    ]);
  });

  it.each<[string, PlacedFinding, WorkTreeFile]>([
    ['it is below warning', fixing([1, 1], 'a', { severity: 'info' }), { text: 'a\n' }],
    ['verification did not confirm it', fixing([1, 1], 'a', { verification: 'undecided' }), { text: 'a\n' }],
    ['verification did not confirm it', { ...placed(finding(), 'inline'), path: 'a.ts' }, { text: 'a\n' }],
    ['it is for more lines than those shown', fixing([1, 1], 'a', { narrowed: true }), { text: 'a\n' }],
    [
      'it is for more lines than those shown',
      fixing([1, 1], 'a', { anchor: linesAt([1, 1], 'a', 'LEFT') }),
      { text: 'a\n' },
    ],
    [
      'it holds a secret, or characters that nobody sees',
      fixing([1, 1], 'a', { suggestion: 'x\u202E' }),
      { text: 'a\n' },
    ],
    ['the file is gone', fixing([1, 1], 'a'), { problem: 'the file is gone' }],
    ...['b\na\n', 'a \n', '', '\uFEFFa\n', 'a\u200B\n'].map((text): [string, PlacedFinding, WorkTreeFile] => [
      'the lines are not in the work tree as they were quoted',
      fixing([1, 1], 'a'),
      { text },
    ]),
  ])('are not all: %s', (reason, one, file) => {
    expect(plan('', [one], file)).toEqual({ files: [], applied: [], left: [{ finding: one, reason }] });
  });

  it('are those of the findings that people are shown', () => {
    const hidden = [
      unraised(fixing([1, 1], 'a'), { by: 'people', reason: { code: 'suppressed.people' } }),
      fixing([1, 1], 'a', { belowThreshold: true }),
      fixing([1, 1], 'a', { suggestion: null }),
    ];
    expect(plan('a\n', hidden)).toEqual({ files: [], applied: [], left: [] });
  });
});

it('a patch names a file as git does', () => {
  const named = ['plain.ts', 'with space.ts', 'say "hi"\t\\.ts', 'ü.ts'];
  const patch = patchOf(named.map((path) => ({ path, before: 'a\n', after: 'b\n' })));
  expect(patch.split('\n').filter((line) => line.startsWith('+++'))).toEqual([
    '+++ b/plain.ts',
    '+++ b/with space.ts\t',
    '+++ "b/say \\"hi\\"\\011\\\\.ts"\t',
    '+++ b/ü.ts',
  ]);
});
