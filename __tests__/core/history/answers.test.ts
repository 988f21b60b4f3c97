import { describe, expect, it } from 'vitest';
import { answersOf, evidenceOf, pauseOf } from '../../../src/core/history/answers.ts';
import type { AnswerMark } from '../../../src/core/history/mark.ts';
import { recall } from '../../../src/core/history/recall.ts';
import { withSignatures } from '../../../src/core/history/signed-marks.ts';
import { verbatim } from '../../../src/core/messages/message.ts';
import type { ChangedFile } from '../../../src/core/pull-request/changed-file.ts';
import type { Comment, PullRequest } from '../../../src/core/pull-request/pull-request.ts';
import { answerMark, opening, ownAnswer } from '../../fakes/asking.ts';
import { past, sameAround } from '../../fakes/earlier-rounds.ts';
import { keys, pullRequest, remark, reviewer, thread } from '../../fakes/review-record.ts';
import { changedFile, hunk } from '../findings/make.ts';

const id = 'p-3f09ab12';
const at = (minute: number) => `2026-11-02T10:${minute}:00Z`;

/** What was said, by whom the signatures hold. The replies stand in the thread of our finding. */
function saying({
  replies = [],
  conversation = [],
}: {
  replies?: readonly Comment[];
  conversation?: readonly Comment[];
}) {
  return withSignatures({ ...pullRequest, conversation, threads: [thread({ comments: [opening, ...replies] })] }, keys);
}

const proof = { path: 'src/guard.ts', startLine: 3, endLine: 4 };
const around = { finding: 'cart', proof: 'guard' };
const withdrawn = answerMark({ to: 'PRRC_9', verb: 'recheck', about: id, verdict: 'withdrawn', proof, around });

describe('an answer of ours', () => {
  const mark = answerMark();
  it.each<[string, Parameters<typeof saying>[0], readonly (readonly [string, boolean])[]]>([
    ['in the conversation', { conversation: [ownAnswer(mark)] }, [['IC_1', true]]],
    ['in a thread', { replies: [ownAnswer(mark, { thread: 1 })] }, [['IC_1', true]]],
    ['copied out of a thread', { conversation: [ownAnswer(mark, { thread: 1 })] }, [['IC_1', false]]],
    ['copied into a thread', { replies: [ownAnswer(mark)] }, [['IC_1', false]]],
    ['copied into another thread', { replies: [ownAnswer(mark, { thread: 2 })] }, [['IC_1', false]]],
    ['without a signature', { conversation: [ownAnswer(mark, { unsigned: true })] }, [['IC_1', false]]],
    ['of another name', { conversation: [ownAnswer(answerMark({ name: 'Other' }))] }, []],
    ['copied by somebody else', { conversation: [{ ...ownAnswer(mark), isSelf: false }] }, []],
    [
      'edited by somebody else',
      { conversation: [{ ...ownAnswer(mark), body: ownAnswer(mark).body.replace('IC_1', 'IC_2') }] },
      [['IC_2', false]],
    ],
    ['whose number is not known', { conversation: [{ ...ownAnswer(mark), restId: null }] }, [['IC_1', true]]],
  ])('%s is read with what its signature is worth', (_, said, expected) => {
    const given = (signs: boolean) =>
      answersOf(saying(said), { name: 'Review', signs }).map((one) => [one.mark.to, one.isSigned]);
    // Where a run has a key, what is not signed is no answer.
    expect([given(false), given(true)]).toEqual([expected, expected.filter(([, isSigned]) => isSigned)]);
  });

  it.each<[string, Parameters<typeof saying>[0], readonly (string | null)[]]>([
    ['once', { replies: [40, 41, 42].map((restId) => ownAnswer(mark, { restId, thread: 1 })) }, ['A40']],
    ['as the oldest', { replies: [42, 40, 41].map((restId) => ownAnswer(mark, { restId, thread: 1 })) }, ['A40']],
    [
      'as the one whose number is known',
      {
        replies: [
          { ...ownAnswer(mark, { thread: 1 }), restId: null, id: 'A0' },
          ownAnswer(mark, { restId: 41, thread: 1 }),
        ],
      },
      ['A41'],
    ],
    [
      'twice where it says something else',
      {
        replies: [
          ownAnswer(mark, { restId: 40, thread: 1 }),
          ownAnswer(answerMark({ run: '3-1' }), { restId: 41, thread: 1 }),
        ],
      },
      ['A40', 'A41'],
    ],
  ])('that is repeated counts %s', (_, said, expected) => {
    expect(answersOf(saying(said), { name: 'Review', signs: true }).map(({ comment }) => comment.id)).toEqual(expected);
  });

  it('is none in the comment that opens a thread', () => {
    const threads = [thread({ comments: [ownAnswer(mark)] })];
    expect(answersOf(withSignatures({ ...pullRequest, threads }, keys), { name: 'Review', signs: true })).toEqual([]);
  });
});

describe('what an answer proved', () => {
  const proves = (mark: AnswerMark, options?: Parameters<typeof ownAnswer>[1]) =>
    [...evidenceOf(saying({ replies: [ownAnswer(mark, { thread: 1, ...options })] }), 'Review')].flatMap(
      ([about, found]) => found.map(({ verdict, act }) => `${about} ${verdict} by ${act.words}`),
    );

  it.each<[string, AnswerMark, readonly string[]]>([
    ['ends a finding by a line', withdrawn, [`${id} withdrawn by src/guard.ts:3-4`]],
    [
      'says that it is fixed',
      { ...withdrawn, verdict: 'fixed', proof: { ...proof, endLine: 3 } },
      [`${id} fixed by src/guard.ts:3`],
    ],
    ['ends nothing that stands', { ...withdrawn, verdict: 'stands' }, []],
    ['ends nothing without a line', answerMark({ about: id, verdict: 'withdrawn' }), []],
    ['ends nothing without a finding', answerMark({ verdict: 'withdrawn', proof }), []],
  ])('%s', (_, mark, expected) => {
    expect(proves(mark)).toEqual(expected);
  });

  it('is nothing without a signature for that very place', () => {
    expect([{ unsigned: true } as const, { thread: 2 }].map((options) => proves(withdrawn, options))).toEqual([[], []]);
  });
});

const guard = (lines: readonly string[]) =>
  changedFile('src/guard.ts', { hunks: [hunk({ old: 2, new: 2 }, ...lines)] });

type Run = {
  readonly replies: readonly Comment[];
  readonly since?: readonly ChangedFile[] | null;
  readonly head?: string;
  /** What the finding and the proof stand in now. */
  readonly stands?: { readonly finding?: string | null; readonly proof?: string | null };
};

/** What a later run remembers of the finding, after these changes since the commit of the answer. */
async function remembered({ replies, since = [], head = 'e'.repeat(40), stands }: Run) {
  const said = { ...saying({ replies }), head: { ...pullRequest.head, sha: head } };
  const now = { ...around, ...stands };
  const surroundings = {
    ...sameAround,
    around: async (path: string) => (path === 'src/cart.ts' ? now.finding : now.proof),
  };
  const { prior } = await recall({
    ...{ pullRequest: said, identity: reviewer, incremental: true, signs: true, surroundings },
    past: { ...past, canWrite: async (login) => login === 'grace', changesBetween: async () => since },
  });
  return prior.map(({ declined, provenFixed, declines }) => [declined, provenFixed, declines.map(({ how }) => how)]);
}

describe('a finding that an answer withdrew', () => {
  const holds = [[true, undefined, ['evidence']]];
  const open = [[false, undefined, []]];
  const answer = (mark = withdrawn, more: Partial<Comment> = {}) => ({
    ...ownAnswer({ ...mark, at: at(20) }, { thread: 1 }),
    ...more,
  });
  const { around: _, ...withoutAround } = withdrawn;
  const undismiss = (author: string, minute: number) =>
    remark({ id: 'C70', restId: 70, author, date: at(minute), body: '/postil undismiss' });

  it.each<[string, Run, readonly unknown[]]>([
    ['is withdrawn while its line stands', { replies: [answer()] }, holds],
    [
      'is withdrawn at the very head of the answer',
      { replies: [answer()], head: pullRequest.head.sha, since: null },
      holds,
    ],
    ['is withdrawn when the lines moved', { replies: [answer()], since: [guard(['+new', ' b'])] }, holds],
    [
      'is withdrawn when other code of that file changed',
      { replies: [answer()], since: [changedFile('src/guard.ts', { hunks: [hunk({ old: 9, new: 9 }, '-a', '+b')] })] },
      holds,
    ],
    [
      'is withdrawn when the file got another name',
      { replies: [answer()], since: [changedFile('src/g.ts', { oldPath: 'src/guard.ts', status: 'renamed' })] },
      holds,
    ],
    [
      'counts again when the lines that prove it are gone',
      { replies: [answer()], since: [guard([' b', '-if (a)', '-if (b)', '+x', '+y', ' c'])] },
      open,
    ],
    ['counts again when what the proof stands in changed', { replies: [answer()], stands: { proof: 'other' } }, open],
    ['counts again when what it stands in itself changed', { replies: [answer()], stands: { finding: 'other' } }, open],
    ['counts again when that cannot be read', { replies: [answer()], stands: { finding: null } }, open],
    ['counts when nobody knows what it stood in', { replies: [answer(withoutAround)] }, open],
    [
      'counts again when the file is gone',
      { replies: [answer()], since: [changedFile('src/guard.ts', { status: 'deleted' })] },
      open,
    ],
    [
      'counts again when the diff of the file is not known',
      { replies: [answer()], since: [changedFile('src/guard.ts', { incomplete: verbatim('too large') })] },
      open,
    ],
    ['counts again when the commit is gone', { replies: [answer()], since: null }, open],
    ['counts again when somebody who may write takes it back', { replies: [answer(), undismiss('grace', 30)] }, open],
    ['stays withdrawn when somebody else would take it back', { replies: [answer(), undismiss('eve', 30)] }, holds],
    ['is withdrawn by a later answer', { replies: [undismiss('grace', 10), answer()] }, holds],
    [
      'counts again when it was taken back before somebody copied the answer',
      { replies: [answer(), undismiss('grace', 30), answer(withdrawn, { id: 'A80', restId: 80, date: at(40) })] },
      open,
    ],
    [
      'counts again when it was taken back since the time that the answer names, whenever that was posted',
      { replies: [answer(withdrawn, { date: at(40) }), undismiss('grace', 30)] },
      open,
    ],
    ['counts when the answer is not signed', { replies: [ownAnswer(withdrawn, { unsigned: true })] }, open],
    ['counts when the answer is hidden', { replies: [answer(withdrawn, { isMinimized: true })] }, open],
    [
      'counts when the answer is hidden, and somebody copied it',
      { replies: [answer(withdrawn, { isMinimized: true }), answer(withdrawn, { id: 'A80', restId: 80 })] },
      open,
    ],
    [
      'counts when GitHub does not say who edited the answer',
      { replies: [answer(withdrawn, { edited: { by: null, date: at(25) } })] },
      open,
    ],
    [
      'is withdrawn when we edited the answer',
      { replies: [answer(withdrawn, { edited: { by: 'github-actions[bot]', date: at(25) } })] },
      holds,
    ],
    [
      'counts when somebody else edited the answer',
      { replies: [answer(withdrawn, { edited: { by: 'eve', date: at(25) } })] },
      open,
    ],
    ['is fixed by proof', { replies: [answer({ ...withdrawn, verdict: 'fixed' })] }, [[false, true, []]]],
    [
      'is fixed no more when somebody who may write takes that back',
      { replies: [answer({ ...withdrawn, verdict: 'fixed' }), undismiss('grace', 30)] },
      open,
    ],
    [
      'stays fixed when somebody else would take that back',
      { replies: [answer({ ...withdrawn, verdict: 'fixed' }), undismiss('eve', 30)] },
      [[false, true, []]],
    ],
    [
      'is not fixed any more when what proves it changed',
      { replies: [answer({ ...withdrawn, verdict: 'fixed' })], stands: { proof: 'other' } },
      open,
    ],
    [
      'counts when the answer is about another finding',
      { replies: [answer({ ...withdrawn, about: 'p-00000001' })] },
      open,
    ],
  ])('%s', async (_, run, expected) => {
    expect(await remembered(run)).toEqual(expected);
  });
});

describe('a pause', () => {
  const said = (author: string, minute: number, body = '/postil pause', more: Partial<Comment> = {}) =>
    remark({ author, body, date: at(minute), url: `${author} at ${minute}`, ...more });
  const canWrite = async (login: string) => (login === 'hopper' ? null : ['grace', 'linus', 'x[bot]'].includes(login));
  const pausedBy = async (conversation: readonly Comment[], replies: readonly Comment[] = []) => {
    const discussion: Pick<PullRequest, 'conversation' | 'threads'> = {
      conversation,
      threads: [thread({ comments: [opening, ...replies] })],
    };
    return (await pauseOf(discussion, { name: 'Review', canWrite }))?.url ?? null;
  };
  const resume = '/postil resume';

  it.each<[string, readonly Comment[], string | null]>([
    ['of somebody who may write', [said('grace', 10)], 'grace at 10'],
    ['by our name', [said('grace', 10, '@review pause')], 'grace at 10'],
    ['of somebody who may not', [said('eve', 10)], null],
    ['of somebody of whom GitHub does not say', [said('hopper', 10)], null],
    ['that was taken back', [said('grace', 10), said('linus', 20, resume)], null],
    ['that was taken back, in whatever order they are listed', [said('linus', 20, resume), said('grace', 10)], null],
    ['that somebody who may not write takes back', [said('grace', 10), said('eve', 20, resume)], 'grace at 10'],
    [
      'that was taken back, and asked for again',
      [said('grace', 10), said('grace', 20, resume), said('linus', 30)],
      'linus at 30',
    ],
    ['that its own comment takes back', [said('grace', 10, `/postil pause\n${resume}`)], null],
    ['as a question', [said('grace', 10, '/postil pause?')], null],
    ['in a quote', [said('grace', 10, '> /postil pause')], null],
    ['in an edited comment', [said('grace', 10, undefined, { edited: { by: 'grace', date: at(11) } })], null],
    ['in a hidden comment', [said('grace', 10, undefined, { isMinimized: true })], null],
    ['of a bot', [said('x[bot]', 10)], null],
    ['of our own', [said('grace', 10, undefined, { isSelf: true })], null],
    ['in nothing', [], null],
  ])('%s', async (_, conversation, expected) => {
    expect(await pausedBy(conversation)).toBe(expected);
  });

  it('counts in a reply, and in the comment that opens the thread of a person', async () => {
    expect(await pausedBy([said('grace', 30, resume)], [said('linus', 40)])).toBe('linus at 40');
    const threads = [thread({ comments: [said('grace', 10)] })];
    expect((await pauseOf({ conversation: [], threads }, { name: '', canWrite }))?.by).toBe('grace');
  });
});
