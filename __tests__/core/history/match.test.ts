import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Finding, fullPlaceOf, type LinesAnchor } from '../../../src/core/findings/finding.ts';
import { matchFindings } from '../../../src/core/history/match.ts';
import type { PriorFinding } from '../../../src/core/history/memory.ts';
import { categories, severities } from '../../../src/core/settings/setting.ts';
import { knownAt, knownFinding, prior } from '../../fakes/earlier-rounds.ts';
import { finding, linesAt, marked } from '../../fakes/review-record.ts';

function at(startLine: number, endLine: number): LinesAnchor {
  const quote = Array.from({ length: endLine - startLine + 1 }, (_, index) => `line ${startLine + index};`).join('\n');
  return linesAt([startLine, endLine], quote);
}

function on(startLine: number, endLine: number, changes: Partial<Finding> = {}): Finding {
  return finding({ anchor: at(startLine, endLine), ...changes });
}

const kinds = ['fresh', 'standing', 'declinedAgain', 'unseen'] as const;

/** Where the findings and the earlier ones went, a word each. */
function places(findings: readonly Finding[], priors: readonly PriorFinding[]): readonly string[] {
  const matching = matchFindings(findings, priors);
  return kinds.flatMap((kind) => matching[kind].map(() => kind));
}

const plain = on(10, 10);
const line10 = prior(plain);
const inUnknown = knownAt(knownFinding(marked(plain), { around: null }));
const title = 'Index out of bounds';
const noted = finding({ anchor: { kind: 'file' } });
const leftOn10 = finding({ anchor: linesAt([10, 10], 'check();', 'LEFT') });
const unmapped = { present: { kind: 'unmapped', path: 'src/cart.ts' } } as const;
const declinedBy = [{ by: 'grace', how: 'resolved', canWrite: true, date: '' }] as const;
const turnedDown = { declined: true, declines: declinedBy } as const;

describe('a finding', () => {
  const rule = prior(on(10, 10, { ruleId: 'a' }));
  it.each<[string, Finding, PriorFinding]>([
    ['with more lines and nearly the same words', on(8, 14, { title: `${plain.title} too` }), line10],
    ['that was a bug first and is a security hole now', on(8, 14, { category: 'security' }), line10],
    ['with the same lines in other words', on(10, 12, { title }), prior(on(10, 12))],
    ['with more lines and other words, in the word of the model', on(8, 14, { title, sameAs: 'p-f1' }), line10],
    ['of the same rule', on(8, 14, { ruleId: 'a', title }), rule],
    ['of no rule where there was one', plain, rule],
    ['on the whole file with the same title', noted, prior(noted)],
    ['of a forgotten commit, by its lines', on(31, 33), prior(on(31, 35), unmapped)],
    ['of a forgotten commit, by one of its lines', on(30, 31), prior(on(31, 35), unmapped)],
    ['whose lines stand in other code now', plain, prior(plain, { around: 'other' })],
    ['in a file that was renamed', on(10, 10, { path: 'b.ts' }), movedTo('b.ts')],
  ])('%s is the same', (_, one, earlier) => {
    expect(places([one], [earlier])).toEqual(['standing']);
  });

  it.each<[string, Finding, PriorFinding]>([
    ['with the same words, no defect any more', on(8, 14, { category: 'documentation' }), line10],
    ['with the same lines in other words and worse', on(10, 10, { title }), prior(on(10, 10, { severity: 'warning' }))],
    ['with more lines and other words', on(8, 14, { title }), line10],
    ['elsewhere, whatever the model says', on(20, 24, { sameAs: 'p-f1' }), line10],
    ['on the next line', on(11, 11), line10],
    ['in another file', on(10, 10, { path: 'src/b.ts' }), line10],
    ['on the other side', leftOn10, line10],
    ['of another rule', on(10, 10, { ruleId: 'b' }), rule],
    ['on the whole file with another title', { ...noted, title }, prior(noted)],
    ['of a forgotten commit, of which it has no line', on(90, 90), prior(on(31, 35), unmapped)],
    ['whose code is gone', plain, prior(plain, { present: { kind: 'gone' } })],
  ])('%s is another, over an open or a declined one', (_, one, earlier) => {
    expect(places([one], [earlier])).toEqual(['fresh', 'unseen']);
    expect(places([one], [{ ...earlier, ...turnedDown }])).toEqual(['fresh', 'unseen']);
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

function movedTo(path: string): PriorFinding {
  return prior(plain, { present: { kind: 'here', path, anchor: plain.anchor } });
}

describe('what somebody declined', () => {
  const lines = prior(on(10, 12));
  const ofComment = prior(plain, { known: null, mark: marked(plain, { around: 'around' }) });
  it.each<[string, Finding, PriorFinding]>([
    ['with more lines and nearly the same words', on(8, 14, { title: `${plain.title} too` }), line10],
    ['less severe', on(10, 10, { severity: 'nitpick' }), line10],
    ['of the same rule in other words', on(8, 14, { ruleId: 'a', title }), prior(on(10, 10, { ruleId: 'a' }))],
    ['of no rule where there was one', plain, prior(on(10, 10, { ruleId: 'a' }))],
    ['on the whole file with the same title', noted, prior(noted)],
    ['in other words, that names it and quotes all its lines', on(10, 12, { title, sameAs: 'p-f1' }), lines],
    ['in other words, that names it and quotes more', on(8, 14, { title, sameAs: 'p-f1' }), lines],
    ['of a lost state, in what its comment says it stood in', plain, ofComment],
    ['that names one of its places', on(8, 14, { title, sameAs: 'p-f1.2' }), { ...lines, id: 'p-f1.2', part: 1 }],
  ])('covers a finding %s', (_, one, earlier) => {
    expect(places([one], [{ ...earlier, ...turnedDown }])).toEqual(['declinedAgain']);
  });

  it.each<[string, Finding, PriorFinding]>([
    ['of another category', on(10, 10, { category: 'security' }), line10],
    ['in other words about the same lines', on(10, 12, { title }), lines],
    ['in other words, that names it and quotes a part of its lines', on(10, 11, { title, sameAs: 'p-f1' }), lines],
    ['where what it stands in changed', plain, prior(plain, { around: 'other' })],
    ['where nobody knows what it stood in', plain, prior(plain, { around: null, known: inUnknown })],
    ['where its own comment alone tells of it, and not what it stood in', plain, prior(plain, { known: null })],
    ['in a file that was renamed', on(10, 10, { path: 'b.ts' }), movedTo('b.ts')],
    ['of a forgotten commit, by its lines', on(31, 35), prior(on(31, 35), unmapped)],
  ])('does not cover a finding %s', (_, one, earlier) => {
    expect(places([one], [{ ...earlier, ...turnedDown }])).toEqual(['fresh', 'unseen']);
  });

  it.each<[string, Finding, PriorFinding]>([
    ['what it stands in changed', plain, prior(plain, { around: 'other' })],
    ['it moved to another file', on(10, 10, { path: 'b.ts' }), movedTo('b.ts')],
    ['it is a copy of the line in the same file', on(90, 90), line10],
    ['it is a copy of the line in another file', on(90, 90, { path: 'b.ts' }), line10],
  ])('is raised again, and names who declined it, when %s', (_, one, earlier) => {
    const { fresh } = matchFindings([one], [{ ...earlier, ...turnedDown }]);
    expect(fresh.map(({ note }) => note)).toEqual([{ code: 'note.declined-changed', person: 'grace' }]);
  });

  it.each(severities.flatMap((declined) => severities.map((severity) => [severity, declined] as const)))(
    'covers one that is %s where it is %s, unless that is worse',
    (severity, declined) => {
      const earlier = prior(on(10, 10, { severity: declined, ruleId: 'a' }), turnedDown);
      const isWorse = severities.indexOf(severity) < severities.indexOf(declined);
      const one = on(10, 10, { severity, ruleId: 'a', sameAs: 'p-f1' });
      expect(places([one], [earlier])).toEqual(isWorse ? ['fresh', 'unseen'] : ['declinedAgain']);
    },
  );
});

/** A finding on line 10 and on these others. */
function alsoOn(lines: readonly number[], changes: Partial<Finding> = {}): Finding {
  const others = lines.map((line) => ({ path: 'src/cart.ts', anchor: at(line, line) }));
  return on(10, 10, { others, alsoAt: others.map(fullPlaceOf), ...changes });
}

/** The parts of an earlier finding, one at each line. */
function partsAt(lines: readonly number[], more = 0): readonly PriorFinding[] {
  const known = knownAt({ ...knownFinding(marked(plain)), ...(more === 0 ? {} : { more }) });
  return lines.map((line, part) =>
    prior(on(line, line), { id: part === 0 ? 'p-f1' : `p-f1.${part + 1}`, part, known }),
  );
}

describe('a finding with several places', () => {
  const told = (findings: readonly Finding[], priors: readonly PriorFinding[]) => {
    const { fresh, standing, declinedAgain, unseen } = matchFindings(findings, priors);
    const say = (word: string, all: readonly string[]) => (all.length === 0 ? [] : [`${word} ${all.join(', ')}`]);
    return [
      ...say(
        'fresh',
        fresh.map((one) => [fullPlaceOf(one), ...one.alsoAt].join(' and ')),
      ),
      ...say('standing', standing.map((one) => `${fullPlaceOf(one.finding)} ${one.prior.id}`).toSorted()),
      ...say('declined', declinedAgain.map((one) => one.prior.id).toSorted()),
      ...say(
        'unseen',
        unseen.map(({ id }) => id),
      ),
    ];
  };

  it.each<[string, Finding, readonly PriorFinding[], readonly string[]]>([
    [
      'is known at each of them',
      alsoOn([20]),
      partsAt([10, 20]),
      ['standing src/cart.ts:10 p-f1, src/cart.ts:20 p-f1.2'],
    ],
    [
      'is known in another order',
      alsoOn([20]),
      partsAt([20, 10]),
      ['standing src/cart.ts:10 p-f1.2, src/cart.ts:20 p-f1'],
    ],
    [
      'is new at another one alone',
      alsoOn([20, 30]),
      partsAt([10, 20]),
      ['fresh src/cart.ts:30', 'standing src/cart.ts:10 p-f1, src/cart.ts:20 p-f1.2'],
    ],
    [
      'is new at two others, together',
      alsoOn([20, 30]),
      partsAt([20]),
      ['fresh src/cart.ts:10 and src/cart.ts:30', 'standing src/cart.ts:20 p-f1'],
    ],
    [
      'is not seen where it was not named',
      alsoOn([]),
      partsAt([10, 20]),
      ['standing src/cart.ts:10 p-f1', 'unseen p-f1.2'],
    ],
    [
      'is not new where some were not kept',
      alsoOn([20, 30]),
      partsAt([10, 20], 5),
      ['standing src/cart.ts:10 p-f1, src/cart.ts:20 p-f1.2'],
    ],
    [
      'is new where none of it is known',
      alsoOn([20]),
      partsAt([40], 5),
      ['fresh src/cart.ts:10 and src/cart.ts:20', 'unseen p-f1'],
    ],
  ])('%s', (_, one, parts, expected) => {
    expect(told([one], parts)).toEqual(expected);
  });

  it('was declined at those that stood then: a copy is raised, and names the decline', () => {
    const parts = partsAt([10, 20]).map((one) => ({ ...one, ...turnedDown }));
    expect(told([alsoOn([20, 30])], parts)).toEqual(['fresh src/cart.ts:30', 'declined p-f1, p-f1.2']);
    const [copy] = matchFindings([alsoOn([20, 30])], parts).fresh;
    expect([copy?.note?.code, copy?.suggestion]).toEqual(['note.declined-changed', null]);
  });
});

const anyFinding = fc
  .record({
    start: fc.integer({ min: 1, max: 30 }),
    length: fc.nat(4),
    title: fc.constantFrom('One thing', 'Other thing', 'Third matter'),
    category: fc.constantFrom(...categories),
    severity: fc.constantFrom(...severities),
    also: fc.uniqueArray(fc.integer({ min: 40, max: 50 }), { maxLength: 3 }),
  })
  .map(({ start, length, also, ...rest }) => {
    const others = also.map((line) => ({ path: 'src/cart.ts', anchor: at(line, line) }));
    return on(start, start + length, { ...rest, others, alsoAt: others.map(fullPlaceOf) });
  });
const numbered = (all: readonly Finding[]) => all.map((one, index) => ({ ...one, id: `f${index}` }));
const anyFindings = fc.array(anyFinding, { maxLength: 12 }).map(numbered);
/** An earlier finding with a part for each of its places. */
const partsOf = (one: Finding, changes: Partial<PriorFinding> = {}) =>
  spotsOf(one).map((spot, part) => prior(spot, { id: `p-${one.id}.${part + 1}`, part, ...changes }));
const spotsOf = (one: Finding): readonly Finding[] => [
  one,
  ...(one.others ?? []).map((other) => ({ ...one, ...other })),
];
const spotNames = (all: readonly Finding[]) => all.map((one) => `${one.id} ${fullPlaceOf(one)}`).toSorted();

describe('matching', () => {
  it('is one to one, loses no place, and does not depend on the order of what it is given', () => {
    fc.assert(
      fc.property(anyFindings, anyFindings, (now, before) => {
        const priors = before.flatMap((one) => partsOf(one));
        const { fresh, standing, unseen } = matchFindings(now, priors);
        const found = [...fresh.flatMap(spotsOf), ...standing.map((pair) => pair.finding)];
        expect(spotNames(found)).toEqual(spotNames(now.flatMap(spotsOf)));
        const ids = [...unseen, ...standing.map((pair) => pair.prior)].map(({ id }) => id);
        expect(ids.toSorted()).toEqual(priors.map(({ id }) => id).toSorted());
        const turned = matchFindings(now.toReversed(), priors.toReversed()).standing;
        expect(new Set(turned)).toEqual(new Set(standing));
      }),
    );
  });

  it('never hides behind what was declined a finding that is worse, of another category, or in other code', () => {
    fc.assert(
      fc.property(anyFindings, anyFindings, fc.boolean(), (now, before, isSame) => {
        const around = isSame ? 'around' : 'other';
        const declined = before.flatMap((one) => partsOf(one, { ...turnedDown, around }));
        const named = now.map((one, index) => ({ ...one, sameAs: declined[index]?.id ?? 'p-f0' }));
        const rank = ({ severity }: Pick<Finding, 'severity'>) => severities.indexOf(severity);
        const { declinedAgain } = matchFindings(named, declined);
        const hidden = declinedAgain.filter(
          ({ finding: one, prior: { mark } }) => rank(one) < rank(mark) || one.category !== mark.category,
        );
        expect(isSame ? hidden : declinedAgain).toEqual([]);
      }),
    );
  });

  it('finds nothing new when everything is found again, be it a bug for one and a security hole for the other', () => {
    fc.assert(
      fc.property(anyFindings, fc.constantFrom('bug', 'security', 'performance'), (found, category) => {
        const before = found.flatMap((one) => partsOf({ ...one, category: 'bug' }));
        const again = found.map((one) => ({ ...one, category }));
        expect(matchFindings(again, before).fresh).toEqual([]);
      }),
    );
  });
});
