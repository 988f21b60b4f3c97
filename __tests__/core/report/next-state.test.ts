import { describe, expect, it } from 'vitest';
import { type Finding, type PlacedFinding, placed, unraised } from '../../../src/core/findings/finding.ts';
import type { PriorFinding } from '../../../src/core/history/memory.ts';
import type { KnownFinding, KnownPlace } from '../../../src/core/history/state.ts';
import { verbatim } from '../../../src/core/messages/message.ts';
import { nextStateOf } from '../../../src/core/report/next-state.ts';
import type { Review } from '../../../src/core/review/review.ts';
import { goneFinding, knownAt, knownFinding, prior, roundOf } from '../../fakes/earlier-rounds.ts';
import {
  context,
  finding,
  reviewer as identity,
  linesAt,
  marked,
  pullRequest,
  recordOf,
} from '../../fakes/review-record.ts';

const now = { commit: pullRequest.head.sha, mergeBase: pullRequest.mergeBase };
const then = { commit: '1'.repeat(40), mergeBase: '2'.repeat(40) };
const noReason = { reason: verbatim('') };

const stateAfter = (changes: Partial<Review>) =>
  nextStateOf(recordOf({ identity, round: roundOf({ number: 4, reviews: 3 }), ...changes }), context);

/** An earlier finding of another commit, whose file has the same lines further down. */
function earlier(changes: Partial<PriorFinding> = {}): PriorFinding {
  const mark = marked(finding(), then);
  const place = { ...then, around: 'stood' };
  const present = { kind: 'here', path: 'src/cart.ts', anchor: linesAt([15, 15], '') } as const;
  return prior(finding(), { mark, known: knownAt(knownFinding(mark, place)), present, around: 'stands', ...changes });
}

function findingAfter(part: PriorFinding, said: readonly PlacedFinding[] = []): KnownFinding | undefined {
  return stateAfter({ findings: said, round: roundOf({ parts: [part] }) })?.findings[0];
}

const told = (place: KnownPlace | undefined) =>
  `${place?.commit === now.commit ? 'now' : 'then'} ${place?.lines?.startLine ?? '-'} ${place?.around} ${place?.life}`;
const { digests } = marked().lines ?? { digests: [] };

describe('what the next round knows of an earlier finding', () => {
  const touched = { change: { kind: 'changed', isIntact: false, hunks: [] }, isBack: false } as const;
  const nearby = { change: { kind: 'changed', isIntact: true, hunks: [] }, isBack: false } as const;
  const quoted = placed(finding({ anchor: linesAt([15, 16], 'a();\nb();'), knownAs: 'p-f1' }), 'standing', noReason);

  it.each<[string, Partial<PriorFinding>, string, (readonly PlacedFinding[])?]>([
    ['where it is now, when nothing happened', {}, 'now 15 stands open'],
    ['where it was, when its lines changed unseen', { ...touched, life: 'changed' }, 'then 12 stood changed'],
    ['where it was, when it was seen and nobody said on which lines', { ...touched, seen: true }, 'then 12 stood open'],
    ['where this run quotes it', { ...touched, seen: true }, 'now 15 stands open', [quoted]],
    ['where it is now, when it was seen and lines around it changed', { ...nearby, seen: true }, 'now 15 stands open'],
    ['where it was declined, in what it stood in then', { life: 'declined', declined: true }, 'then 12 stood declined'],
    ['where it was withdrawn', { life: 'withdrawn' }, 'then 12 stood withdrawn'],
    ['where it was before it ended', { ...touched, life: 'fixed' }, 'then 12 stood fixed'],
    [
      'where it was, when its commit is gone',
      { present: { kind: 'unmapped', path: 'src/cart.ts' } },
      'then 12 stood open',
    ],
  ])('is %s', (_, changes, expected, said = []) => {
    expect(told(findingAfter(earlier(changes), said)?.places[0])).toBe(expected);
  });

  it('is its lines as they were quoted last', () => {
    const [seen, unseen] = [[quoted], []].map(
      (said) => findingAfter(earlier({ ...nearby, seen: true }), said)?.places[0],
    );
    expect([seen?.lines?.digests.length, unseen?.lines?.digests]).toEqual([2, digests]);
  });

  it('is what proved that it is fixed, and whether its own lines stayed', () => {
    const proof = { path: 'src/guard.ts', digests: ['12345678'], around: 'guard' };
    const ended = earlier({ ...nearby, life: 'fixed', proof });
    const [place] = findingAfter(ended)?.places ?? [];
    expect([place?.proof, place?.isIntact]).toEqual([proof, true]);
    const again = earlier({
      ...touched,
      life: 'fixed',
      known: place === undefined ? null : { finding: knownFinding(), place },
    });
    expect(findingAfter(again)?.places[0]?.proof).toEqual(proof);
    const back = earlier({ life: 'returned', known: again.known });
    expect(findingAfter(back)?.places[0]).not.toHaveProperty('proof');
  });

  it('is removed lines under both names of their file', () => {
    const lines = { kind: 'lines', side: 'LEFT', startLine: 3, endLine: 3, quote: '' } as const;
    const guard = finding({ path: 'src/new.ts', anchor: linesAt([3, 3], 'check();', 'LEFT') });
    const mark = marked(guard, { ...then, oldPath: 'src/old.ts' });
    const present = { kind: 'here', path: 'src/newer.ts', oldPath: 'src/old.ts', anchor: lines } as const;
    const [place] = findingAfter(prior(guard, { mark, present }))?.places ?? [];
    expect([place?.path, place?.oldPath, place?.commit]).toEqual(['src/newer.ts', 'src/old.ts', now.commit]);
  });

  it('is the lines that were quoted at each of its places', () => {
    const at = (line: number) => linesAt([line, line], `line ${line};`);
    const others = [{ path: 'src/cart.ts', anchor: at(40) }];
    const said = placed(finding({ anchor: at(15), others, knownAs: 'p-f1' }), 'standing', noReason);
    const second = { kind: 'here', path: 'src/cart.ts', anchor: linesAt([40, 40], '') } as const;
    const parts = [earlier({ seen: true }), earlier({ seen: true, id: 'p-f1.2', part: 1, present: second })];
    const [one] = stateAfter({ findings: [said], round: roundOf({ parts }) })?.findings ?? [];
    expect(one?.places.map(told)).toEqual(['now 15 stands open', 'now 40 stands open']);
  });

  it('is all its places, each with its own life', () => {
    const parts = [earlier(), earlier({ id: 'p-f1.2', part: 1, ...touched, life: 'fixed' })];
    const places = stateAfter({ round: roundOf({ parts }) })?.findings.flatMap((one) => one.places.map(told));
    expect(places).toEqual(['now 15 stands open', 'then 12 stood fixed']);
  });

  it('is what was known of it, with the severity that it has now', () => {
    const flags = { more: 3, quiet: true, outside: true, from: 'p-0', generation: 2, muted: true } as const;
    const one = earlier();
    const known = { finding: { ...knownFinding(), ...flags }, place: one.known?.place ?? knownFinding().places[0] };
    const said = placed(finding({ severity: 'nitpick', knownAs: 'p-f1' }), 'standing', noReason);
    const after = findingAfter({ ...one, known: known.place === undefined ? null : { ...known, place: known.place } }, [
      said,
    ]);
    expect(after).toMatchObject({ ...flags, severity: 'nitpick', title: finding().title });
  });
});

describe('what the next round knows of a new finding', () => {
  const fresh = (changes: Partial<Finding>, place: PlacedFinding['place'] = 'inline') =>
    stateAfter({ findings: [placed(finding({ knownAs: 'p-new', ...changes }), place, noReason)] })?.findings;

  it('is every place with what it stands in, under the id that was minted', () => {
    const others = [{ path: 'src/order.ts', anchor: linesAt([7, 8], 'a();\nb();') }];
    const found = fresh({ others, around: ['one', 'two'], oldPath: 'src/old.ts' });
    expect(found).toMatchObject([
      {
        id: 'p-new',
        title: finding().title,
        places: [
          {
            path: 'src/cart.ts',
            oldPath: 'src/old.ts',
            ...now,
            around: 'one',
            life: 'open',
            lines: { startLine: 12, digests },
          },
          { path: 'src/order.ts', ...now, around: 'two', life: 'open', lines: { startLine: 7, endLine: 8 } },
        ],
      },
    ]);
    expect(found?.[0]?.places[1]).not.toHaveProperty('oldPath');
  });

  it('is ten of its places, and how many more there are', () => {
    const others = Array.from({ length: 14 }, (_, index) => ({
      path: 'src/a.ts',
      anchor: linesAt([index + 1, index + 1], 'x'),
    }));
    const [one] = fresh({ others, alsoMore: 3 }) ?? [];
    expect([one?.places.length, one?.more]).toEqual([10, 8]);
  });

  it.each<[string, Partial<Finding>, PlacedFinding['place'], object]>([
    ['that it has a comment', {}, 'inline', {}],
    ['that it has none, and should not', {}, 'summary', { quiet: true }],
    ['that its file is outside of the diff', {}, 'body', { outside: true }],
    ['that its code was not found', { unplaced: { reason: verbatim(''), quote: null } }, 'file', { unplaced: true }],
    [
      'what it came from',
      { origin: { kind: 'fix', of: 'p-0', url: null, generation: 2 } },
      'inline',
      { from: 'p-0', generation: 2 },
    ],
    ['that it came too late for a comment', { muted: true }, 'summary', { muted: true, quiet: true }],
  ])('is %s', (_, changes, place, flags) => {
    const [one] = fresh(changes, place) ?? [];
    const { id, title, severity, category, ruleId, source, places, ...rest } = one ?? knownFinding();
    expect([id, rest]).toEqual(['p-new', flags]);
  });

  it('is nothing where it is not raised, or has no id', () => {
    const suppressed = unraised(finding({ knownAs: 'p-new' }), { by: 'verification', reason: verbatim('') });
    expect([
      stateAfter({ findings: [suppressed] })?.findings,
      stateAfter({ findings: [placed(finding(), 'inline')] })?.findings,
    ]).toEqual([[], []]);
  });

  it('is no secret of its title', () => {
    expect(fresh({ title: 'The key hunter2hunter2 is public' })?.[0]?.title).toBe(
      'The key [redacted: secret] is public',
    );
  });
});

describe('the next state', () => {
  it('is of this head, by these settings, and counts this review', () => {
    expect(stateAfter({})).toMatchObject({
      ...{ number: 4, run: '1-1', head: now.commit, mergeBase: now.mergeBase, base: 'main' },
      ...{ settings: identity.settings, reviews: 4, findings: [], beyond: [] },
    });
  });

  it('is none on a laptop, and where nothing is remembered', () => {
    expect([stateAfter({ identity: null }), stateAfter({ round: null })]).toEqual([null, null]);
  });

  it('has what is open before what ended, as important as it is', () => {
    const parts = [goneFinding({ id: 'p-gone' }), earlier()];
    const findings = [placed(finding({ id: 'f2', knownAs: 'p-new' }), 'inline')];
    const ids = stateAfter({ findings, round: roundOf({ parts }) })?.findings.map(({ id }) => id);
    expect(ids).toEqual(['p-f1', 'p-new', 'p-gone']);
  });
});
