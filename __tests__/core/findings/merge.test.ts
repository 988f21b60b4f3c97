import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Finding, type PlacedFinding, placed, unraised } from '../../../src/core/findings/finding.ts';
import { inOtherWords, mergeFindings, withoutEchoes } from '../../../src/core/findings/merge.ts';
import { limitFindings, placeFindings, rankFindings } from '../../../src/core/findings/place.ts';
import { inEnglish } from '../../../src/core/messages/languages.ts';
import { verbatim } from '../../../src/core/messages/message.ts';
import { commentableLines } from '../../../src/core/pull-request/changed-file.ts';
import { linesAt } from '../../fakes/review-record.ts';
import { changedFile, finding, hunk, linesAnchor } from './make.ts';

/** Each of another batch. */
function mergeApart(...findings: readonly Finding[]): readonly Finding[] {
  return mergeFindings(findings.map((one) => [one]));
}

describe('the same place and the same matter', () => {
  it('become one, with the richer text and the higher severity', () => {
    const said = { severity: 'critical', ruleId: 'await', suggestion: 'await save();' } as const;
    const brief = finding({ ...said, id: 'f1', confidence: 0.4 });
    const rich = finding({ id: 'f2', title: 'The total is never saved!', review: 'It is dropped, so …'.repeat(3) });
    expect(mergeApart(brief, rich)).toEqual([{ ...rich, ...said, id: 'f1' }]);
    expect(mergeApart(rich, brief)).toEqual([{ ...rich, ...said }]);
  });

  it('become one when a rule and a model report them, in the words of the model', () => {
    const rule = finding({ source: 'rule', ruleId: 'only', title: 'Focused test', review: 'Long. '.repeat(50) });
    const model = finding({ id: 'f2', ruleId: 'only', title: 'Only one case of the suite runs', severity: 'info' });
    expect(mergeApart(rule, model)).toEqual([{ ...model, id: 'f1', severity: 'warning' }]);
  });

  const longer = 'The longer text is kept, with its place.';

  it('name the lines that the kept one does not cover', () => {
    const kept = finding({ anchor: linesAnchor(10, 12), review: longer, alsoAt: ['src/b.ts:3'] });
    expect(mergeApart(kept, finding({ anchor: linesAnchor(12, 14) }))).toMatchObject([
      { anchor: { startLine: 10 }, alsoAt: ['src/b.ts:3', 'src/a.ts:12-14'] },
    ]);
  });

  it('count the places that neither names', () => {
    const rule = (more: Partial<Finding>) =>
      finding({ source: 'rule', ruleId: 'only', alsoAt: ['src/b.ts:3'], ...more });
    const counts = [{}, { alsoMore: 2 }].map((more) => mergeApart(rule({ alsoMore: 70 }), finding(more))[0]?.alsoMore);
    expect([...counts, mergeApart(finding(), finding())[0]?.alsoMore]).toEqual([70, 72, undefined]);
  });

  it('do not lend a suggestion to other lines', () => {
    const long = finding({ anchor: linesAnchor(1, 2), review: longer });
    expect(mergeApart(long, finding({ suggestion: 'x' }))).toMatchObject([{ suggestion: null }]);
  });
});

describe('two reviewers that speak of the same names of the code', () => {
  const quote = '  await charge(user, amount);';
  const at = (startLine: number, changes: Partial<Finding>) =>
    finding({ anchor: linesAt([startLine, 12], quote), ...changes });
  const twice = at(11, { id: 'f1', title: 'A retry runs charge() twice' });
  const again = at(12, { id: 'f2', title: 'Charge is not idempotent', review: 'Twice.' });
  it('mean one defect, and the other title stays below the text', () => {
    expect(mergeFindings([[twice], [again]], inOtherWords)).toEqual([
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
    const two = [[{ ...twice, ruleId: 'one' }], [{ ...again, ...changes }]];
    expect(mergeFindings(two, inOtherWords).map(({ id }) => id)).toEqual(['f1', 'f2']);
  });
});

describe('a rule and a model on mostly the same lines', () => {
  const rule = finding({
    source: 'rule',
    ruleId: 'sql-concatenation',
    title: 'A value is pasted into SQL',
    category: 'security',
    anchor: linesAnchor(10),
  });
  const model = finding({
    id: 'f2',
    title: 'SQL injection through `name` of the search form',
    review: 'Said of this code.',
    category: 'security',
    anchor: linesAnchor(9, 11),
  });
  it('mean one defect when they share a word: the words of the model, and the name of the rule', () => {
    expect(mergeFindings([[rule], [model]], inOtherWords)).toEqual([
      { ...model, id: 'f1', ruleId: 'sql-concatenation' },
    ]);
  });

  it.each<[string, Partial<Finding>]>([
    ['shares only a vague word', { title: 'The value is not trimmed' }],
    ['is of another category', { category: 'performance' }],
    ['names another rule', { ruleId: 'own' }],
    ['is about many lines', { anchor: linesAnchor(1, 30) }],
  ])('stay two when the model %s', (_, changes) => {
    const two = [[rule], [{ ...model, ...changes }]];
    expect(mergeFindings(two, inOtherWords).map(({ id }) => id)).toEqual(['f1', 'f2']);
  });
});

describe('findings stay apart', () => {
  it('when one submission names both, however alike they are', () => {
    const both = [finding({ id: 'f1' }), finding({ id: 'f2', review: 'Said in other words.' })];
    expect(mergeFindings([both, both.map((one) => ({ ...one, id: `${one.id}x` }))])).toEqual(both);
  });

  it('but for an echo of the same words at the same place', () => {
    expect(withoutEchoes([finding({ id: 'f1' }), finding({ id: 'f2' })]).map(({ id }) => id)).toEqual(['f1']);
  });

  it.each<[string, ...Partial<Finding>[]]>([
    ['are two bugs on one line', { title: 'Off by one in loop' }, { title: 'Sum overflows 32 bits' }],
    ['are about two names', { title: '`user` may be null here' }, { title: '`order` may be null here' }],
    ['break two rules, however alike their titles', { ruleId: 'one' }, { ruleId: 'two' }],
    ['are two things under one rule', { ruleId: 'sql', title: 'Not escaped' }, { ruleId: 'sql', title: 'No limit' }],
    ['are at different places', {}, { anchor: linesAnchor(2) }],
    ['are in different files', {}, { path: 'src/b.ts' }],
    ['are on different sides', {}, { anchor: linesAt([1, 1], 'one', 'LEFT') }],
    ['are about a line and about the whole file', {}, { anchor: { kind: 'file' } }],
  ])('when they %s', (_, ...changes) => {
    const both = changes.map((one) => finding(one));
    expect(mergeApart(...both)).toEqual(both);
  });
});

// On the RIGHT side lines 10 to 12 and 30 to 33, on the LEFT side lines 10 to 12 and 30 to 32.
const hunks = [hunk({ old: 10, new: 10 }, ' a', '-b', '+c', ' d'), hunk({ old: 30, new: 30 }, ' e', '+f', ' g', ' h')];
const files = [changedFile('src/a.ts', { hunks }), changedFile('src/cut.ts', { incomplete: verbatim('too large') })];

const left = (line: number) => ({ ...linesAnchor(line), side: 'LEFT' as const });

describe('a finding is inline', () => {
  it.each([
    ['its line when a hunk shows it', linesAnchor(11), linesAnchor(11)],
    ['its line on the LEFT side, by the numbers of that side', left(32), left(32)],
    ['the first of its lines that a hunk shows', linesAnchor(8, 11), linesAnchor(10, 11)],
    ['the last of its lines that a hunk shows', linesAnchor(12, 20), linesAnchor(12)],
    ['those in the hunk that shows most of them', linesAnchor(12, 31), linesAnchor(30, 31)],
  ])('at %s', (_, given, anchor) => {
    // The suggestion for all of its lines can be read there, not applied.
    const narrowed = JSON.stringify(given) === JSON.stringify(anchor) ? {} : { narrowed: true as const };
    expect(placeFindings([finding({ anchor: given, suggestion: 'x' })], { files })).toEqual([
      placed(finding({ anchor, suggestion: 'x', ...narrowed }), 'inline'),
    ]);
  });
});

describe('a finding that GitHub takes at no line', () => {
  it('is file-level when it is about a changed file', () => {
    expect(placeFindings([finding({ anchor: { kind: 'file' } })], { files })).toMatchObject([{ place: 'file' }]);
  });

  it.each([
    ['src/a.ts', linesAnchor(20, 24), 'place.not-in-diff-line'],
    ['src/a.ts', left(33), 'place.not-in-diff-line'],
    ['src/other.ts', linesAnchor(11), 'place.not-in-diff'],
    ['src/cut.ts', linesAnchor(11), 'place.incomplete-file'],
  ] as const)('goes to the body, never to another line: %s', (path, anchor, code) => {
    const lost = finding({ path, anchor, suggestion: 'x' });
    expect(placeFindings([lost], { files })).toEqual([placed(lost, 'body', { reason: { code } })]);
  });
});

describe('ranking', () => {
  it('goes by severity, confidence, path, line, and keeps the order of equals', () => {
    const inOrder = [
      finding({ id: 'critical', severity: 'critical', confidence: 0 }),
      finding({ id: 'Z comes before a', path: 'Z.ts' }),
      finding({ id: 'whole file', anchor: { kind: 'file' } }),
      finding({ id: 'earlier line', anchor: linesAnchor(9) }),
      finding({ id: 'its equal', anchor: linesAnchor(9) }),
      finding({ id: 'later line', anchor: linesAnchor(10) }),
      finding({ id: 'later file', path: 'src/b.ts' }),
      finding({ id: 'unsure', confidence: 0.1 }),
      finding({ id: 'nit', severity: 'nitpick', confidence: 1 }),
    ];
    const [first, zed, whole, earlier, equal, ...later] = inOrder;
    const mixed = [...later.toReversed(), zed, earlier, equal, whole, first];
    expect(rankFindings(mixed.flatMap((one) => one ?? []))).toEqual(inOrder);
  });
});

describe('limits', () => {
  const inline = (changes: Partial<Finding>): PlacedFinding => placed(finding(changes), 'inline');
  const placements: readonly PlacedFinding[] = [
    inline({ id: 'a', severity: 'critical' }),
    placed(finding({ id: 'b', confidence: 0.2 }), 'body', { reason: { code: 'place.not-in-diff' } }),
    unraised(finding({ id: 'c' }), { by: 'people', reason: verbatim('refused before') }),
    placed(finding({ id: 'd' }), 'file'),
    inline({ id: 'e', severity: 'info' }),
    inline({ id: 'f', severity: 'nitpick' }),
  ];
  const open = { minSeverity: 'nitpick', minConfidence: 0, maxComments: 15 } as const;
  const beyond = (count: number, ids: string) => [...ids].map((id) => `${id}: beyond max-comments (${count})`);

  const unsure = 'b: below min-confidence (0.5)';

  it.each<[string, Partial<Parameters<typeof limitFindings>[1]>, readonly string[]]>([
    ['nothing', {}, []],
    ['what is below min-severity', { minSeverity: 'info' }, ['f: below min-severity (info)']],
    ['what is below min-confidence', { minConfidence: 0.2001 }, ['b: below min-confidence (0.2001)']],
    ['what is beyond max-comments, whatever its place', { maxComments: 2 }, beyond(2, 'def')],
    [
      'nothing that another limit moved from the count',
      { minConfidence: 0.5, maxComments: 3 },
      [unsure, ...beyond(3, 'f')],
    ],
  ])('move to the summary %s, and leave the others as they are', (_, limits, moved) => {
    const limited = limitFindings(placements, { ...open, ...limits });
    const reasons = limited.map((one) =>
      one.place === 'summary' && one.reason !== null ? `${one.id}: ${inEnglish(one.reason)}` : one,
    );
    const expected = placements.map((one) => moved.find((text) => text.startsWith(one.id)) ?? one);
    expect(reasons).toEqual(expected);
  });
});

const findings = fc.record({
  start: fc.integer({ min: 1, max: 30 }),
  length: fc.nat(12),
  title: fc.constantFrom('Total is lost', 'The total is lost', 'Index is off by one'),
  severity: fc.constantFrom('critical', 'warning', 'info', 'nitpick'),
});
const made = fc
  .array(findings.map(({ start, length, ...said }) => finding({ ...said, anchor: linesAnchor(start, start + length) })))
  .map((all) => all.map((one, index) => ({ ...one, id: `f${index}` })));

describe('all findings', () => {
  const changed = changedFile('src/a.ts', {
    hunks: [hunk({ old: 5, new: 5 }, ' a', '+b', ' c'), hunk({ old: 20, new: 21 }, '-a', '+b', ' c')],
  });

  it('that are inline are commentable, within their own lines', () => {
    fc.assert(
      fc.property(made, (all) => {
        const { hunkOf } = commentableLines(changed);
        placeFindings(all, { files: [changed] }).forEach(({ place, reason: _, url: __, ...placed }, index) => {
          const before = all[index]?.anchor;
          if (place !== 'inline' || placed.anchor.kind === 'file' || before?.kind !== 'lines') return;
          const { startLine, endLine, side } = placed.anchor;
          expect(hunkOf(side, startLine)).not.toBeNull();
          expect(hunkOf(side, startLine)).toBe(hunkOf(side, endLine));
          expect(before.startLine <= startLine && startLine <= endLine && endLine <= before.endLine).toBe(true);
        });
      }),
    );
  });

  it('are still there after ranking, placing and limiting', () => {
    fc.assert(
      fc.property(made, (all) => {
        const limits = { minSeverity: 'info', minConfidence: 0.5, maxComments: 3 } as const;
        const placed = limitFindings(placeFindings(rankFindings(all), { files: [changed] }), limits);
        expect(placed.map(({ id }) => id).sort()).toEqual(all.map(({ id }) => id).sort());
        expect(placed.filter(({ place }) => place !== 'summary').length).toBeLessThanOrEqual(3);
      }),
    );
  });

  it('are merged over batches, never within one, and every line that was named is still named', () => {
    fc.assert(
      fc.property(made, fc.nat(), (all, at) => {
        const batches = [all.slice(0, at % (all.length + 1)), all.slice(at % (all.length + 1))];
        const merged = mergeFindings(batches);
        expect(merged.length).toBeGreaterThanOrEqual(Math.max(...batches.map(({ length }) => length)));
        expect(linesNamed(merged)).toEqual(linesNamed(all));
      }),
    );
  });
});

function linesNamed(all: readonly Finding[]): readonly number[] {
  const places = all.flatMap(({ anchor, alsoAt }) =>
    anchor.kind === 'lines' ? [`${anchor.startLine}-${anchor.endLine}`, ...alsoAt] : alsoAt,
  );
  const ranges = places.map((place) => place.replace('src/a.ts:', '').split('-').map(Number));
  const lines = Array.from({ length: 50 }, (_, line) => line);
  return lines.filter((line) => ranges.some(([start = 0, end = start]) => start <= line && line <= end));
}
