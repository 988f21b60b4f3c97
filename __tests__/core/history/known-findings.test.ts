import { describe, expect, it } from 'vitest';
import { endedComment } from '../../../src/core/history/ended-comment.ts';
import {
  countReviews,
  earlierState,
  idOfPart,
  knownParts,
  signedStateIn,
  summaryComments,
  withoutOwnChecks,
} from '../../../src/core/history/known-findings.ts';
import type { Life } from '../../../src/core/history/life.ts';
import { type FindingMark, type ReviewMark, writeMark } from '../../../src/core/history/mark.ts';
import { markKeys, type Said, withSignatures } from '../../../src/core/history/signed-marks.ts';
import type { State } from '../../../src/core/history/state.ts';
import {
  type Comment,
  type HeadCheck,
  nothingLinked,
  type PostedReview,
  type ReviewThread,
} from '../../../src/core/pull-request/pull-request.ts';
import { knownFinding, stateMark, stateOf } from '../../fakes/earlier-rounds.ts';
import {
  finding,
  keys,
  marked,
  ownRemark,
  postedReview,
  pullRequest,
  remark,
  signedComment,
  signedMark,
  thread,
} from '../../fakes/review-record.ts';

const mark = marked();
const name = 'Review';

function saying(said: Partial<Said>) {
  return withSignatures({ ...pullRequest, ...said }, keys);
}

/** Our summary comment, the number 9. */
function summary(changes: Partial<State> = {}, restId = 9): Comment {
  return ownRemark(`### Postil · Said\n\n${signedMark(stateMark(changes), { in: 'summary', comment: restId })}`, {
    restId,
  });
}

function reviewMark(changes: Partial<ReviewMark> = {}): ReviewMark {
  const by = { kind: 'review', name, run: '7-1', state: 1, commit: 'a'.repeat(40) } as const;
  return { ...by, settings: '', event: 'COMMENT', ...changes };
}

function inReview(changes: Partial<ReviewMark> = {}): PostedReview {
  return postedReview({ body: signedMark(reviewMark(changes), { in: 'review' }) });
}

function inThread(changes: Partial<FindingMark> = {}, more: Partial<ReviewThread> = {}): ReviewThread {
  return thread({ comments: [ownRemark(signedComment('Words.', marked(finding(), changes)))], ...more });
}

/** Inflates to no state. */
const unreadable = signedMark({ ...stateMark({ number: 3 }), data: 'AAAA' }, { in: 'summary', comment: 9 });
const otherKey = markKeys(['another-key-of-the-tests-0123'], { repository: 'acme/shop', number: 7 });
const foreign = signedMark(stateMark({ number: 3 }), { in: 'summary', comment: 9 }, otherKey);
const withoutKey = { ...stateMark({ number: 3 }), data: null };

describe('what is known of the rounds before', () => {
  it.each<[string, Partial<Said>, string, number]>([
    ['none where nobody of us was', {}, 'none', 0],
    ['none where only somebody else was', { conversation: [{ ...summary(), isSelf: false }] }, 'none', 0],
    ['none of a reviewer of another name', { reviews: [inReview({ name: 'Other' })] }, 'none', 0],
    [
      'none where what was posted is not signed',
      { reviews: [postedReview({ body: writeMark(reviewMark()) })] },
      'none',
      0,
    ],
    [
      'none where runs without a key wrote it',
      { conversation: [ownRemark(`### Postil · x\n\n${writeMark(withoutKey)}`)] },
      'none',
      0,
    ],
    ['known', { conversation: [summary({ number: 3 })] }, 'known', 3],
    [
      'known with what its own runs posted',
      { conversation: [summary({ number: 3 })], threads: [inThread({ state: 3 })] },
      'known',
      3,
    ],
    [
      'lost where a thread is newer',
      { conversation: [summary({ number: 3 })], threads: [inThread({ state: 4 })] },
      'lost',
      4,
    ],
    [
      'lost where a review is newer',
      { conversation: [summary({ number: 3 })], reviews: [inReview({ state: 7 })] },
      'lost',
      7,
    ],
    ['lost where it was deleted, and a review stands', { reviews: [inReview({ state: 7 })] }, 'lost', 7],
    ['lost where it was deleted, and a thread stands', { threads: [inThread({ state: 2 })] }, 'lost', 2],
    ['lost where it holds something else', { conversation: [ownRemark(unreadable, { restId: 9 })] }, 'lost', 3],
    [
      'lost where another key signed it',
      { conversation: [ownRemark(`### Postil · x\n\n${foreign}`, { restId: 9 })] },
      'lost',
      0,
    ],
    ['lost where it was signed for another comment', { conversation: [{ ...summary({}, 8), restId: 9 }] }, 'lost', 0],
    [
      'lost where it was edited',
      { conversation: [{ ...summary(), body: summary().body.replace('"run":"1-1"', '"run":"2-1"') }] },
      'lost',
      0,
    ],
  ])('is %s', (_, said, kind, newest) => {
    expect(earlierState(saying(said), name)).toMatchObject({ kind, newest });
  });

  it('is the oldest of several summary comments that are signed, word for word', () => {
    const state = stateOf({ findings: [knownFinding()], beyond: [{ path: 'b.ts', severity: 'info', count: 2 }] });
    const conversation = [
      ownRemark(writeMark(stateMark({ reviews: 50 }))),
      summary(state),
      summary({ reviews: 40 }, 12),
    ];
    expect(earlierState(saying({ conversation }), name)).toEqual({ kind: 'known', newest: 1, state });
    expect(summaryComments(saying({ conversation }).conversation, name).map(({ restId }) => restId)).toEqual([9, 12]);
  });

  it('is read from a comment as it is now where our key signed it for this one', () => {
    const { body } = summary({ reviews: 4 });
    const read = (comment: number, by = keys) => signedStateIn(body, { comment, name, keys: by })?.reviews ?? null;
    expect([read(9), read(8), read(9, otherKey)]).toEqual([4, null, null]);
  });
});

describe('the number of earlier reviews', () => {
  const counted = stateOf({ run: '8-1', reviews: 12 });
  const none = stateOf({ run: '8-1', reviews: 0 });
  const runs = (...all: readonly string[]) => all.map((run) => inReview({ run }));
  it.each<[string, Partial<Said>, State | null, number]>([
    ['is none at first', {}, null, 0],
    ['is what the state counted', {}, counted, 12],
    ['leaves this run out', {}, { ...counted, run: '9-1' }, 11],
    ['is that of the runs that posted', { reviews: runs('7-1', '7-2', '8-1', '8-1', '9-1') }, none, 3],
    ['counts a run that left comments alone', { threads: ['5-1', '6-1'].map((run) => inThread({ run })) }, null, 2],
    ['knows nothing of another name', { reviews: [inReview({ name: 'Other' })] }, null, 0],
    ['believes no review that is not signed', { reviews: [postedReview({ body: writeMark(reviewMark()) })] }, null, 0],
    ['believes no review of somebody else', { reviews: [{ ...inReview(), isSelf: false }] }, null, 0],
  ])('%s', (_, said, state, expected) => {
    expect(countReviews(saying(said), { name, run: '9-1', settings: '' }, state)).toBe(expected);
  });
});

describe('own checks', () => {
  const identity = { name: 'Careful', run: '4711-2', settings: '' };

  const job = { name: 'job', workflow: null, run: null, state: 'failed', conclusion: '' } as const;

  const ours = { workflow: 'Review' };
  const old = { name: 'old', ...ours, run: '12' };
  it.each<[string, readonly Partial<HeadCheck>[]]>([
    ['the check run of our name', [{ name: 'Careful' }]],
    ['the jobs of our workflow, of this run and of earlier ones', [old, { name: 'now', ...ours, run: '4711' }]],
    ['those of the workflow of our name where the run is not among the checks', [{ workflow: 'Careful', run: '9' }]],
  ])('leave out %s', (_, checks) => {
    const all = [...checks, { name: 'build', workflow: 'CI' }].map((check) => ({ ...job, ...check }));
    const left = withoutOwnChecks({ ...nothingLinked, checks: all }, identity).checks;
    expect(left?.map(({ name }) => name)).toEqual(['build']);
  });

  it('leave what could not be read unread, and on a laptop everything', () => {
    expect(withoutOwnChecks(nothingLinked, identity).checks).toBeNull();
    expect(withoutOwnChecks({ ...nothingLinked, checks: [job] }, null).checks).toEqual([job]);
  });
});

const body = `Words.\n\n${writeMark(mark)}`;
const own = thread({ comments: [ownRemark(body)] });

describe('a mark of a finding', () => {
  it.each<[string, boolean, ReviewThread]>([
    ['of our own whose place it names', true, own],
    ['on the file, when GitHub did not take its lines', true, { ...own, subject: 'file', originalLine: null }],
    ['that somebody else wrote', false, thread({ comments: [remark({ body })] })],
    ['that answers somebody', false, thread({ comments: [remark(), ownRemark(body)] })],
    ['on another line', false, { ...own, originalLine: 13 }],
    ['on more lines', false, { ...own, originalStartLine: 10 }],
    ['on the other side', false, { ...own, side: 'LEFT' }],
    ['of another name', false, thread({ comments: [ownRemark(`${writeMark({ ...mark, name: 'Other' })}`)] })],
    ['of no version that we know', false, thread({ comments: [ownRemark(body.replace('v2', 'v9'))] })],
  ])('in a comment %s counts: %s', (_, counts, one) => {
    const marks = knownParts({ ...pullRequest, threads: [one] }, { name, state: null }).map((held) => held.mark);
    expect(marks).toEqual(counts ? [mark] : []);
  });

  it.each([
    ['of the same commit', {}, 1],
    ['of another commit', { commit: 'd'.repeat(40) }, 0],
    ['that somebody else wrote', { isSelf: false }, 0],
    ['that is not published', { state: 'PENDING' }, 0],
  ] as const)('in a review %s: counts %o %d', (_, changes, count) => {
    const reviews = [postedReview({ body, ...changes })];
    expect(knownParts({ ...pullRequest, reviews }, { name, state: null })).toHaveLength(count);
  });
});

const known = (said: Partial<Said>, state: State | null) => knownParts(saying(said), { name, state });

describe('a finding that the state does not name', () => {
  const said = signedComment('Words.', mark);
  const ended = endedComment(said, { life: 'fixed', commit: 'c'.repeat(40) });
  it.each<[string, string, Partial<ReviewThread>, Life]>([
    ['open', said, {}, 'open'],
    ['open when a person resolved its thread', said, { isResolved: true, resolvedBy: 'grace' }, 'open'],
    ['fixed when we resolved it', said, { isResolved: true, resolvedBy: 'github-actions' }, 'fixed'],
    ['fixed when its comment says so', ended, {}, 'fixed'],
  ])('is adopted by its mark: %s', (_, text, more, life) => {
    const threads = [thread({ comments: [ownRemark(text)], ...more })];
    expect(known({ threads }, stateOf()).map((one) => [one.id, one.life, one.known])).toEqual([['p-f1', life, null]]);
  });

  it('is one, however many comments hold it: an open thread before a closed one, and both before a review', () => {
    const reviews = [postedReview({ body: `Words.\n\n${signedMark(mark, { in: 'review' })}` })];
    const at = (id: string, more: Partial<ReviewThread> = {}) => ({ ...inThread({}, more), id });
    const closed = at('closed', { isResolved: true, resolvedBy: 'github-actions' });
    const open = thread({ id: 'open', comments: [ownRemark(signedComment('Other words.', mark), { restId: 2 })] });
    const holders = [{ reviews }, { reviews, threads: [closed] }, { reviews, threads: [closed, open] }].flatMap(
      (some) => known(some, null).map(({ held }) => (held.in === 'thread' ? held.thread.id : held.in)),
    );
    expect(holders).toEqual(['review', 'closed', 'open']);
  });
});

describe('a finding that the state names', () => {
  const one = knownFinding(mark);
  const state = stateOf({ findings: [one] });
  const rewritten = signedComment('Words.', mark).replace('Words', 'All is well');

  it.each<[string, readonly ReviewThread[], State, string]>([
    ['is held by its comment', [inThread()], state, 'thread'],
    ['is held by its comment, which has another title', [inThread({ title: 'Other words' })], state, 'thread'],
    ['has lost its comment', [], state, 'deleted'],
    ['has lost it where somebody rewrote it', [thread({ comments: [ownRemark(rewritten)] })], state, 'deleted'],
    [
      'has lost it where it holds no mark any more',
      [thread({ comments: [ownRemark('Never mind.')] })],
      state,
      'deleted',
    ],
    ['never had one', [], stateOf({ findings: [{ ...one, quiet: true }] }), 'sticky'],
  ])('%s', (_, threads, before, expected) => {
    const held = known({ threads }, before).flatMap((part) => (part.signed ? [part.held] : []));
    expect(held.map((one) => (one.in === 'sticky' && one.deleted === true ? 'deleted' : one.in))).toEqual([expected]);
  });

  it('is a part for each place, with the life of each, and all share its comment', () => {
    const [first] = one.places;
    const second = { path: 'src/order.ts', lines: null, commit: 'd'.repeat(40), mergeBase: 'e'.repeat(40) };
    const places = first === undefined ? [] : [first, { ...second, around: null, life: 'fixed' as const }];
    const parts = known({ threads: [inThread()] }, stateOf({ findings: [{ ...one, severity: 'info', places }] }));
    expect(
      parts.map(({ id, part, life, mark: said, held, url }) => [
        id,
        part,
        life,
        said.path,
        said.severity,
        held.in,
        url,
      ]),
    ).toEqual([
      ['p-f1', 0, 'open', 'src/cart.ts', 'info', 'thread', remark().url],
      ['p-f1.2', 1, 'fixed', 'src/order.ts', 'info', 'thread', remark().url],
    ]);
    expect([0, 1, 9].map((part) => idOfPart('p-f1', part))).toEqual(['p-f1', 'p-f1.2', 'p-f1.10']);
  });

  it('is none of what an unsigned mark says: that stands beside it, under an id of its own', () => {
    const parts = known({ threads: [thread({ comments: [ownRemark(body)] })] }, state);
    expect(parts.map(({ id, signed }) => [id, signed])).toEqual([
      ['p-f1', true],
      ['unsigned-1', false],
    ]);
  });
});
