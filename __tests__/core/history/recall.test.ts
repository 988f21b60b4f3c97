import { describe, expect, it } from 'vitest';
import type { Past, PriorFinding } from '../../../src/core/history/memory.ts';
import { recall } from '../../../src/core/history/recall.ts';
import { withSignatures } from '../../../src/core/history/signed-marks.ts';
import type { KnownPlace, State } from '../../../src/core/history/state.ts';
import type { Surroundings } from '../../../src/core/history/surroundings.ts';
import type { ChangedFile } from '../../../src/core/pull-request/changed-file.ts';
import type { Comment, ReviewThread } from '../../../src/core/pull-request/pull-request.ts';
import { knownFinding, past, sameAround, stateMark } from '../../fakes/earlier-rounds.ts';
import {
  finding,
  keys,
  linesAt,
  marked,
  ownRemark,
  pullRequest,
  reviewer,
  signedComment,
  signedMark,
  thread,
} from '../../fakes/review-record.ts';
import { changedFile, hunk } from '../findings/make.ts';

const then = { commit: '1'.repeat(40), mergeBase: '2'.repeat(40) };
const mark = marked(finding(), then);

function summary(changes: Partial<State>): Comment {
  const body = `### Postil · Said\n\n${signedMark(stateMark(changes), { in: 'summary', comment: 9 })}`;
  return ownRemark(body, { restId: 9 });
}

type Given = {
  readonly place?: Partial<KnownPlace>;
  readonly more?: Partial<ReviewThread>;
  readonly since?: readonly ChangedFile[] | null;
  /** Between the two merge bases. */
  readonly below?: readonly ChangedFile[];
  readonly surroundings?: Partial<Surroundings>;
  readonly of?: typeof mark;
};

/** What is known at the present head of a finding that the state and a thread hold. */
async function remembered({
  place,
  more,
  since = [],
  below = [],
  surroundings,
  of = mark,
}: Given): Promise<PriorFinding | undefined> {
  const conversation = [summary({ findings: [knownFinding(of, place)] })];
  const threads = [thread({ comments: [ownRemark(signedComment('Words.', of))], ...more })];
  const changesBetween: Past['changesBetween'] = async (from) => (from === then.mergeBase ? below : since);
  const { prior } = await recall({
    ...{
      pullRequest: withSignatures({ ...pullRequest, conversation, threads }, keys),
      identity: reviewer,
      signs: true,
    },
    past: { ...past, changesBetween },
    surroundings: { ...sameAround, ...surroundings },
  });
  return prior[0];
}

const file = (...hunks: readonly ReturnType<typeof hunk>[]) => [changedFile('src/cart.ts', { hunks })];
const changed = file(hunk({ old: 12, new: 12 }, '-a', '+b'));
const nearby = file(hunk({ old: 11, new: 11 }, '-a', '+b'));
const resolved = { isResolved: true, resolvedBy: 'grace' } as const;
const proof = { path: 'src/guard.ts', digests: ['12345678'], around: 'around' };
const found = { find: async () => [{ start: 3, end: 4 }] };

describe('an earlier finding', () => {
  const facts = (one: PriorFinding | undefined) =>
    one === undefined
      ? null
      : [
          one.present.kind,
          one.change.kind,
          ...(one.isBack ? ['as made'] : []),
          ...(one.declined ? ['declined'] : []),
          ...(one.saidFixed ? ['said fixed'] : []),
          ...(one.isLoose === true ? ['loose'] : []),
        ].join(', ');

  it.each<[string, Given, string]>([
    ['is as it was made where nothing changed', {}, 'here, same, as made'],
    ['changed with its lines', { since: changed }, 'gone, changed'],
    ['is as it was made where a line beside it changed', { since: nearby }, 'here, changed, as made'],
    [
      'is not, where that is what ended it',
      { since: nearby, place: { life: 'fixed', isIntact: true } },
      'here, changed',
    ],
    ['is as it was made once that was taken back', { place: { life: 'fixed', isIntact: true } }, 'here, same, as made'],
    ['is not known where its commit is gone', { since: null }, 'unmapped, unknown'],
    ['is declined by who resolves its thread', { more: resolved }, 'here, same, as made, declined'],
    [
      'is fixed by who resolves its thread after its lines changed',
      { more: resolved, since: changed },
      'gone, changed, said fixed',
    ],
    [
      'is declined by who resolves its thread after lines beside it changed',
      { more: resolved, since: nearby },
      'here, changed, as made, declined',
    ],
    [
      'is fixed by who resolves what ended',
      { more: resolved, place: { life: 'fixed' } },
      'here, same, as made, said fixed',
    ],
    [
      'stays declined when its lines change then',
      { more: resolved, since: changed, place: { life: 'declined' } },
      'gone, changed, declined',
    ],
    ['is loose where nothing excludes it any more', { place: { life: 'withdrawn' } }, 'here, same, as made, loose'],
    [
      'is fixed while its proof stands',
      { place: { life: 'fixed', proof }, since: changed, surroundings: found },
      'gone, changed',
    ],
    [
      'is loose where the lines that prove its fix are gone',
      { place: { life: 'fixed', proof }, since: changed },
      'gone, changed, loose',
    ],
    [
      'is loose where its proof stands in other code',
      { place: { life: 'fixed', proof }, since: changed, surroundings: { ...found, around: async () => 'other' } },
      'gone, changed, loose',
    ],
    ['has no proof to watch while it is open', { place: { proof } }, 'here, same, as made'],
  ])('%s', async (_, given, expected) => {
    expect(facts(await remembered(given))).toBe(expected);
  });

  it('on removed lines is looked for at the merge base, and what it stands in at head', async () => {
    const removed = finding({ path: 'src/new.ts', anchor: linesAt([3, 3], 'check();', 'LEFT') });
    const of = marked(removed, { ...then, oldPath: 'src/old.ts' });
    const place = { path: 'src/new.ts', oldPath: 'src/old.ts' };
    const moved = [changedFile('src/newer.ts', { oldPath: 'src/new.ts', status: 'renamed', hunks: [] })];
    const below = [changedFile('src/old.ts', { hunks: [hunk({ old: 1, new: 1 }, '+a', ' b')] })];
    const around = async (path: string) => `around in ${path}`;
    const more = { path: 'src/new.ts', side: 'LEFT', line: 3, originalLine: 3 } as const;
    const one = await remembered({ of, place, more, since: moved, below, surroundings: { around } });
    expect([one?.present, one?.around]).toEqual([
      { kind: 'here', path: 'src/old.ts', anchor: { ...linesAt([4, 4], '', 'LEFT') } },
      'around in src/newer.ts',
    ]);
  });
});

describe('what the rounds before left', () => {
  const read = async (
    conversation: readonly Comment[],
    { signs = true, discussionRead = true, isOwnKey = true } = {},
  ) => {
    const said = withSignatures({ ...pullRequest, conversation, discussionRead }, keys);
    const known = await recall({
      pullRequest: said,
      identity: reviewer,
      signs,
      isOwnKey,
      past,
      surroundings: sameAround,
    });
    return [known.earlier, known.state?.number ?? null, known.nextState, known.prior.length];
  };
  const four = summary({ number: 4, findings: [knownFinding(mark)] });
  const foreign = { ...four, restId: 8 };

  it.each<[string, ReturnType<typeof read>, readonly unknown[]]>([
    ['is nothing at first', read([]), ['known', null, 1, 0]],
    ['is its state', read([four]), ['known', 4, 5, 1]],
    ['is unknown where the state was signed for another comment', read([foreign]), ['unknown', null, 1, 0]],
    ['is unknown where comments could not be read', read([four], { discussionRead: false }), ['unknown', null, 5, 0]],
    ['is not kept where this run has no key', read([foreign], { signs: false }), ['not-kept', null, 1, 0]],
    ['is for the job that posts to know', read([foreign], { isOwnKey: false }), ['known', null, 1, 0]],
  ])('%s', async (_, known, expected) => {
    expect(await known).toEqual(expected);
  });
});
