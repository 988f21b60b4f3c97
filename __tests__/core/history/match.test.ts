import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Finding } from '../../../src/core/findings/finding.ts';
import { matchFindings } from '../../../src/core/history/match.ts';
import type { PriorFinding } from '../../../src/core/history/memory.ts';
import { noNewLines } from '../../../src/core/history/new-lines.ts';
import { categories, severities } from '../../../src/core/settings/setting.ts';
import { prior } from '../../fakes/earlier-rounds.ts';
import { finding, linesAt } from '../../fakes/review-record.ts';

function on(startLine: number, endLine: number, changes: Partial<Finding> = {}): Finding {
  const quote = Array.from({ length: endLine - startLine + 1 }, (_, index) => `line ${startLine + index};`).join('\n');
  return finding({ anchor: linesAt([startLine, endLine], quote), ...changes });
}

const kinds = ['fresh', 'standing', 'declinedAgain', 'declined', 'unmatched', 'gone'] as const;

/** Where the findings and the earlier ones went, a word each. */
function places(findings: readonly Finding[], priors: readonly PriorFinding[]): readonly string[] {
  const matching = matchFindings(findings, priors);
  return kinds.flatMap((kind) => matching[kind].map(() => kind));
}

const plain = on(10, 10);
const line10 = prior(plain);
const wide = prior(on(8, 20), { newLines: { added: [[12, 12]], removed: new Set() } });
const title = 'Index out of bounds';
const noted = finding({ anchor: { kind: 'file' } });
const leftOn10 = finding({ anchor: linesAt([10, 10], 'check();', 'LEFT') });
const wasRemoved = { newLines: { added: [], removed: new Set(['check();']) } };
const unmapped = { present: { kind: 'unmapped', path: 'src/cart.ts' } } as const;

describe('a finding', () => {
  it.each<[string, Finding, PriorFinding]>([
    ['with more lines and nearly the same words', on(8, 14, { title: `${plain.title} too` }), line10],
    ['that was a bug first and is a security hole now', on(8, 14, { category: 'security' }), line10],
    ['with the same lines in other words', on(10, 12, { title }), prior(on(10, 12))],
    ['with more lines and other words, in the word of the model', on(8, 14, { title, sameAs: 'p-f1' }), line10],
    ['beside a line that was added since', on(13, 14), wide],
    ['of the same rule', on(8, 14, { ruleId: 'a', title }), prior(on(10, 10, { ruleId: 'a' }))],
    ['of no rule where there was one', plain, prior(on(10, 10, { ruleId: 'a' }))],
    ['on the whole file with the same title', noted, prior(noted)],
    ['of a forgotten commit, by its lines', on(31, 33), prior(on(31, 35), unmapped)],
  ])('%s is the same, open or declined', (_, one, earlier) => {
    expect(places([one], [earlier])).toEqual(['standing']);
    expect(places([one], [{ ...earlier, declined: true }])).toEqual(['declinedAgain']);
  });

  it.each<[string, Finding, PriorFinding]>([
    ['with the same words, no defect any more', on(8, 14, { category: 'documentation' }), line10],
    ['with the same lines in other words and worse', on(10, 10, { title }), prior(on(10, 10, { severity: 'warning' }))],
    ['with more lines and other words', on(8, 14, { title }), line10],
    ['elsewhere, whatever the model says', on(20, 24, { sameAs: 'p-f1' }), line10],
    ['on a line that was added since, whatever the model says', on(10, 14, { sameAs: 'p-f1' }), wide],
    ['on a line that was removed since', leftOn10, prior(leftOn10, wasRemoved)],
    ['on the next line', on(11, 11), line10],
    ['in another file', on(10, 10, { path: 'src/b.ts' }), line10],
    ['on the other side', leftOn10, line10],
    ['of another rule', on(10, 10, { ruleId: 'b' }), prior(on(10, 10, { ruleId: 'a' }))],
    ['on the whole file with another title', { ...noted, title }, prior(noted)],
  ])('%s is another, over an open or a declined one', (_, one, earlier) => {
    expect(places([one], [earlier])).toEqual(['fresh', 'unmatched']);
    expect(places([one], [{ ...earlier, declined: true }])).toEqual(['fresh', 'declined']);
  });

  it.each<[string, Partial<PriorFinding>, Finding]>([
    ['moved to where its text means something else', { newLines: { ...noNewLines, elsewhere: true } }, plain],
    ['as a whole moved so', { newLines: { ...noNewLines, elsewhere: true } }, noted],
  ])('that was declined and was %s is raised again, and names its decline', (_, changes, one) => {
    const by = { by: 'grace', how: 'resolved', canWrite: true, date: '' } as const;
    const { fresh, declined } = matchFindings([one], [prior(one, { ...changes, declined: true, declines: [by] })]);
    expect([declined, fresh.map(({ note }) => note)]).toEqual([[], [{ code: 'note.declined-moved', person: 'grace' }]]);
  });

  it.each(severities.flatMap((declined) => severities.map((severity) => [severity, declined] as const)))(
    'that is %s where a %s one was declined is covered unless it is worse',
    (severity, declined) => {
      const earlier = prior(on(10, 10, { severity: declined, ruleId: 'a' }), { declined: true });
      const isWorse = severities.indexOf(severity) < severities.indexOf(declined);
      const one = on(10, 10, { severity, ruleId: 'a', sameAs: 'p-f1' });
      expect(places([one], [earlier])).toEqual(isWorse ? ['fresh', 'declined'] : ['declinedAgain']);
    },
  );

  it.each<[string, Finding, PriorFinding, readonly string[]]>([
    ['of a forgotten commit is known by one of its lines', on(30, 31), prior(on(31, 35), unmapped), ['standing']],
    [
      'of a forgotten commit is not covered by what was declined when it holds another line',
      on(30, 31, { severity: 'nitpick' }),
      prior(on(31, 35), { ...unmapped, declined: true }),
      ['fresh', 'declined'],
    ],
    ['elsewhere leaves one of a forgotten commit gone', on(90, 90), prior(on(31, 35), unmapped), ['fresh', 'gone']],
    ['whose code is gone is no match', plain, prior(plain, { present: { kind: 'gone' } }), ['fresh', 'gone']],
  ])('%s', (_, one, earlier, expected) => {
    expect(places([one], [earlier])).toEqual(expected);
  });

  it('on one line with another stays apart from it: each matches its own', () => {
    const nothing = on(10, 10, { id: 'f1', title: 'The list may be empty' });
    const rounding = on(10, 10, { id: 'f2', title: 'Cents are rounded twice' });
    const { standing } = matchFindings([rounding, nothing], [prior(nothing), prior(rounding)]);
    const pairs = standing.map((pair) => `${pair.finding.id} is ${pair.prior.id}`);
    expect(pairs.toSorted()).toEqual(['f1 is p-f1', 'f2 is p-f2']);
    expect(places([rounding, nothing], [prior(nothing)])).toEqual(['fresh', 'standing']);
  });

  it.each([
    ['it overlaps best', {}],
    ['of a forgotten commit that it has most lines of', unmapped],
  ])('goes to the place %s', (_, more) => {
    const priors = [prior(on(12, 20, { id: 'f1' }), more), prior(on(10, 12, { id: 'f2' }), more)];
    const { standing } = matchFindings([on(11, 12, { id: 'f3' })], priors);
    expect(standing.map((pair) => pair.prior.id)).toEqual(['p-f2']);
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
const numbered = (all: readonly Finding[]) => all.map((one, index) => ({ ...one, id: `f${index}` }));
const anyFindings = fc.array(anyFinding, { maxLength: 12 }).map(numbered);

describe('matching', () => {
  it('is one to one, loses nothing, and does not depend on the order of what it is given', () => {
    fc.assert(
      fc.property(anyFindings, anyFindings, (now, before) => {
        const priors = before.map((one) => prior(one));
        const { fresh, standing, unmatched } = matchFindings(now, priors);
        const ids = (all: readonly { readonly id: string }[]) => all.map(({ id }) => id).toSorted();
        expect(ids([...fresh, ...standing.map((pair) => pair.finding)])).toEqual(ids(now));
        expect(ids([...unmatched, ...standing.map((pair) => pair.prior)])).toEqual(ids(priors));
        const turned = matchFindings(now.toReversed(), priors.toReversed()).standing;
        expect(new Set(turned)).toEqual(new Set(standing));
      }),
    );
  });

  it('raises every finding that rests on a new line, whatever was open or declined there', () => {
    fc.assert(
      fc.property(anyFindings, anyFindings, fc.nat(34), fc.boolean(), (now, before, line, declined) => {
        const newLines = { added: [[line, line]] as const, removed: new Set<string>() };
        const priors = before.map((one) => prior(one, { newLines, declined }));
        const named = now.map((one, index) => ({ ...one, sameAs: priors[index]?.id ?? 'p-f0' }));
        const { standing, declinedAgain: suppressed } = matchFindings(named, priors);
        const rests = ({ finding: { anchor } }: (typeof standing)[number]) =>
          anchor.kind === 'lines' && anchor.startLine <= line && line <= anchor.endLine;
        expect([...standing, ...suppressed].filter(rests)).toEqual([]);
      }),
    );
  });

  it('never hides behind what was declined a finding that is worse', () => {
    fc.assert(
      fc.property(anyFindings, anyFindings, (now, before) => {
        const declined = before.map((one) => prior(one, { declined: true }));
        const rank = ({ severity }: Pick<Finding, 'severity'>) => severities.indexOf(severity);
        const { declinedAgain } = matchFindings(now, declined);
        expect(declinedAgain.filter((pair) => rank(pair.finding) < rank(pair.prior.mark))).toEqual([]);
      }),
    );
  });

  it('finds nothing new when everything is found again, be it a bug for one and a security hole for the other', () => {
    fc.assert(
      fc.property(anyFindings, fc.constantFrom('bug', 'security', 'performance'), (found, category) => {
        const before = found.map((one) => prior({ ...one, category: 'bug' }));
        const again = found.map((one) => ({ ...one, category }));
        expect(matchFindings(again, before).fresh).toEqual([]);
      }),
    );
  });
});
