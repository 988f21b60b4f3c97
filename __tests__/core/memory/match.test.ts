import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { categories, type Finding } from '../../../src/core/findings/finding.ts';
import { matchFindings } from '../../../src/core/memory/match.ts';
import { markOf, type PriorFinding } from '../../../src/core/memory/memory.ts';
import { noNewLines } from '../../../src/core/memory/new-lines.ts';
import { severities } from '../../../src/core/settings/setting.ts';
import { finding } from '../../fakes/review-record.ts';

const at = {
  identity: { name: 'Review', run: '1-1', settings: '' },
  commit: 'a'.repeat(40),
  mergeBase: 'c'.repeat(40),
  redact: (text: string) => text,
};

function on(startLine: number, endLine: number, changes: Partial<Finding> = {}): Finding {
  const quote = Array.from({ length: endLine - startLine + 1 }, (_, index) => `line ${startLine + index};`).join('\n');
  return finding({ anchor: { kind: 'lines', side: 'RIGHT', startLine, endLine, quote }, ...changes });
}

function prior(one: Finding, changes: Partial<PriorFinding> = {}): PriorFinding {
  return {
    id: `p-${one.id}`,
    mark: markOf(one, at),
    held: { in: 'sticky' },
    url: null,
    signed: true,
    present: { kind: 'here', path: one.path, anchor: one.anchor },
    newLines: noNewLines,
    refusals: [],
    refused: false,
    ...changes,
  };
}

function counts(findings: readonly Finding[], priors: readonly PriorFinding[]) {
  const { fresh, standing, refused, unmatched, gone } = matchFindings(findings, priors);
  return {
    fresh: fresh.length,
    standing: standing.length,
    refused: refused.length,
    unmatched: unmatched.length,
    gone: gone.length,
  };
}

const none = { fresh: 0, standing: 0, refused: 0, unmatched: 0, gone: 0 };
const plain = on(10, 10);
const leftOn = (line: number, quote: string) =>
  finding({ anchor: { kind: 'lines', side: 'LEFT', startLine: line, endLine: line, quote } });
const noted = finding({ anchor: { kind: 'file' } });

describe('a finding', () => {
  it.each<[string, Finding, PriorFinding, Partial<typeof none>]>([
    [
      'with more lines and nearly the same words is the same',
      on(8, 14, { title: `${plain.title} too`, category: 'performance' }),
      prior(on(10, 10)),
      { standing: 1 },
    ],
    [
      'with the same words about the same lines is another when one is a defect and the other is not',
      on(8, 14, { category: 'documentation' }),
      prior(on(10, 10)),
      { fresh: 1, unmatched: 1 },
    ],
    [
      'with the same lines in other words is the same',
      on(10, 12, { title: 'Index out of bounds' }),
      prior(on(10, 12)),
      { standing: 1 },
    ],
    [
      'with the same lines in other words is another when it is worse',
      on(10, 12, { title: 'Index out of bounds', severity: 'critical' }),
      prior(on(10, 12, { severity: 'warning' })),
      { fresh: 1, unmatched: 1 },
    ],
    [
      'with more lines and other words is another',
      on(8, 14, { title: 'Index out of bounds' }),
      prior(on(10, 10)),
      { fresh: 1, unmatched: 1 },
    ],
    [
      'with more lines and other words is the same in the word of the model',
      on(8, 14, { title: 'Index out of bounds', sameAs: 'p-f1' }),
      prior(on(10, 10)),
      { standing: 1 },
    ],
    [
      'elsewhere is another, whatever the model says',
      on(20, 24, { sameAs: 'p-f1' }),
      prior(on(10, 10)),
      { fresh: 1, unmatched: 1 },
    ],
    [
      'on a line that was added since is another, whatever overlaps and whatever the model says',
      on(10, 14, { sameAs: 'p-f1' }),
      prior(on(8, 20), { newLines: { added: [[12, 12]], removed: new Set() } }),
      { fresh: 1, unmatched: 1 },
    ],
    [
      'beside a line that was added since is the same',
      on(13, 14),
      prior(on(8, 20), { newLines: { added: [[12, 12]], removed: new Set() } }),
      { standing: 1 },
    ],
    [
      'on a line that was removed since is another',
      leftOn(10, 'check();'),
      prior(leftOn(10, 'check();'), { newLines: { added: [], removed: new Set(['check();']) } }),
      { fresh: 1, unmatched: 1 },
    ],
    ['on the next line is another', on(11, 11), prior(on(10, 10)), { fresh: 1, unmatched: 1 }],
    ['in another file is another', on(10, 10, { path: 'src/b.ts' }), prior(on(10, 10)), { fresh: 1, unmatched: 1 }],
    [
      'on the other side is another',
      finding({ anchor: { kind: 'lines', side: 'LEFT', startLine: 10, endLine: 10, quote: 'x' } }),
      prior(on(10, 10)),
      { fresh: 1, unmatched: 1 },
    ],
    [
      'of another rule is another',
      on(10, 10, { ruleId: 'b' }),
      prior(on(10, 10, { ruleId: 'a' })),
      { fresh: 1, unmatched: 1 },
    ],
    [
      'of the same rule is the same, whatever its lines and words',
      on(8, 14, { ruleId: 'a', title: 'Index out of bounds' }),
      prior(on(10, 10, { ruleId: 'a' })),
      { standing: 1 },
    ],
    ['of no rule is the one of a rule', on(10, 10), prior(on(10, 10, { ruleId: 'a' })), { standing: 1 }],
    ...severities.flatMap((declined) =>
      severities.map((severity): [string, Finding, PriorFinding, Partial<typeof none>] => [
        `that is ${severity} where a ${declined} one was declined is covered unless it is worse`,
        on(10, 10, { severity, ruleId: 'a', sameAs: 'p-f1' }),
        prior(on(10, 10, { severity: declined, ruleId: 'a' }), { refused: true }),
        severities.indexOf(severity) < severities.indexOf(declined) ? { fresh: 1 } : { refused: 1 },
      ]),
    ),
    ['on the whole file is the same with the same title', noted, prior(noted), { standing: 1 }],
    [
      'on the whole file is another with another title',
      finding({ anchor: { kind: 'file' }, title: 'Tests are missing' }),
      prior(noted),
      { fresh: 1, unmatched: 1 },
    ],
    [
      'of a forgotten commit is known by one of its lines',
      on(30, 31),
      prior(on(31, 35), { present: { kind: 'unmapped', path: 'src/cart.ts' } }),
      { standing: 1 },
    ],
    [
      'of a forgotten commit is not covered by what was declined when it holds another line',
      on(30, 31, { severity: 'nitpick' }),
      prior(on(31, 35), { present: { kind: 'unmapped', path: 'src/cart.ts' }, refused: true }),
      { fresh: 1 },
    ],
    [
      'of a forgotten commit is covered by what was declined when it holds its lines alone',
      on(31, 33),
      prior(on(31, 35), { present: { kind: 'unmapped', path: 'src/cart.ts' }, refused: true }),
      { refused: 1 },
    ],
    [
      'of a forgotten commit that nobody finds again is gone',
      on(90, 90),
      prior(on(31, 35), { present: { kind: 'unmapped', path: 'src/cart.ts' } }),
      { fresh: 1, gone: 1 },
    ],
    [
      'whose code is gone is no match',
      on(10, 10),
      prior(on(10, 10), { present: { kind: 'gone' } }),
      { fresh: 1, gone: 1 },
    ],
  ])('%s', (_, one, earlier, expected) => {
    expect(counts([one], [earlier])).toEqual({ ...none, ...expected });
  });

  it('on one line with another stays apart from it: each matches its own', () => {
    const nothing = on(10, 10, { id: 'f1', title: 'The list may be empty' });
    const rounding = on(10, 10, { id: 'f2', title: 'Cents are rounded twice' });
    const { standing } = matchFindings([rounding, nothing], [prior(nothing), prior(rounding)]);
    expect(standing.map(({ finding: one, prior: other }) => [one.id, other.id]).toSorted()).toEqual([
      ['f1', 'p-f1'],
      ['f2', 'p-f2'],
    ]);
    expect(counts([rounding, nothing], [prior(nothing)])).toEqual({ ...none, standing: 1, fresh: 1 });
  });

  it('goes to the place it overlaps best', () => {
    const one = on(10, 12, { id: 'f1', review: '' });
    const other = on(12, 20, { id: 'f2', review: '' });
    const again = on(11, 12, { id: 'f3' });
    expect(matchFindings([again], [prior(other), prior(one)]).standing.map((pair) => pair.prior.id)).toEqual(['p-f1']);
  });
});

const anyFinding = fc
  .record({
    start: fc.integer({ min: 1, max: 30 }),
    length: fc.nat(4),
    title: fc.constantFrom('One thing', 'Other thing', 'Third matter'),
    category: fc.constantFrom(...categories),
    severity: fc.constantFrom(...severities),
  })
  .map(({ start, length, ...rest }) => on(start, start + length, rest));
const anyFindings = fc
  .array(anyFinding, { maxLength: 12 })
  .map((all) => all.map((one, index) => ({ ...one, id: `f${index}` })));

describe('matching', () => {
  it('is one to one and loses nothing', () => {
    fc.assert(
      fc.property(anyFindings, anyFindings, (now, before) => {
        const { fresh, standing, refused, unmatched, gone } = matchFindings(
          now,
          before.map((one) => prior(one)),
        );
        const found = [...fresh, ...[...standing, ...refused].map((pair) => pair.finding)].map(({ id }) => id);
        const earlier = [...unmatched, ...gone, ...[...standing, ...refused].map((pair) => pair.prior)].map(
          ({ id }) => id,
        );
        expect(found.toSorted()).toEqual(now.map(({ id }) => id).toSorted());
        expect(earlier.toSorted()).toEqual(before.map(({ id }) => `p-${id}`).toSorted());
      }),
    );
  });

  it('raises every finding that rests on a new line, whatever was open or declined there', () => {
    fc.assert(
      fc.property(anyFindings, anyFindings, fc.nat(34), fc.boolean(), (now, before, line, refused) => {
        const newLines = { added: [[line, line]] as const, removed: new Set<string>() };
        const priors = before.map((one) => prior(one, { newLines, refused }));
        const named = now.map((one, index) => ({ ...one, sameAs: priors[index]?.id ?? 'p-f0' }));
        const { standing, refused: suppressed } = matchFindings(named, priors);
        const rests = [...standing, ...suppressed].filter(({ finding: { anchor } }) => {
          return anchor.kind === 'lines' && anchor.startLine <= line && line <= anchor.endLine;
        });
        expect(rests).toEqual([]);
      }),
    );
  });

  it('never hides behind what was declined a finding that is worse', () => {
    fc.assert(
      fc.property(anyFindings, anyFindings, (now, before) => {
        const { refused } = matchFindings(
          now,
          before.map((one) => prior(one, { refused: true })),
        );
        const worse = refused.filter(
          (pair) => severities.indexOf(pair.finding.severity) < severities.indexOf(pair.prior.mark.severity),
        );
        expect(worse).toEqual([]);
      }),
    );
  });

  it('finds nothing new when everything is found again, be it a bug for one and a security hole for the other', () => {
    fc.assert(
      fc.property(anyFindings, fc.constantFrom('bug', 'security', 'performance'), (found, category) => {
        const before = found.map((one) => ({ ...one, category: 'bug' as const }));
        const again = before.map((one) => ({ ...one, category }));
        expect(
          matchFindings(
            again,
            before.map((one) => prior(one)),
          ).fresh,
        ).toEqual([]);
      }),
    );
  });

  it('does not depend on the order of what it is given', () => {
    fc.assert(
      fc.property(anyFindings, anyFindings, (now, before) => {
        const pairs = (one: readonly Finding[], other: readonly PriorFinding[]) =>
          matchFindings(one, other)
            .standing.map((pair) => `${pair.finding.id}=${pair.prior.id}`)
            .toSorted();
        const priors = before.map((one) => prior(one));
        expect(pairs(now.toReversed(), priors.toReversed())).toEqual(pairs(now, priors));
      }),
    );
  });
});
