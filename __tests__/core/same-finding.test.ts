import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import type { AcceptedItem, FailedItem } from '../../src/core/findings/check-item.ts';
import type { Finding } from '../../src/core/findings/finding.ts';
import { notTakenUp } from '../../src/core/findings/give-back.ts';
import { gatherCauses, mergeFindings, mergePasses } from '../../src/core/findings/merge.ts';
import { isOne, isSameDeclined, isSameDefect, similarity } from '../../src/core/findings/similarity.ts';
import { verbatim } from '../../src/core/messages/message.ts';
import { categories, severities } from '../../src/core/settings/setting.ts';
import { proposeAnswers } from '../../src/core/team/learn.ts';
import { finding, linesAt } from '../fakes/review-record.ts';
import { changedFile, submitted } from './findings/make.ts';

/** Lines of a file of which no two are equal, and all speak of a price. */
function at(first: number, last = first) {
  const lines = Array.from({ length: last - first + 1 }, (_, index) => `  add(item${first + index}.price);`);
  return { anchor: linesAt([first, last], lines.join('\n')) };
}

const plain: Partial<Finding> = { ...at(12), severity: 'warning', title: 'The last price is read past the end' };
const otherTitle = { title: 'Nobody logs who asked' };
const ofRule = { source: 'rule', ruleId: 'no-x', title: 'A price without a currency' } as const;
const otherFile = { path: 'src/order.ts' };

/** What the second is, as changes to the first; then what the first is, where it is not the plain one. */
const pairs: readonly (readonly [name: string, second: Partial<Finding>, first?: Partial<Finding>])[] = [
  ['the same', {}],
  ['one word of five is another', { title: 'The final price is read past the end' }],
  ['two words of five are others', { title: 'The final price is read after the end' }],
  ['another title on the same line', otherTitle],
  ['one line further down', at(13)],
  ['the same code, one line further down', { anchor: { ...at(12).anchor, startLine: 13, endLine: 13 } }],
  ['on overlapping lines', at(11, 13)],
  ['another title, overlapping lines', { ...at(11, 13), ...otherTitle }],
  ['far away in the file', at(300)],
  ['on a line, and of the whole file', { anchor: { kind: 'file' } }],
  ['both of the whole file', {}, { anchor: { kind: 'file' } }],
  ['in another file', otherFile],
  ['one rule, another title', otherTitle, { ruleId: 'no-x' }],
  ['one rule, far away in the file', at(300), { ruleId: 'no-x' }],
  ['another rule', { ruleId: 'no-y' }, { ruleId: 'no-x' }],
  ['a rule and none', { ruleId: null }, { ruleId: 'no-x' }],
  ['a like category', { category: 'security' }],
  ['an unlike category', { category: 'test' }],
  ['an unlike category, overlapping lines', { ...at(11, 13), category: 'test' }],
  ['less severe', { severity: 'info' }],
  ['more severe', { severity: 'critical' }],
  ['another title, less severe', { ...otherTitle, severity: 'info' }],
  ['another title, more severe', { ...otherTitle, severity: 'critical' }],
  ['of a rule, and of the model', { source: 'model', ruleId: null, title: 'The last price is wrong' }, ofRule],
  ['of a rule, and the model names it', { source: 'model', title: 'The last price is wrong' }, ofRule],
  ['nothing in common', { ...otherFile, ...otherTitle, ...at(300), category: 'test', severity: 'info' }],
];

type Notion = (one: Finding, other: Finding) => boolean;

/** What comes for an item that was given back, less severe or in another file, so that severity and file alone take nothing up. */
const answers: Notion = (one, other) => {
  const { path, title, severity, category, ruleId, anchor } = other;
  const item = submitted({ path, title, severity, category, rule_id: ruleId });
  const given: FailedItem = {
    ...{ ok: false, number: 1, isBlank: false, least: 'critical', reason: '', told: verbatim('') },
    finding: { ...one, anchor: { kind: 'file' } },
  };
  const proof = { citations: [], evidence: '', problems: [], alsoAt: [] };
  const grounded = { ok: true, path, anchor, suggestion: null } as const;
  const accepted: AcceptedItem = { ok: true, number: 2, item, grounded, proof };
  const isLess = severity !== 'critical';
  return isLess && notTakenUp([given], { by: [accepted], recited: [], files: [changedFile(one.path)] }).length === 0;
};

const notions: Readonly<Record<string, Notion>> = {
  'one answer': (one, other) => mergeFindings([[one], [other]], isOne.inConversation).length === 1,
  reviewers: (one, other) => mergeFindings([[one], [other]], isOne.inReview).length === 1,
  guest: isOne.ofGuest,
  passes: (one, other) => mergePasses([[one], [other]]).findings.length === 1,
  causes: (one, other) => gatherCauses([one, other]).length === 1,
  'given back': answers,
  // As if their places met, which is for their room to know.
  later: isSameDefect,
  declined: isSameDeclined,
  lesson: (one, other) => proposeAnswers([lesson(one), lesson(other)], '').length === 1,
};

function lesson({ id, path, title, ruleId }: Finding) {
  return { path, title, ruleId, by: 'grace', words: '', date: '2026-11-01', url: `https://x.example/${id}` };
}

function both([, second, first]: (typeof pairs)[number]): readonly [Finding, Finding] {
  const one = finding({ ...plain, ...first });
  return [one, finding({ ...one, ...second, id: 'f2' })];
}

/** A line for each pair, a column for each name. */
function table(names: readonly string[], cellsOf: (one: Finding, other: Finding) => readonly unknown[]): string {
  const line = (name: string, cells: readonly unknown[]) =>
    [name.padEnd(38), ...cells.map((cell, index) => String(cell).padEnd(names[index]?.length ?? 0))].join('  ');
  const rows = [line('', names), ...pairs.map((pair) => line(pair[0], cellsOf(...both(pair))))];
  return rows.map((row) => row.trimEnd()).join('\n');
}

it('two findings have in common', () => {
  const names = ['lines', 'code', 'rule ', 'title', 'names', 'category', 'rise'];
  const facts = table(names, (...two) => {
    const { shared, sameCode, rule, title, sameNames, category, rise } = similarity(...two);
    const lines = shared === null ? '-' : Number(shared.toFixed(2));
    return [lines, sameCode ? 'same' : '-', rule, title, sameNames ? 'same' : '-', category, rise];
  });
  expect(facts).toMatchInlineSnapshot(`
    "                                        lines  code  rule   title  names  category  rise
    the same                                1      same  none   1      same   equal     0
    one word of five is another             1      same  none   0.8    same   equal     0
    two words of five are others            1      same  none   0.6    same   equal     0
    another title on the same line          1      same  none   0      -      equal     0
    one line further down                   -      -     none   1      -      equal     0
    the same code, one line further down    -      same  none   1      -      equal     0
    on overlapping lines                    0.33   -     none   1      same   equal     0
    another title, overlapping lines        0.33   -     none   0      -      equal     0
    far away in the file                    -      -     none   1      -      equal     0
    on a line, and of the whole file        -      -     none   1      -      equal     0
    both of the whole file                  0      -     none   1      -      equal     0
    in another file                         -      same  none   1      -      equal     0
    one rule, another title                 1      same  same   0      -      equal     0
    one rule, far away in the file          -      -     same   1      -      equal     0
    another rule                            1      same  other  1      same   equal     0
    a rule and none                         1      same  one    1      same   equal     0
    a like category                         1      same  none   1      same   alike     0
    an unlike category                      1      same  none   1      same   other     0
    an unlike category, overlapping lines   0.33   -     none   1      same   other     0
    less severe                             1      same  none   1      same   equal     -1
    more severe                             1      same  none   1      same   equal     1
    another title, less severe              1      same  none   0      -      equal     -1
    another title, more severe              1      same  none   0      -      equal     1
    of a rule, and of the model             1      same  one    0      same   equal     0
    of a rule, and the model names it       1      same  same   0      -      equal     0
    nothing in common                       -      -     none   0      -      other     -1"
  `);
});

it('two findings are one', () => {
  const uses = table(Object.keys(notions), (...two) => {
    return Object.values(notions).map((isSame) => (isSame(...two) ? 'one' : '-'));
  });
  expect(uses).toMatchInlineSnapshot(`
    "                                        one answer  reviewers  guest  passes  causes  given back  later  declined  lesson
    the same                                one         one        one    one     -       one         one    one       one
    one word of five is another             one         one        one    one     -       one         one    one       one
    two words of five are others            -           one        one    one     -       -           one    -         -
    another title on the same line          -           -          one    one     -       -           one    -         -
    one line further down                   -           -          -      -       one     one         one    one       one
    the same code, one line further down    -           -          -      -       one     one         one    one       one
    on overlapping lines                    one         one        one    one     -       one         one    one       one
    another title, overlapping lines        -           -          one    one     -       -           -      -         -
    far away in the file                    -           -          -      -       one     one         one    one       one
    on a line, and of the whole file        -           -          -      -       -       one         one    one       one
    both of the whole file                  one         one        -      one     -       one         one    one       one
    in another file                         -           -          -      -       one     one         one    one       -
    one rule, another title                 -           one        one    one     -       -           one    one       one
    one rule, far away in the file          -           -          -      -       one     one         one    one       one
    another rule                            -           -          -      -       -       -           -      -         -
    a rule and none                         one         one        one    one     -       one         one    one       one
    a like category                         one         one        -      one     -       one         one    -         one
    an unlike category                      -           -          -      one     -       -           -      -         one
    an unlike category, overlapping lines   -           -          -      one     -       -           -      -         one
    less severe                             one         one        one    one     -       one         one    one       one
    more severe                             one         one        one    one     -       -           one    -         one
    another title, less severe              -           -          one    one     -       -           one    -         -
    another title, more severe              -           -          one    one     -       -           -      -         -
    of a rule, and of the model             -           one        -      one     -       -           one    -         -
    of a rule, and the model names it       -           one        -      one     -       -           one    one       one
    nothing in common                       -           -          -      -       -       -           -      -         -"
  `);
});

it('two findings are one the other way round, but for what is worse', () => {
  const oneWay = Object.entries(notions).flatMap(([notion, isSame]) =>
    pairs.flatMap((pair) => {
      const [one, other] = both(pair);
      return isSame(one, other) === isSame(other, one) ? [] : [`${notion}: ${pair[0]}`];
    }),
  );
  expect(oneWay.join('\n')).toMatchInlineSnapshot(`
    "given back: more severe
    later: another title, less severe
    later: another title, more severe
    declined: less severe
    declined: more severe"
  `);
});

const words = fc.array(
  fc.constantFrom('Price', 'price', 'of', 'the', 'cart', 'is', 'lost', '価格', '\u{1F4A5}', '$', ''),
);
const someFinding: fc.Arbitrary<Finding> = fc
  .record({
    path: fc.constantFrom('src/a.ts', 'src/b.ts', ''),
    title: fc.oneof(
      fc.string(),
      words.map((some) => some.join(' ')),
    ),
    severity: fc.constantFrom(...severities),
    category: fc.constantFrom(...categories),
    ruleId: fc.constantFrom(null, 'price', 'cart-lost'),
    source: fc.constantFrom('model', 'rule'),
    anchor: fc.oneof(
      fc.constant({ kind: 'file' } as const),
      fc
        .tuple(fc.integer({ min: 1, max: 9 }), fc.nat(4), fc.constantFrom('LEFT', 'RIGHT'), words)
        .map(([start, more, side, quote]) => linesAt([start, start + more], quote.join(' '), side)),
    ),
  })
  .map((changes) => finding(changes));

it('what two findings have in common is the same from both sides, and what is more severe is so by as much', () => {
  fc.assert(
    fc.property(someFinding, someFinding, (one, other) => {
      const { rise, ...facts } = similarity(one, other);
      const { rise: back, ...factsBack } = similarity(other, one);
      expect([facts, rise + back]).toEqual([factsBack, 0]);
    }),
  );
});

it('two rules are never one, a title alone makes none, and what is one in one answer is so for reviewers, passes and later', () => {
  fc.assert(
    fc.property(someFinding, someFinding, (one, other) => {
      const { rule, category } = similarity(one, other);
      const all = Object.values(isOne).map((isSame) => isSame(one, other));
      if (rule === 'other') expect(all).not.toContain(true);
      const unlike = category === 'other' && rule !== 'same';
      if (unlike) expect([isSameDefect(one, other), isOne.inReview(one, other)]).toEqual([false, false]);
      const wider = [isOne.inReview, isOne.inPasses, isOne.later].map((isSame) => isSame(one, other));
      if (isOne.inConversation(one, other)) expect(wider).toEqual([true, true, true]);
      if (isSameDeclined(one, other)) expect(isSameDefect(one, other)).toBe(true);
    }),
  );
});
