import { describe, expect, it } from 'vitest';
import { answerInPlace, reactOnly } from '../../../../src/adapters/github/answering/answer-sink.ts';
import { withoutMarks, writeMark } from '../../../../src/core/history/mark.ts';
import { verbatim } from '../../../../src/core/messages/message.ts';
import type { Review } from '../../../../src/core/review/review.ts';
import { answerMark, asking } from '../../../fakes/asking.ts';
import { type Fault, type GitHubWorld, readOnly } from '../../../fakes/github-server/world.ts';
import { printed } from '../../../fakes/printed.ts';
import { deliveryOf, recordOf } from '../../../fakes/review-record.ts';
import { answering, identity, viewer } from './answer-desk.ts';

const creating = { method: 'POST', path: /\/(?:issues\/7\/comments|replies)$/ };
const updating = { method: 'PATCH', path: /\/comments\/\d+$/ };

describe('an answer', () => {
  it.each([
    ['conversation', ['POST issues//comments 201', 'POST graphql 200']],
    ['review', ['POST issues//comments 201', 'POST graphql 200']],
    ['thread', ['POST pulls//comments//replies 201', 'POST graphql 200']],
  ] as const)('to a comment in a %s stands where it was asked, once, signed, with 🚀', async (place, writes) => {
    const desk = await answering({ in: place });
    const { status, url, reason } = printed(await desk.deliver());
    const [answer, ...others] = desk.answers();
    expect([status, reason, others, answer?.signed, desk.reactions()]).toEqual([
      'delivered',
      null,
      [],
      [true],
      ['ROCKET'],
    ]);
    expect(
      withoutMarks(answer?.body ?? '')
        .split('\n\n')
        .slice(1),
    ).toEqual(['Because.']);
    expect([url?.endsWith(String(answer?.id)), desk.writes()]).toEqual([true, writes]);
  });

  it('that could not do what was asked has 😕', async () => {
    const desk = await answering();
    await desk.deliver({ answer: { ...desk.answer, isDone: false } });
    expect([desk.answers().length, desk.reactions()]).toEqual([1, ['CONFUSED']]);
  });

  it('to a run by hand stands in the conversation, and nothing is reacted to', async () => {
    const desk = await answering();
    const asked = asking('/postil help', {}, { comment: null });
    const { status } = await desk.deliver({ answer: { ...desk.answer, asked } }, { asked });
    expect([status, desk.answers().length, desk.writes().length, desk.reactions()]).toEqual(['delivered', 1, 1, []]);
  });

  it('names the head that came meanwhile', async () => {
    const desk = await answering({ currentHead: 'd'.repeat(40) });
    await desk.deliver();
    expect(desk.answers()[0]?.body).toContain('; since then the head moved to [`ddddddd`]');
  });

  it.each<[string, Partial<Review>, string, string]>([
    ['none of a review that failed', { outcome: 'failed' }, 'skipped', ''],
    [
      'what a review came to',
      { outcome: 'findings', headline: [verbatim('2 findings.')] },
      'delivered',
      '2 findings. All of it is in [the summary]',
    ],
    [
      'that a review looked at nothing',
      { outcome: 'skipped', headline: [verbatim('Nothing to review.')] },
      'delivered',
      'Nothing to review.',
    ],
  ])('to a command for a review is %s', async (_, changes, status, words) => {
    const desk = await answering({ body: '/postil review' });
    const url = 'https://github.com/acme/shop/commit/1';
    const summary = changes.outcome === 'findings' ? [deliveryOf('summary comment', { url })] : [];
    const { status: found } = await answerInPlace(desk.options).deliver(recordOf(changes, summary));
    expect([found, desk.answers().length, desk.reactions()]).toEqual([
      status,
      words === '' ? 0 : 1,
      [changes.outcome === 'findings' ? 'ROCKET' : 'CONFUSED'],
    ]);
    expect(desk.answers()[0]?.body ?? '').toContain(words);
  });

  it('is 😕 alone after the run was cancelled', async () => {
    const desk = await answering();
    desk.run.abort();
    const { status, reason } = printed(await desk.deliver());
    expect([status, reason, desk.answers(), desk.reactions()]).toEqual(['skipped', null, [], ['CONFUSED']]);
  });

  it('is 😕 alone where nothing was said, as when too much was asked', async () => {
    const desk = await answering();
    const { status } = await desk.deliver({ answer: null });
    expect([status, desk.answers(), desk.reactions()]).toEqual(['skipped', [], ['CONFUSED']]);
  });

  it('is none to a comment that was edited or deleted while it was made', async () => {
    const [edited, deleted] = [await answering(), await answering({ in: 'thread' })];
    edited.fake.people.rewrite(edited.number, { body: '/postil ask Who?' });
    deleted.fake.people.remove(deleted.number);
    const [one, other] = [await edited.deliver(), await deleted.deliver()];
    expect([one.status, printed(one).reason, edited.writes()]).toEqual([
      'skipped',
      'The comment was edited since: an edit starts nothing.',
      [],
    ]);
    expect([other.status, printed(other).reason, deleted.writes()]).toEqual([
      'skipped',
      'The comment was deleted meanwhile.',
      [],
    ]);
  });
});

describe('of two answers to one comment', () => {
  it.each(['conversation', 'thread'] as const)('the younger takes itself back: in the %s', async (place) => {
    const desk = await answering({ in: place });
    const [one, other] = await Promise.all([
      desk.deliver(),
      desk.deliver({ answer: desk.answer }, { identity: { ...identity, run: '51-1' } }),
    ]);
    expect([
      desk.answers().map(({ signed }) => signed),
      one.url === other.url,
      desk.reactions().includes('ROCKET'),
    ]).toEqual([[[true]], true, true]);
  });

  it.each([
    ['a reply is not answered', 'Why?', 'Another run answered first.', 1],
    ['a command is', '/postil ask Why?', null, 2],
  ] as const)('in a thread whose reply was answered %s', async (_, body, why, count) => {
    const desk = await answering({ in: 'thread', body });
    const { comment } = desk.asked;
    const replied = { ...desk.asked, comment: comment && { ...comment, id: 'PRRC_1' }, commands: [] };
    const first = desk.options.render({ ...desk.answer, asked: replied }, { gate: null, movedTo: null });
    desk.fake.people.reply('A finding.', { author: viewer, body: first });
    const { reason } = printed(await desk.deliver());
    expect([reason, desk.answers().map(({ signed }) => signed)]).toEqual([why, Array(count).fill([true])]);
    expect(desk.answers()[0]?.body).toBe(first);
  });

  it('neither is that of another reviewer, or one to another comment, or a copy by somebody else', async () => {
    const desk = await answering();
    const to = desk.asked.comment?.id ?? '';
    const mark = (changes: object) => `A copy.\n\n${writeMark(answerMark({ to, ...changes }))}`;
    desk.fake.people.say({ author: viewer, body: mark({ name: 'Other' }) });
    desk.fake.people.say({ author: viewer, body: mark({ to: 'IC_1' }) });
    desk.fake.people.say({ author: 'eve', body: mark({}) });
    await desk.deliver();
    expect(desk.answers().map(({ signed }) => signed)).toEqual([[false], [false], [true]]);
  });
});

describe('where GitHub fails', () => {
  const lost: Fault[] = [{ match: creating, times: 1, after: 'reset' }];
  it.each<[string, 'conversation' | 'thread', Partial<GitHubWorld>, unknown[]]>([
    [
      'an answer that was lost on the way is not given twice',
      'conversation',
      { faults: lost },
      ['delivered', [[true]], ['ROCKET']],
    ],
    [
      'an answer in a thread that was lost on the way is not given twice',
      'thread',
      { faults: lost },
      ['delivered', [[true]], ['ROCKET']],
    ],
    [
      'an answer that did not arrive is given',
      'conversation',
      { faults: [{ match: creating, times: 1, before: 'status 502' }] },
      ['delivered', [[true]], ['ROCKET']],
    ],
    [
      'an answer that may not be written is a reaction',
      'thread',
      { faults: [{ match: creating, times: 9, before: 'status 403' }] },
      ['failed', [], ['CONFUSED']],
    ],
    ['nothing is written where the token only reads', 'conversation', { permissions: readOnly }, ['failed', [], []]],
  ])('%s', async (_, place, world, expected) => {
    const desk = await answering({ in: place, ...world });
    const { status } = await desk.deliver();
    expect([status, desk.answers().map(({ signed }) => signed), desk.reactions()]).toEqual(expected);
  });

  it.each([
    ['is written again', 1, 'status 502', true, null],
    [
      'is left out, and the answer stands',
      9,
      'status 403',
      false,
      /^The answer does not say what becomes of the check: /,
    ],
  ] as const)('what becomes of the check %s', async (_, times, before, isSaid, why) => {
    const faults: Fault[] = [{ match: updating, times, before }];
    const checks = [{ name: 'Review', workflow: 'Review', run: 3, conclusion: 'FAILURE' } as const];
    const desk = await answering({ faults, checks });
    const { status, reason } = printed(await desk.deliver({ answer: { ...desk.answer, movesGate: true } }));
    const [answer, ...others] = desk.answers();
    expect([status, others, answer?.signed, desk.reactions()]).toEqual(['delivered', [], [true], ['ROCKET']]);
    expect([answer?.body.includes('[check]'), reason]).toEqual([
      isSaid,
      why === null ? null : expect.stringMatching(why),
    ]);
  });

  it('an answer in a locked conversation is none, and says why', async () => {
    const desk = await answering();
    desk.fake.people.change({ locked: true });
    const { status, reason } = printed(await desk.deliver());
    expect([status, desk.answers(), reason]).toEqual([
      'failed',
      [],
      expect.stringMatching(/^The answer could not be posted: .*locked/),
    ]);
  });

  it('a reaction that is refused is a reason, and no failure', async () => {
    const faults: Fault[] = [
      { match: { method: 'POST', path: /graphql$/, body: /PostilReact/ }, times: 9, before: 'status 403' },
    ];
    const desk = await answering({ faults });
    const { status, reason } = printed(await desk.deliver());
    expect([status, desk.answers().length, reason]).toEqual([
      'delivered',
      1,
      expect.stringMatching(/^No reaction could be given: /),
    ]);
  });

  it('a run that ended before it could answer reacts', async () => {
    const desk = await answering({ in: 'review' });
    const { status, reason } = printed(await reactOnly(desk.options).deliver(recordOf()));
    expect([status, reason, desk.reactions(), desk.answers()]).toEqual(['skipped', null, ['CONFUSED'], []]);
  });
});
