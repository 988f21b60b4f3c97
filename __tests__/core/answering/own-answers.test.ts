import { describe, expect, it } from 'vitest';
import { helpText, ownAnswer } from '../../../src/core/answering/own-answers.ts';
import { findingAsked, listedFinding, openFindings, threadOf } from '../../../src/core/answering/subject.ts';
import { verbs } from '../../../src/core/history/commands.ts';
import { noMemory, type PriorFinding } from '../../../src/core/history/memory.ts';
import { asking, inThread } from '../../fakes/asking.ts';
import { prior } from '../../fakes/earlier-rounds.ts';
import { finding, linesAt, ownRemark, pullRequest, remark, thread } from '../../fakes/review-record.ts';

const reply = remark({ id: 'C9', restId: 9, url: 'https://github.com/acme/shop/pull/7#discussion_r9' });
const own = thread({ comments: [ownRemark('The words.', { restId: 1 }), reply] });
const url = 'https://github.com/acme/shop/pull/7#discussion_r1';
const held = { in: 'thread', thread: own, comment: ownRemark('The words.') } as const;
/** In the thread that the comment 1 opens, and one that only the summary holds. */
const inOwnThread = prior(finding(), { id: 'p-00000001', held, url });
const other = prior(finding({ title: 'A `race`\nin flush', severity: 'warning', anchor: { kind: 'file' } }), {
  id: 'p-00000002',
});
const known = [inOwnThread, other];

const answerTo = (
  body: string,
  { place = inThread as object, memory = known, by = {}, read = true, paused = false } = {},
) => {
  const asked = asking(body, place, by);
  const { text, isDone, movesGate, about } = ownAnswer({
    ...{ asked, name: '' },
    pullRequest: { ...pullRequest, discussionRead: read },
    memory: { ...noMemory, prior: memory, paused: paused ? { by: 'grace', url: null } : null },
  }) ?? { text: null, isDone: null, movesGate: null, about: null };
  return { text, isDone, movesGate, about };
};
const declined = [{ ...inOwnThread, declined: true }, other];

describe('the finding that is asked about', () => {
  it.each<[string, string, object, PriorFinding | null]>([
    ['is that of the thread', '/postil explain', inThread, inOwnThread],
    ['is that of the thread of a reply without a command', 'Why?', inThread, inOwnThread],
    ['is the one that is named, wherever', '/postil explain p-00000002', inThread, other],
    ['is named by the address of its comment', `/postil explain ${url}`, {}, inOwnThread],
    ['is named by the address of any comment of its thread', `/postil explain ${reply.url}`, {}, inOwnThread],
    ['is none with an id that nothing has', '/postil explain p-0000000f', inThread, null],
    ['is none in the conversation', '/postil explain', {}, null],
    ['is none in the thread of a person', '/postil explain', { ...inThread, thread: 99 }, null],
  ])('%s', (_, body, place, expected) => {
    expect(findingAsked(asking(body, place), known)).toEqual(expected);
  });

  it('is none that we did not sign', () => {
    expect(findingAsked(asking('/postil explain', inThread), [{ ...inOwnThread, signed: false }])).toBeNull();
  });

  it('is listed on one line, and open only while it counts', () => {
    const ended = (['fixed', 'gone', 'declined', 'withdrawn'] as const).map((life) => ({ ...other, life }));
    const open = (['open', 'changed', 'returned'] as const).map((life) => ({ ...other, life }));
    const rest = [
      { ...other, signed: false },
      { ...other, declined: true },
    ];
    expect(openFindings([...ended, ...open, ...rest])).toEqual(open);
    expect(known.map((one) => listedFinding(one))).toEqual([
      '- `p-00000001` critical, `src/cart.ts:12`: The last price is read past the end',
      '- `p-00000002` warning, `src/cart.ts`: A  race  in flush',
    ]);
  });

  it('has a thread only where that is still there', () => {
    const threadsOf = (place: object) => threadOf(asking('Why?', place), { threads: [own] });
    expect([inThread, { ...inThread, thread: 9 }, {}].map(threadsOf)).toEqual([own, null, null]);
  });
});

describe('an answer that needs no model', () => {
  it.each(['review', 'ask why', 'summary', 'explain', 'recheck', 'fix'])('is none to /postil %s', (verb) => {
    expect(answerTo(`/postil ${verb}`).text).toBeNull();
  });

  const say = (text: string, more: object = {}) => ({ text, isDone: true, movesGate: true, about: null, ...more });
  const about = 'p-00000001';
  const left = { isDone: false, movesGate: false };
  const title = '“The last price is read past the end” (`p-00000001`)';
  const example = (verb: string) => `Name one by its id, such as \`/postil ${verb} p-00000001\`:`;
  const list = known.map((one) => listedFinding(one)).join('\n');
  const counts =
    'what counts is the last `/postil pause` or `/postil resume` that a person who may write to the repository wrote, and nobody edited.';
  const pauseText =
    'Paused: pushes to this pull request are not reviewed until somebody writes `/postil resume`. `/postil review` asks for a single review. A required check does not pass by this.';
  const resumeText = 'Pushes are reviewed again. `/postil review` reviews what was pushed while they were not.';
  const inReview = { in: 'review' };
  const reviewText =
    'Nothing was done: in the text of a review this does not count, because I cannot see who edited it. Write it in a comment.';

  it.each<[string, ReturnType<typeof answerTo>, object]>([
    ['a pause', answerTo('/postil pause', { paused: true }), say(pauseText, { movesGate: false })],
    ['its end', answerTo('/postil resume'), say(resumeText, { movesGate: true })],
    ['a pause that does not count, as of a bot', answerTo('/postil pause'), say(`Not paused: ${counts}`, left)],
    ['an end that does not count', answerTo('/postil resume', { paused: true }), say(`Still paused: ${counts}`, left)],
    ['a pause in the text of a review', answerTo('/postil pause', { place: inReview }), say(reviewText, left)],
    [
      'a dismissal in the text of a review',
      answerTo('/postil dismiss p-00000001', { place: inReview }),
      say(reviewText, left),
    ],
    [
      'a dismissal by hand',
      answerTo('/postil dismiss p-00000001', { by: { comment: null } }),
      say(reviewText.replace('the text of a review', 'a run that somebody started'), left),
    ],
    [
      'a dismissal',
      answerTo('/postil dismiss Checked.', { memory: declined }),
      say(
        `Dismissed: ${title} no longer counts, and is not raised again while its code stays as it is. \`/postil undismiss\` takes that back.`,
        { about },
      ),
    ],
    [
      'a dismissal that does not hold',
      answerTo('/postil dismiss Checked.'),
      say(`${title} still counts: somebody took the dismissal back, or GitHub did not say who may dismiss.`, {
        about,
        ...left,
      }),
    ],
    ['what takes it back', answerTo('/postil undismiss'), say(`${title} counts: nothing declines it.`, { about })],
    [
      'what does not take it back',
      answerTo('/postil undismiss', { memory: declined }),
      say(`${title} is still declined: somebody else resolved its thread, voted it down or dismissed it later.`, {
        about,
        ...left,
      }),
    ],
    [
      'what no finding has',
      answerTo('/postil fix p-0000000f'),
      say(`This reviewer knows no finding \`p-0000000f\`. ${example('fix')}\n\n${list}`, left),
    ],
    [
      'what stands where no finding is',
      answerTo('/postil recheck', { place: {} }),
      say(`No finding of this reviewer stands here. ${example('recheck')}\n\n${list}`, left),
    ],
    [
      'what stands where none is, and none is open',
      answerTo('/postil recheck', { place: {}, memory: [] }),
      say('No finding of this reviewer stands here. None is open.', left),
    ],
    [
      'what may stand in a comment that could not be read',
      answerTo('/postil recheck', { place: {}, memory: [], read: false }),
      say('No finding of this reviewer stands here. None is open. Not all comments could be read.', left),
    ],
    ['an unknown word', answerTo('/postil dance'), say(`This is no command of mine.\n\n${helpText('')}`, left)],
    ['a question for help', answerTo('/postil'), say(helpText(''), { movesGate: false })],
  ])('says what became of %s', (_, answer, expected) => {
    expect(answer).toEqual(expected);
  });

  it('lists eight open findings at most', () => {
    const many = Array.from({ length: 11 }, (_, at) =>
      prior(finding({ anchor: linesAt([at + 1, at + 1], '') }), { id: `p-${at}` }),
    );
    const { text } = answerTo('/postil fix', { place: {}, memory: many });
    expect([text?.match(/^- /gm)?.length, text?.endsWith('\n\n… and 3 more.')]).toEqual([8, true]);
  });

  it('to several dismissals is a line for each', () => {
    const body = '/postil dismiss p-00000001 a\n/postil dismiss p-00000002 b\n/postil dismiss p-0000000f c';
    const { text, ...rest } = answerTo(body, { memory: declined });
    expect(rest).toEqual({ isDone: false, movesGate: true, about: null });
    expect(text?.split('\n').map((line) => line.slice(0, 40))).toEqual([
      '1 command of 3 done:',
      '',
      `- Dismissed: ${title}`.slice(0, 40),
      '- “A `race`',
      'in flush” (`p-00000002`) still counts: so'.slice(0, 40),
      '- `p-0000000f`: no such finding',
    ]);
  });

  it('to a dismissal above other commands is about the dismissal alone', () => {
    const { text, isDone } = answerTo('/postil dismiss Checked.\n/postil explain', { memory: declined });
    expect([isDone, text?.startsWith('Dismissed: ')]).toEqual([true, true]);
  });

  it('helps with every command that there is, and by the name that calls it', () => {
    const listed = helpText('review').match(/^- `\w+`/gm);
    expect(listed).toEqual([...verbs.pullRequest, ...verbs.finding].map((verb) => `- \`${verb}\``));
    expect(helpText('review')).toContain('A line that begins with `/postil` or `@review` asks for something:');
  });
});
