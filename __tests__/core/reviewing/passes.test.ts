import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Finding } from '../../../src/core/findings/finding.ts';
import { mergePasses } from '../../../src/core/findings/merge.ts';
import { verbatim } from '../../../src/core/messages/message.ts';
import { mergeFollowUp } from '../../../src/core/reviewing/follow-up.ts';
import { reviewInPasses } from '../../../src/core/reviewing/passes.ts';
import { applyVerdicts, type Verdict } from '../../../src/core/reviewing/verification-call.ts';
import { finding, linesAt } from '../../fakes/review-record.ts';
import { batchWith } from '../../fakes/rich-record.ts';
import { batchOf, changedFile } from '../findings/make.ts';

function at(id: string, lines: readonly [number, number], changes: Partial<Finding> = {}): Finding {
  return finding({ id, anchor: linesAt(lines, 'x'), ...changes });
}

describe('passes', () => {
  it('agree on a finding about a common line, however it is worded: the one that proves it best stays', () => {
    const one = at('f1', [4, 4], { title: 'Reads past the end', severity: 'info' });
    const other = at('f2', [3, 6], { title: 'An index error for every cart', severity: 'critical' });
    expect(mergePasses([[one], [other]])).toEqual({ findings: [other], once: new Set() });
  });

  it('agree on all places that any of them named', () => {
    const passes = [['b.ts:1'], ['b.ts:1', 'c.ts:2'], [`${finding().path}:4`]].map((alsoAt, index) => [
      at(`f${index}`, [4, 4], { alsoAt }),
    ]);
    expect(mergePasses(passes).findings.map(({ alsoAt }) => alsoAt)).toEqual([['b.ts:1', 'c.ts:2']]);
  });

  it('do not agree on two rules, two files or two places', () => {
    const first = [at('f1', [4, 4], { ruleId: 'a' }), at('f2', [10, 12]), at('f3', [4, 4], { path: 'b.ts' })];
    const second = [at('f4', [4, 4], { ruleId: 'b' }), at('f5', [13, 14]), at('f6', [4, 4], { path: 'c.ts' })];
    expect(mergePasses([first, second]).once.size).toBe(6);
  });

  it('match one to one, the same title first, then most lines in common: two bugs on a line stay two', () => {
    const empty = { title: 'The cart may be empty' };
    const first = [at('f1', [4, 4], { title: 'The lock is never released' }), at('f2', [4, 4], empty)];
    expect([...mergePasses([first, [at('f3', [4, 4], empty)]]).once]).toEqual(['f1']);
    expect([...mergePasses([[at('f1', [4, 9]), at('f2', [4, 5])], [at('f3', [4, 5])]]).once]).toEqual(['f1']);
  });
});

const someFinding = fc
  .record({
    line: fc.integer({ min: 1, max: 6 }),
    length: fc.nat({ max: 2 }),
    title: fc.constantFrom('The cart may be empty', 'The lock is never released', 'Prices are summed as text'),
    path: fc.constantFrom('a.ts', 'b.ts'),
    ruleId: fc.constantFrom(null, 'one', 'two'),
    file: fc.boolean(),
  })
  .map(({ line, length, title, path, ruleId, file }) => {
    const given = at('', [line, line + length], { title, path, ruleId });
    return file ? { ...given, anchor: { kind: 'file' as const } } : given;
  });

const named = (pass: readonly Finding[], name: string | number) =>
  pass.map((one, index) => ({ ...one, id: `${name}-${index}` }));
const somePasses = fc
  .array(fc.array(someFinding, { maxLength: 5 }), { minLength: 1, maxLength: 4 })
  .map((passes) => passes.map(named));

it('whatever passes find, nothing is lost or doubled, and nothing is merged within a pass', () => {
  fc.assert(
    fc.property(somePasses, (passes) => {
      const { findings, once } = mergePasses(passes);
      const ids = findings.map(({ id }) => id);
      expect(new Set(ids).size).toBe(ids.length);
      expect(ids.every((id) => passes.flat().some((one) => one.id === id))).toBe(true);
      expect(findings.length).toBeGreaterThanOrEqual(Math.max(...passes.map((pass) => pass.length)));
      expect(findings.length).toBeLessThanOrEqual(passes.flat().length);
      // Every matter that is not alone stands for two at least.
      expect(passes.flat().length).toBeGreaterThanOrEqual(once.size + 2 * (findings.length - once.size));
    }),
  );
});

it('a pass that is made twice is agreed on in everything', () => {
  fc.assert(
    fc.property(fc.array(someFinding, { maxLength: 5 }), (pass) => {
      expect(mergePasses([named(pass, 'a'), named(pass, 'b')]).once).toEqual(new Set());
    }),
  );
});

it('what one of several passes doubts, nobody takes back: its words, its approval, and what of it could not be read', async () => {
  const batch = batchOf([changedFile('src/a.ts')]);
  const one = { ...batchWith([]).report, gap: null };
  const fine = { approved: true, rationale: 'Fine.', action: 'APPROVE' } as const;
  const asks = { approved: false, rationale: 'It is paid twice.', action: 'REQUEST_CHANGES' } as const;
  const gap = verbatim('1 item could not be read.');
  const reports = [
    { approval: fine },
    { gap, approval: asks },
    { approval: fine, nonSpecificReview: 'It is paid twice.' },
  ];
  const { review } = await reviewInPasses(batch, {
    passes: 3,
    review: async ({ number }) => ({ report: { ...one, ...reports[number - 1] }, findings: [], disproved: [] }),
  });
  expect(review.report).toMatchObject({ gap, approval: asks, nonSpecificReview: 'It is paid twice.' });
});

it('verdicts lose nothing: each finding is kept or dismissed, rules are not touched, and twice is once', () => {
  const verdicts = fc.record({ confirmed: fc.array(fc.nat({ max: 5 })), dismissed: fc.array(fc.nat({ max: 5 })) });
  fc.assert(
    fc.property(fc.array(fc.boolean(), { maxLength: 6 }), verdicts, (rules, { confirmed, dismissed }) => {
      const findings = rules.map((isRule, index) => at(`${index}`, [1, 1], { source: isRule ? 'rule' : 'model' }));
      const given = new Map<string, Verdict>();
      for (const index of dismissed) given.set(String(index), { kind: 'disproved', reason: verbatim('wrong') });
      for (const index of confirmed) given.set(String(index), { kind: 'confirmed' });
      const judged = applyVerdicts(findings, given, 'verification');
      const all = [...judged.findings, ...judged.disproved];
      expect(new Set(all.map(({ id }) => id))).toEqual(new Set(findings.map(({ id }) => id)));
      expect(all.length).toBe(findings.length);
      const isRight = ({ id, source }: Finding) => source === 'model' && given.get(id)?.kind === 'disproved';
      expect(judged.disproved.every(isRight)).toBe(true);
      expect(applyVerdicts(judged.findings, given, 'verification').findings).toEqual(judged.findings);
    }),
  );
});

const numbered = (letter: string, count: number) =>
  Array.from({ length: count }, (_, index) => finding({ id: `${letter}${index + 1}` }));
const before = numbered('f', 3);

function ids({ findings }: { readonly findings: readonly { readonly id: string }[] }): readonly string[] {
  return findings.map(({ id }) => id);
}

function said(confirmed: readonly number[], ...dismissed: readonly { finding: number; reason: string }[]) {
  return { confirmed, dismissed };
}

describe('the merge of a follow-up', () => {
  it('counts what is said once more as confirmed, also when it is dismissed at once', () => {
    const again = before.map((one, index) => (index === 1 ? { ...one, review: 'Said once more.' } : one));
    const merged = mergeFollowUp(before, again, said([], { finding: 2, reason: 'No.' }));
    expect([ids(merged), merged.confirmed, merged.removed]).toEqual([['f1', 'f2', 'f3'], 1, 0]);
  });

  it('takes a list that is given again for the same findings, one by one at the same place, however they are worded', () => {
    const reworded = numbered('n', 3).map((one) => ({ ...one, title: `In other words: ${one.id}` }));
    const two = before.slice(0, 2);
    const merged = mergeFollowUp(two, [...two, ...reworded], null);
    expect([ids(merged), merged.confirmed, merged.added]).toEqual([['f1', 'f2', 'n3'], 2, 1]);
  });

  it('loses nothing, doubles nothing and takes out only what was dismissed with a reason, whatever is said', () => {
    const numbers = fc.array(fc.integer({ min: -2, max: 12 }), { maxLength: 12 });
    fc.assert(
      fc.property(fc.nat(8), fc.nat(4), numbers, numbers, (known, more, confirmed, dismissed) => {
        const first = numbered('f', known);
        const after = [...first, ...numbered('n', more)];
        const refuted = dismissed.map((number) => ({ finding: number, reason: 'Refuted.' }));
        const merged = mergeFollowUp(first, after, said(confirmed, ...refuted));
        const gone = merged.disproved.map(({ id }) => id);
        const isGone = (number: number) => dismissed.includes(number) && !confirmed.includes(number);
        const expectedGone = first.flatMap(({ id }, index) => (isGone(index + 1) ? [id] : []));
        expect([...gone].sort()).toEqual([...expectedGone].sort());
        expect([...ids(merged), ...gone].sort()).toEqual(after.map(({ id }) => id).sort());
        expect([merged.removed, merged.added]).toEqual([gone.length, more]);
      }),
    );
  });
});
