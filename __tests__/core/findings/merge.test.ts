import { describe, expect, it } from 'vitest';
import type { Finding, Placement } from '../../../src/core/findings/finding.ts';
import { inOtherWords, mergeFindings, withoutEchoes } from '../../../src/core/findings/merge.ts';
import { limitFindings, placeFindings, rankFindings } from '../../../src/core/findings/place.ts';
import { changedFile, finding, hunk, linesAnchor } from './make.ts';

function titles(...findings: readonly Partial<Finding>[]) {
  return mergeApart(...findings.map((changes) => finding(changes))).map(({ title }) => title);
}

/** Each of another batch. */
function mergeApart(...findings: readonly Finding[]): readonly Finding[] {
  return mergeFindings(findings.map((one) => [one]));
}

describe('the same place and the same matter', () => {
  it('become one, with the richer text and the higher severity', () => {
    const brief = finding({
      id: 'f1',
      severity: 'critical',
      confidence: 0.4,
      ruleId: 'await',
      suggestion: 'await save();',
    });
    const rich = finding({
      id: 'f2',
      title: 'The total is never saved!',
      review: 'The promise is dropped, so …'.repeat(3),
    });
    const expected = [{ ...rich, id: 'f1', severity: 'critical', ruleId: 'await', suggestion: 'await save();' }];
    expect(mergeApart(brief, rich)).toEqual(expected);
    expect(mergeApart(rich, brief)).toEqual([{ ...expected[0], id: 'f2' }]);
  });

  it('become one when a rule and a model report them, in the words of the model', () => {
    const rule = finding({
      source: 'rule',
      ruleId: 'focused-test',
      title: 'Focused test',
      review: 'Long. '.repeat(50),
      severity: 'warning',
    });
    const model = finding({
      id: 'f2',
      ruleId: 'focused-test',
      title: 'Only one case of the suite runs',
      severity: 'info',
    });
    expect(mergeApart(rule, model)).toEqual([{ ...model, id: 'f1', severity: 'warning' }]);
  });

  it('name the lines that the kept one does not cover', () => {
    const [merged] = mergeApart(
      finding({
        anchor: linesAnchor(10, 12),
        review: 'The longer text is kept, with its place.',
        alsoAt: ['src/b.ts:3'],
      }),
      finding({ anchor: linesAnchor(12, 14) }),
    );
    expect(merged).toMatchObject({ anchor: { startLine: 10 }, alsoAt: ['src/b.ts:3', 'src/a.ts:12-14'] });
  });

  it('do not lend a suggestion to other lines', () => {
    const long = finding({ anchor: linesAnchor(1, 2), review: 'The longer text is kept, with its place.' });
    expect(mergeApart(long, finding({ suggestion: 'x' }))).toMatchObject([{ suggestion: null }]);
  });
});

describe('two reviewers that speak of the same names of the code', () => {
  const quote = '  await charge(user, amount);';
  const at = (startLine: number, changes: Partial<Finding> = {}) =>
    finding({ anchor: { kind: 'lines', side: 'RIGHT', startLine, endLine: 12, quote }, ...changes });
  const twice = at(11, { id: 'f1', title: 'A retry runs charge() twice' });
  const again = at(12, { id: 'f2', title: 'Charge is not idempotent', review: 'Twice.' });
  const apart = (...others: readonly Finding[]) =>
    mergeFindings([[twice], ...others.map((one) => [one])], inOtherWords);

  it('mean one defect, and the other title stays below the text', () => {
    expect(apart(again)).toEqual([
      { ...twice, review: `${twice.review}\n\nAlso reported as: Charge is not idempotent` },
    ]);
    expect(mergeFindings([[twice], [again]])).toEqual([twice, again]);
  });

  it.each<[string, Partial<Finding>]>([
    ['of another name', { title: 'The user of a charge may be null' }],
    ['of no name in the code', { title: 'A retry bills again' }],
    ['of another category', { category: 'documentation' }],
    ['of another rule', { ruleId: 'two' }],
    ['of a pattern rule', { source: 'rule' }],
    ['of another file', { path: 'src/b.ts' }],
    ['of other lines', { anchor: linesAnchor(30, 31) }],
    ['of the whole file', { anchor: { kind: 'file' } }],
  ])('unless one is %s', (_, changes) => {
    const other = { ...again, ...changes };
    expect(mergeFindings([[{ ...twice, ruleId: 'one' }], [other]], inOtherWords).map(({ id }) => id)).toEqual([
      'f1',
      'f2',
    ]);
  });
});

describe('findings stay apart', () => {
  it('when one submission names both, however alike they are', () => {
    const both = [finding({ id: 'f1' }), finding({ id: 'f2', review: 'Said in other words.' })];
    expect(mergeFindings([both])).toEqual(both);
    expect(mergeFindings([both, both.map((one) => ({ ...one, id: `${one.id}x` }))]).map(({ id }) => id)).toEqual([
      'f1',
      'f2',
    ]);
  });

  it('but for an echo of the same words at the same place', () => {
    expect(withoutEchoes([finding({ id: 'f1' }), finding({ id: 'f2' })]).map(({ id }) => id)).toEqual(['f1']);
  });

  it('when they are two bugs on one line', () => {
    const both = ['`user` may be null here', '`order` may be null here'];
    expect(titles({ title: 'Off by one in loop' }, { title: 'Sum overflows 32 bits' })).toHaveLength(2);
    expect(titles(...both.map((title) => ({ title })))).toEqual(both);
  });

  it('when they break two rules, however alike their titles', () => {
    expect(titles({ ruleId: 'one' }, { ruleId: 'two' })).toHaveLength(2);
  });

  it('when a model finds two things under one rule', () => {
    expect(
      titles({ ruleId: 'sql', title: 'Name is not escaped' }, { ruleId: 'sql', title: 'Query lacks limit' }),
    ).toHaveLength(2);
  });

  it('when they are at different places, on different sides, or about the whole file', () => {
    const left: Finding['anchor'] = { kind: 'lines', side: 'LEFT', startLine: 1, endLine: 1, quote: 'one' };
    expect(
      titles({}, { anchor: linesAnchor(2) }, { path: 'src/b.ts' }, { anchor: left }, { anchor: { kind: 'file' } }),
    ).toHaveLength(5);
  });
});

// On the RIGHT side lines 10 to 12 and 30 to 33, on the LEFT side lines 10 to 12 and 30 to 32.
const hunks = [hunk({ old: 10, new: 10 }, ' a', '-b', '+c', ' d'), hunk({ old: 30, new: 30 }, ' e', '+f', ' g', ' h')];
const files = [changedFile('src/a.ts', { hunks }), changedFile('src/cut.ts', { incomplete: 'too large' })];

function place(...anchors: readonly ReturnType<typeof linesAnchor>[]) {
  return placeFindings(
    anchors.map((anchor) => finding({ anchor, suggestion: 'x' })),
    { files },
  );
}

describe('a finding is inline', () => {
  it('at exactly its lines when one hunk shows them all', () => {
    const anchors = [linesAnchor(11), linesAnchor(10, 12), linesAnchor(33)];
    expect(place(...anchors)).toEqual(
      anchors.map((anchor) => ({ finding: finding({ anchor, suggestion: 'x' }), place: 'inline' })),
    );
  });

  it('on the LEFT side by the numbers of that side', () => {
    const left = (line: number) => ({ ...linesAnchor(line), side: 'LEFT' as const });
    expect(place(left(32), left(33))).toMatchObject([{ place: 'inline' }, { place: 'body' }]);
  });

  it('at those of its lines that a hunk shows, and the suggestion for all of them can be read there, not applied', () => {
    expect(place(linesAnchor(8, 11), linesAnchor(12, 20))).toMatchObject([
      {
        place: 'inline',
        finding: { anchor: { startLine: 10, endLine: 11, quote: 'line 10\nline 11' }, suggestion: 'x', narrowed: true },
      },
      {
        place: 'inline',
        finding: { anchor: { startLine: 12, endLine: 12, quote: 'line 12' }, suggestion: 'x', narrowed: true },
      },
    ]);
  });

  it('in the hunk that shows most of it when it spans two', () => {
    expect(place(linesAnchor(12, 31), linesAnchor(12, 30))).toMatchObject([
      { finding: { anchor: { startLine: 30, endLine: 31 } } },
      { finding: { anchor: { startLine: 12, endLine: 12 } } },
    ]);
  });
});

describe('a finding that GitHub takes at no line', () => {
  it('is file-level when it is about a changed file', () => {
    expect(placeFindings([finding({ anchor: { kind: 'file' } })], { files })).toMatchObject([{ place: 'file' }]);
  });

  it.each([
    ['src/a.ts', 'line not in the diff'],
    ['src/other.ts', 'not in the diff'],
    ['src/cut.ts', 'the diff of this file is incomplete'],
  ])('goes to the body, never to another line: %s', (path, reason) => {
    const lost = finding({ path, anchor: linesAnchor(20, 24), suggestion: 'x' });
    expect(placeFindings([lost], { files })).toEqual([{ finding: lost, place: 'body', reason }]);
  });
});

describe('ranking', () => {
  it('goes by severity, confidence, path, line, and keeps the order of equals', () => {
    const ranked = rankFindings([
      finding({ id: 'nit', severity: 'nitpick', confidence: 1 }),
      finding({ id: 'unsure', confidence: 0.1 }),
      finding({ id: 'later file', path: 'src/b.ts' }),
      finding({ id: 'Z comes before a', path: 'Z.ts' }),
      finding({ id: 'later line', anchor: linesAnchor(10) }),
      finding({ id: 'earlier line', anchor: linesAnchor(9) }),
      finding({ id: 'its equal', anchor: linesAnchor(9) }),
      finding({ id: 'whole file', anchor: { kind: 'file' } }),
      finding({ id: 'critical', severity: 'critical', confidence: 0 }),
    ]);
    expect(ranked.map(({ id }) => id)).toEqual([
      'critical',
      'Z comes before a',
      'whole file',
      'earlier line',
      'its equal',
      'later line',
      'later file',
      'unsure',
      'nit',
    ]);
  });
});

describe('limits', () => {
  const inline = (changes: Parameters<typeof finding>[0]): Placement => ({
    finding: finding(changes),
    place: 'inline',
  });
  const placements: readonly Placement[] = [
    inline({ id: 'a', severity: 'critical' }),
    { finding: finding({ id: 'b', confidence: 0.2 }), place: 'body', reason: 'not in the diff' },
    { finding: finding({ id: 'c' }), place: 'suppressed', reason: 'refused before' },
    { finding: finding({ id: 'd' }), place: 'file' },
    inline({ id: 'e', severity: 'info' }),
    inline({ id: 'f', severity: 'nitpick' }),
  ];
  const open = { minSeverity: 'nitpick', minConfidence: 0, maxComments: 15 } as const;

  function limited(limits: Partial<Parameters<typeof limitFindings>[1]>) {
    return limitFindings(placements, { ...open, ...limits }).map((placement) =>
      'reason' in placement ? `${placement.finding.id}: ${placement.place}, ${placement.reason}` : placement.finding.id,
    );
  }

  const untouched = ['b: body, not in the diff', 'c: suppressed, refused before'];

  it.each([
    ['nothing', {}, ['a', ...untouched, 'd', 'e', 'f']],
    [
      'what is below min-severity',
      { minSeverity: 'info' },
      ['a', ...untouched, 'd', 'e', 'f: summary, below min-severity (info)'],
    ],
    [
      'what is below min-confidence',
      { minConfidence: 0.2001 },
      ['a', 'b: summary, below min-confidence (0.2001)', untouched[1], 'd', 'e', 'f'],
    ],
    [
      'what is beyond max-comments, whatever its place',
      { maxComments: 2 },
      ['a', ...untouched, ...['d', 'e', 'f'].map((id) => `${id}: summary, beyond max-comments (2)`)],
    ],
    [
      'nothing that another limit already moved from the count',
      { minConfidence: 0.5, maxComments: 3 },
      ['a', 'b: summary, below min-confidence (0.5)', untouched[1], 'd', 'e', 'f: summary, beyond max-comments (3)'],
    ],
  ] as const)('move to the summary %s', (_, limits, expected) => {
    expect(limited(limits)).toEqual(expected);
  });

  it('count comments from none', () => {
    expect(limited({ maxComments: 0 })).not.toContain('a');
  });
});
