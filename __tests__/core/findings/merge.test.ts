import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Finding } from '../../../src/core/findings/finding.ts';
import { mergeFindings, withoutEchoes } from '../../../src/core/findings/merge.ts';
import { isOne } from '../../../src/core/findings/similarity.ts';
import { linesAt } from '../../fakes/review-record.ts';
import { finding, linesAnchor, manyFindings } from './make.ts';

function mergeGroups(groups: readonly (readonly Finding[])[]): readonly Finding[] {
  return mergeFindings(groups, isOne.inReview);
}

/** Each of another batch. */
function mergeApart(...findings: readonly Finding[]): readonly Finding[] {
  return mergeGroups(findings.map((one) => [one]));
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
    expect(mergeApart(twice, again)).toEqual([
      { ...twice, review: `${twice.review}\n\nAlso reported as: Charge is not idempotent` },
    ]);
    expect(mergeFindings([[twice], [again]], isOne.inConversation)).toEqual([twice, again]);
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
    const two = mergeApart({ ...twice, ruleId: 'one' }, { ...again, ...changes });
    expect(two.map(({ id }) => id)).toEqual(['f1', 'f2']);
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
    expect(mergeApart(rule, model)).toEqual([{ ...model, id: 'f1', ruleId: 'sql-concatenation' }]);
  });

  it.each<[string, Partial<Finding>]>([
    ['shares only a vague word', { title: 'The value is not trimmed' }],
    ['is of another category', { category: 'performance' }],
    ['names another rule', { ruleId: 'own' }],
    ['is about many lines', { anchor: linesAnchor(1, 30) }],
  ])('stay two when the model %s', (_, changes) => {
    expect(mergeApart(rule, { ...model, ...changes }).map(({ id }) => id)).toEqual(['f1', 'f2']);
  });
});

it('two titles under one rule are one of two reviewers, which keeps both, and two of one', () => {
  const two = [
    finding({ ruleId: 'sql', title: 'Not escaped' }),
    finding({ ruleId: 'sql', title: 'No limit', id: 'f2' }),
  ];
  const [one, other] = two.map((each) => [each]);
  expect(mergeApart(...two).map(({ title, review }) => [title, /reported as: (.*)$/.exec(review)?.[1]])).toEqual([
    ['Not escaped', 'No limit'],
  ]);
  expect(mergeFindings([one ?? [], other ?? []], isOne.inConversation)).toEqual(two);
});

it('lines that were removed are no place at head', () => {
  const removed = (lines: readonly [number, number], id: string) =>
    finding({ id, anchor: linesAt(lines, 'x', 'LEFT') });
  expect(mergeApart(removed([4, 6], 'f1'), removed([6, 9], 'f2')).map(({ alsoAt }) => alsoAt)).toEqual([[]]);
});

describe('findings stay apart', () => {
  it('when one submission names both, however alike they are', () => {
    const both = [finding({ id: 'f1' }), finding({ id: 'f2', review: 'Said in other words.' })];
    expect(mergeGroups([both, both.map((one) => ({ ...one, id: `${one.id}x` }))])).toEqual(both);
  });

  it('but for an echo of the same words at the same place, under the same rule', () => {
    const all = [finding({ id: 'f1' }), finding({ id: 'f2' }), finding({ id: 'f3', ruleId: 'sql' })];
    expect(withoutEchoes(all).map(({ id }) => id)).toEqual(['f1', 'f3']);
  });

  it.each<[string, ...Partial<Finding>[]]>([
    ['are two bugs on one line', { title: 'Off by one in loop' }, { title: 'Sum overflows 32 bits' }],
    ['are about two names', { title: '`user` may be null here' }, { title: '`order` may be null here' }],
    ['break two rules, however alike their titles', { ruleId: 'one' }, { ruleId: 'two' }],
    ['are at different places', {}, { anchor: linesAnchor(2) }],
    ['are in different files', {}, { path: 'src/b.ts' }],
    ['are on different sides', {}, { anchor: linesAt([1, 1], 'one', 'LEFT') }],
    ['are about a line and about the whole file', {}, { anchor: { kind: 'file' } }],
  ])('when they %s', (_, ...changes) => {
    const both = changes.map((one) => finding(one));
    expect(mergeApart(...both)).toEqual(both);
  });
});

it('findings are merged over batches, never within one, and every line that was named is still named', () => {
  fc.assert(
    fc.property(manyFindings, fc.nat(), (all, at) => {
      const batches = [all.slice(0, at % (all.length + 1)), all.slice(at % (all.length + 1))];
      const merged = mergeGroups(batches);
      expect(merged.length).toBeGreaterThanOrEqual(Math.max(...batches.map(({ length }) => length)));
      expect(linesNamed(merged)).toEqual(linesNamed(all));
    }),
  );
});

function linesNamed(all: readonly Finding[]): readonly number[] {
  const places = all.flatMap(({ anchor, alsoAt }) =>
    anchor.kind === 'lines' ? [`${anchor.startLine}-${anchor.endLine}`, ...alsoAt] : alsoAt,
  );
  const ranges = places.map((place) => place.replace('src/a.ts:', '').split('-').map(Number));
  const lines = Array.from({ length: 50 }, (_, line) => line);
  return lines.filter((line) => ranges.some(([start = 0, end = start]) => start <= line && line <= end));
}
