import { describe, expect, it } from 'vitest';
import type { Finding } from '../../../src/core/findings/finding.ts';
import { mergeFindings, withoutEchoes } from '../../../src/core/findings/merge.ts';
import { finding, linesAnchor } from './make.ts';

function titles(...findings: readonly Partial<Finding>[]) {
  return mergeApart(...findings.map((changes) => finding(changes))).map(({ title }) => title);
}

/** Each of another bundle. */
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
