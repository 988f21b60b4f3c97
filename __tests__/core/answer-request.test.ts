import { describe, expect, it } from 'vitest';
import { ModelError } from '../../src/core/agent/model.ts';
import { inEnglish } from '../../src/core/messages/languages.ts';
import { answerMark, asking, inThread, opening, ownAnswer } from '../fakes/asking.ts';
import { finding, marked, ownRemark, remark, signedComment, thread } from '../fakes/review-record.ts';
import { call, type ScriptedStep } from '../fakes/scripted-model.ts';
import { type Given, requested } from './requested.ts';

const submits = (submission: object): ScriptedStep => ({
  toolCalls: [call('submit_answer', { sources: [], answer: 'Words.', not_found: null, ...submission })],
});
const guards = submits({ verdict: 'excluded', proof: { path: 'src/guard.ts', quote: 'check(items);' } });
const why = asking('Why?', inThread);
const answered = (mark = {}) => ownAnswer(answerMark(mark));
/** A thread that a reviewer with another name opened. */
const otherName = { ...marked(finding(), { id: 'p-00000002' }), name: 'Other' };
const anothers = thread({ comments: [ownRemark(signedComment('Its words.', otherName), { restId: 8 })] });
/** In the thread of the finding. */
const replied = (mark = {}) => ownAnswer(answerMark(mark), { thread: 1 });

describe('what somebody asks is left', () => {
  const silent = ['job summary'];
  const loud = ['answer', 'job summary'];
  const stands = replied({ to: 'PRRC_9', verb: 'reply', verdict: 'stands' });
  it.each<[string, Given, string, readonly string[]]>([
    [
      'when it was answered already',
      { asked: asking('/postil help'), conversation: [answered({ to: 'IC_50' })] },
      'This was answered already.',
      silent,
    ],
    [
      'when it was answered in a thread',
      { asked: why, replies: [replied({ to: inThread.id })] },
      'This was answered already.',
      silent,
    ],
    [
      'when it is our own answer, which a token of a person posted',
      { asked: why, replies: [{ ...replied({ to: 'PRRC_9', verb: 'reply' }), id: inThread.id }] },
      'The comment is an answer of this reviewer.',
      silent,
    ],
    [
      'when there were too many answers',
      { asked: asking('/postil help'), conversation: [answered()], settings: { 'max-commands': '1' } },
      'This pull request has had 1 answer, and the maximum is 1 (`max-commands`).',
      loud,
    ],
    [
      'when a run without a key gave too many',
      {
        asked: asking('/postil help'),
        conversation: [ownAnswer(answerMark(), { unsigned: true })],
        settings: { 'max-commands': '1' },
        signs: false,
      },
      'This pull request has had 1 answer, and the maximum is 1 (`max-commands`).',
      loud,
    ],
    [
      'when it is no command, and the list was given',
      { asked: asking('/postil wat'), conversation: [answered({ verb: 'unknown' })] },
      'This is no command, and the list of commands was given before.',
      loud,
    ],
    [
      'when it is no command, and somebody got help',
      { asked: asking('/postil wat'), replies: [replied({ verb: 'help' })] },
      'This is no command, and the list of commands was given before.',
      loud,
    ],
    ['when its globs are none', { asked: asking('/postil review src/[') }, 'A review can be asked for by', loud],
    [
      'when a command about a finding stands in the thread of another reviewer',
      { asked: asking('/postil recheck', { ...inThread, thread: 8 }), pull: { threads: [anothers] } },
      "The thread is another reviewer's.",
      silent,
    ],
    [
      'when the reply is in the thread of a person',
      { asked: asking('Why?', { ...inThread, thread: 9 }) },
      'The reply is to no finding that this reviewer signed',
      silent,
    ],
    [
      'when the finding of the reply is declined',
      { asked: why, replies: [remark({ author: 'grace', body: 'By design.' })] },
      'The finding is declined: there is nothing to answer.',
      silent,
    ],
    [
      'when a reply was answered in that thread',
      { asked: why, replies: [stands] },
      'One reply was answered in this thread. `/postil recheck` or `/postil ask` asks for more.',
      silent,
    ],
    [
      'when a reply was answered in that thread, which judged nothing',
      { asked: why, replies: [replied({ to: 'PRRC_9', verb: 'reply' })] },
      'One reply was answered in this thread. `/postil recheck` or `/postil ask` asks for more.',
      silent,
    ],
  ])('%s', async (_, given, headline, delivered) => {
    const { review, verdict, accepted, ...rest } = await requested(given);
    expect([review.outcome, review.answer, accepted, verdict.gate]).toEqual(['skipped', null, 0, 'fine']);
    expect(rest).toEqual({ delivered, asks: 0 });
    expect(inEnglish.sentences(review.headline).slice(0, headline.length)).toBe(headline);
  });
});

describe('what somebody asks is answered', () => {
  const proof = { path: 'src/guard.ts', startLine: 1, endLine: 1 };
  it.each<[string, Given, object]>([
    ['without the model where that is not needed', { asked: asking('/postil help') }, { isDone: true }],
    ['by the model', { asked: asking('/postil ask Why?'), script: [submits({})] }, { text: 'Words.', about: null }],
    [
      'about a finding',
      { asked: asking('/postil explain', inThread), script: [submits({})] },
      { text: 'Words.', about: 'p-3f09ab12' },
    ],
    [
      'by a verdict',
      { asked: asking('/postil recheck', inThread), script: [guards] },
      { verdict: 'withdrawn', proof, movesGate: true },
    ],
    ['by a verdict on a reply', { asked: why, script: [guards] }, { verdict: 'withdrawn', proof, movesGate: true }],
    [
      'by no verdict for somebody who may only read',
      { asked: { ...why, mayWrite: false }, script: [guards] },
      { places: [proof], movesGate: false },
    ],
    [
      'after another comment was',
      { asked: asking('/postil ask Why?'), conversation: [answered({ to: 'IC_9' })], script: [submits({})] },
      { text: 'Words.' },
    ],
    [
      'after a case was made in the thread, when a command asks',
      {
        asked: asking('/postil recheck', inThread),
        replies: [replied({ verb: 'reply', verdict: 'stands' })],
        script: [guards],
      },
      { verdict: 'withdrawn' },
    ],
    [
      'as a reply after a command had the case looked at',
      { asked: why, replies: [replied({ verb: 'recheck', verdict: 'stands' })], script: [submits({})] },
      { text: 'Words.' },
    ],
    [
      'about a finding that it names, in the thread of another reviewer',
      {
        asked: asking('/postil explain p-3f09ab12', { ...inThread, thread: 8 }),
        pull: { threads: [thread({ comments: [opening] }), { ...anothers, id: 'T8' }] },
        script: [submits({})],
      },
      { text: 'Words.', about: 'p-3f09ab12' },
    ],
    [
      'about the change, in the thread of another reviewer',
      {
        asked: asking('/postil ask Why?', { ...inThread, thread: 8 }),
        pull: { threads: [anothers] },
        script: [submits({})],
      },
      { text: 'Words.', about: null },
    ],
    [
      'about what no finding is, in the thread of a person',
      {
        asked: asking('/postil recheck', { ...inThread, thread: 9 }),
        pull: { threads: [thread({ comments: [remark({ restId: 9 })] })] },
      },
      { isDone: false },
    ],
    [
      'though a reply in another thread was',
      {
        asked: why,
        pull: {
          threads: [
            thread({ comments: [opening] }),
            thread({
              id: 'T9',
              comments: [remark({ restId: 9 }), ownAnswer(answerMark({ verb: 'reply' }), { thread: 9 })],
            }),
          ],
        },
        script: [submits({})],
      },
      { text: 'Words.' },
    ],
    [
      'though somebody copied an answer',
      { asked: why, replies: [{ ...replied({ to: inThread.id }), isSelf: false }], script: [submits({})] },
      { text: 'Words.' },
    ],
    [
      'though unsigned answers are many, by a run with a key',
      {
        asked: asking('/postil help'),
        conversation: [ownAnswer(answerMark(), { unsigned: true })],
        settings: { 'max-commands': '1' },
      },
      { isDone: true },
    ],
  ])('%s', async (_, given, answer) => {
    const { review, accepted, delivered, asks } = await requested(given);
    expect([review.outcome, accepted, delivered, asks]).toEqual([
      'skipped',
      1,
      ['answer', 'job summary'],
      given.script?.length ?? 0,
    ]);
    expect(review.answer).toMatchObject(answer);
    if (!given.asked.mayWrite) expect(review.answer?.verdict).toBeUndefined();
  });

  it('with nothing where a reply neither disputes nor asks', async () => {
    const { review, delivered, asks } = await requested({ asked: why, script: [submits({ verdict: 'none' })] });
    expect([review.answer, delivered, asks]).toEqual([null, ['job summary'], 1]);
  });

  it.each(['/postil help', '/postil review'])(
    'with a failure where the comments could not be read, as it may be answered already: %s',
    async (body) => {
      const { review, delivered, verdict, accepted, asks } = await requested({
        asked: asking(body),
        pull: { discussionRead: false },
      });
      expect([review.outcome, review.answer, verdict.gate, accepted, asks]).toEqual(['failed', null, 'failed', 0, 0]);
      expect([delivered, inEnglish.sentences(review.headline)]).toEqual([
        ['answer', 'job summary'],
        expect.stringContaining('could not be read, so it is not known whether this was answered already.'),
      ]);
    },
  );

  it.each<[string, readonly ScriptedStep[]]>([
    ['the model says nothing', [{ text: '' }, { text: '' }, { text: '' }]],
    ['the model fails', [new ModelError('authentication', 'The key was refused.')]],
  ])('with a failure where %s', async (_, script) => {
    const { review, delivered, verdict } = await requested({ asked: asking('/postil ask Why?'), script });
    expect([review.outcome, review.answer, delivered, verdict.gate]).toEqual([
      'failed',
      undefined,
      ['answer', 'job summary'],
      'failed',
    ]);
  });
});
