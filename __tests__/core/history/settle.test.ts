import { describe, expect, it } from 'vitest';
import type { EarlierAnswer } from '../../../src/core/findings/earlier.ts';
import type { Finding } from '../../../src/core/findings/finding.ts';
import type { Life } from '../../../src/core/history/life.ts';
import { type Matching, matchFindings } from '../../../src/core/history/match.ts';
import type { PriorFinding } from '../../../src/core/history/memory.ts';
import { recheckItem, type Settled, settle, toAsk } from '../../../src/core/history/settle.ts';
import type { KnownFinding } from '../../../src/core/history/state.ts';
import type { ChangedFile } from '../../../src/core/pull-request/changed-file.ts';
import { knownAt, knownFinding, prior } from '../../fakes/earlier-rounds.ts';
import { finding, linesAt, marked, ownRemark, thread } from '../../fakes/review-record.ts';
import { changedFile, hunk } from '../findings/make.ts';

const files = [changedFile('src/cart.ts')];
const others = [changedFile('src/order.ts')];

const touched = { change: { kind: 'changed', isIntact: false, hunks: [] }, isBack: false } as const;
const gone = { ...touched, present: { kind: 'gone' } } as const;
const fileGone = { ...gone, change: { kind: 'file gone' } } as const;
const unknown = { ...touched, change: { kind: 'unknown' } } as const;
const outside = { known: knownAt({ ...knownFinding(), outside: true }) } as const;

const by = (how: 'reply' | 'evidence') =>
  ({ declined: true, declines: [{ by: 'grace', how, canWrite: true, date: '' }] }) as const;
const resolved = thread({ isResolved: true, resolvedBy: 'github-actions', comments: [ownRemark('')] });
const closed = { held: { in: 'thread', thread: resolved, comment: ownRemark('') } } as const;

const fixed: EarlierAnswer = { id: 'p-f1', state: 'fixed', proof: null };
const there = (one: Finding): EarlierAnswer => ({
  id: 'p-f1',
  state: 'still there',
  path: one.path,
  anchor: one.anchor,
});

type Given = {
  readonly answer?: EarlierAnswer;
  readonly files?: readonly ChangedFile[] | null;
  readonly found?: readonly Finding[];
};

function settled(parts: readonly PriorFinding[], { answer, found = [], ...given }: Given = {}): Settled {
  const diff = given.files === undefined ? files : given.files;
  return settle(matchFindings(found, parts), { answers: answer === undefined ? [] : [answer], files: diff });
}

function lifeAfter(changes: Partial<PriorFinding>, given: Given = {}): Life | undefined {
  return settled([prior(finding(), changes)], given).parts[0]?.life;
}

describe('a finding', () => {
  it.each<[Life, string, Partial<PriorFinding>, Life, Given?]>([
    ['open', 'nothing happened', {}, 'open'],
    ['open', 'its lines changed and nobody answered', touched, 'changed'],
    ['open', 'its lines changed and it is proven', touched, 'fixed', { answer: fixed }],
    ['open', 'its lines changed and it is still there', touched, 'open', { answer: there(finding()) }],
    ['open', 'its lines changed and it is found again', touched, 'open', { found: [finding()] }],
    ['open', 'its lines changed and somebody who may write resolved it', { ...touched, saidFixed: true }, 'fixed'],
    ['open', 'nothing changed, whatever is claimed', {}, 'open', { answer: fixed }],
    ['open', 'its commit is gone', unknown, 'changed'],
    ['open', 'its commit is gone, and its file is not in the diff', unknown, 'changed', { files: others }],
    ['open', 'its file is gone', fileGone, 'gone'],
    ['open', 'its file is none of the diff any more', {}, 'gone', { files: others }],
    ['open', 'its file never was one of the diff', outside, 'open', { files: others }],
    ['open', 'the diff is empty', outside, 'gone', { files: [] }],
    ['open', 'the diff was not read', touched, 'changed', { files: null }],
    ['changed', 'the change was taken back', {}, 'open'],
    ['changed', 'nobody answered again', touched, 'changed'],
    ['fixed', 'nobody says anything', touched, 'fixed'],
    ['fixed', 'its code is back', {}, 'returned'],
    ['fixed', 'its code is back where the diff is empty', {}, 'fixed', { files: [] }],
    ['fixed', 'it was found again', touched, 'returned', { answer: there(finding()) }],
    ['fixed', 'the code that proved it changed', { ...touched, isLoose: true }, 'changed'],
    ['fixed', 'other code proves it now', { ...touched, isLoose: true }, 'fixed', { answer: fixed }],
    ['gone', 'its file is back', {}, 'returned'],
    ['gone', 'its file is still none of the diff', {}, 'gone', { files: others }],
    ['gone', 'its file is still none of the diff that nobody read', {}, 'gone', { files: null }],
    ['returned', 'its comment is still closed', closed, 'returned'],
    ['returned', 'its comment is open again', {}, 'open'],
    ['open', 'somebody declined it', { ...touched, ...by('reply') }, 'declined', { found: [finding()] }],
    ['open', 'a line of source excludes it', by('evidence'), 'withdrawn', { answer: there(finding()) }],
    ['withdrawn', 'that line is gone', { isLoose: true }, 'changed'],
    ['declined', 'somebody took that back', {}, 'open'],
  ])('that was %s, when %s', (life, _, changes, after, given) => {
    expect(lifeAfter({ life, ...changes }, given)).toBe(after);
  });
});

/** A finding at lines 12, 20 and so on, a place each. */
function withPlaces(
  places: readonly Partial<PriorFinding>[],
  more: Partial<KnownFinding> = {},
): readonly PriorFinding[] {
  const mark = marked();
  const [place] = knownFinding(mark).places;
  const whole = { ...knownFinding(mark), places: places.flatMap(() => place ?? []), ...more };
  return places.map((one, part) => {
    const id = part === 0 ? mark.id : `${mark.id}.${part + 1}`;
    return prior(finding(), { mark, id, part, known: knownAt(whole, part), ...one });
  });
}

function told({ standing, ended, declined }: Settled): readonly string[] {
  const say = (name: string, all: Settled['standing']) =>
    all.map(({ prior: one, others, ...of }) =>
      [name, one.id, one.life, `and ${others.map(({ id }) => id)}`, `${of.ended} of ${of.of}`].join(' '),
    );
  return [...say('standing', standing), ...say('ended', ended), ...say('declined', declined)];
}

describe('the question about a finding on lines 40 and 41', () => {
  const one = finding({ anchor: linesAt([40, 41], 'a();\nb();') });
  const asked = (...lines: readonly string[]) => {
    const hunks = [hunk({ old: 30, new: 30 }, ...lines)];
    const [part] = recheckItem(prior(one, { change: { kind: 'changed', isIntact: false, hunks } })).hunks;
    return part === undefined
      ? null
      : [part.oldStart, part.oldLines, part.newStart, part.newLines, part.lines.join('')];
  };
  const context = (first: number, last: number) =>
    Array.from({ length: last - first + 1 }, (_, at) => ` ${first + at}`);

  it.each<[string, readonly string[], readonly unknown[]]>([
    ['four lines around them', context(30, 60), [36, 10, 36, 10, context(36, 45).join('')]],
    [
      'what takes their place behind all that is removed',
      [...context(30, 39), '-40', '-41', ...Array.from({ length: 9 }, (_, at) => `-${42 + at}`), '+x', '+y', ' 51'],
      [36, 10, 36, 6, `${context(36, 39).join('')}-40-41-42-43-44-45+x+y`],
    ],
    ['all of it where it ends above them', context(30, 33), [30, 4, 30, 4, context(30, 33).join('')]],
  ])('shows of a hunk %s', (_, lines, expected) => {
    expect(asked(...lines)).toEqual(expected);
  });

  it('shows all of a hunk of removed lines, and nothing where nobody knows what changed', () => {
    const left = finding({ anchor: linesAt([40, 41], 'a();', 'LEFT') });
    const hunks = [hunk({ old: 30, new: 30 }, ...context(30, 60))];
    const whole = recheckItem(prior(left, { change: { kind: 'changed', isIntact: true, hunks } }));
    const lost = recheckItem(prior(one, unknown));
    const among = [['  a();', 'x', 'b();'], ['a();']].map((texts) => lost.isAmong?.(texts));
    expect([whole.hunks, whole.lines, lost.hunks, lost.lines, among]).toEqual([
      hunks,
      null,
      [],
      { start: 40, end: 41 },
      [true, false],
    ]);
  });
});

describe('a finding with several places', () => {
  const over = { ...touched, life: 'fixed' } as const;
  it.each<[string, readonly Partial<PriorFinding>[], readonly string[], Partial<KnownFinding>?, Given?]>([
    ['stands with all of them', [{}, {}], ['standing p-f1 open and p-f1.2 0 of 2']],
    ['says that one of two ended', [over, {}], ['standing p-f1.2 open and  1 of 2']],
    ['says how many of three ended', [{}, over, {}], ['standing p-f1 open and p-f1.3 1 of 3']],
    ['ends with the last one', [over, fileGone], ['ended p-f1 fixed and p-f1.2 2 of 2']],
    [
      'does not end while a place is not kept',
      [over, over],
      ['standing p-f1 changed and p-f1.2 2 of 14'],
      { more: 12 },
    ],
    [
      'ends with the diff, however many are not kept',
      [over],
      ['ended p-f1 fixed and  1 of 13'],
      { more: 12 },
      { files: [] },
    ],
    ['is back with one of them', [over, { life: 'fixed' }], ['standing p-f1.2 returned and  1 of 2']],
    ['is declined at all of them', [by('reply'), by('reply')], ['declined p-f1 declined and p-f1.2 0 of 2']],
    [
      'is declined where it did not end',
      [{ ...fileGone, life: 'gone' }, by('reply')],
      ['declined p-f1.2 declined and  1 of 2'],
    ],
  ])('%s', (_, places, expected, more, given) => {
    expect(told(settled(withPlaces(places, more), given))).toEqual(expected);
  });

  it('stands at the place at which it was found again', () => {
    const [first, second] = withPlaces([touched, touched]);
    const matching: Omit<Matching, 'fresh'> = {
      standing: second === undefined ? [] : [{ finding: finding({ id: 'f9' }), prior: second }],
      declinedAgain: [],
      unseen: first === undefined ? [] : [first],
    };
    const [whole] = settle(matching, { answers: [], files }).standing;
    expect([whole?.prior.id, whole?.finding?.id, whole?.others.map(({ id, life }) => `${id} ${life}`)]).toEqual([
      'p-f1.2',
      'f9',
      ['p-f1 changed'],
    ]);
  });

  it('is asked about at each place that changed', () => {
    const places = withPlaces([touched, {}, touched, { ...touched, ...by('reply') }, { ...touched, life: 'fixed' }]);
    expect(toAsk(places).map(({ id }) => id)).toEqual(['p-f1', 'p-f1.3']);
  });
});
