import { describe, expect, it } from 'vitest';
import { react, whyGone } from '../../../../src/adapters/github/answering/asked-comment.ts';
import { permissionOf } from '../../../../src/adapters/github/pull.ts';
import { askedComment } from '../../../fakes/asking.ts';
import type { StrictGitHub } from '../scripted-github.ts';
import { reply, scriptedGitHub, strictGitHub } from '../scripted-github.ts';

const body = '/postil help\n';
const by = (desk: StrictGitHub) => ({
  conversation: () => desk.fake.people.say({ author: 'grace', body }),
  thread: () => desk.fake.people.reply('A finding.', { author: 'grace', body }),
  review: () => desk.fake.people.review({ author: 'grace', body }),
});
const kinds = { conversation: 'IC', thread: 'PRRC', review: 'PRR' } as const;
const places = ['conversation', 'thread', 'review'] as const;

async function said(place: (typeof places)[number]) {
  const threads = [{ path: 'src/lines.txt', line: 5, comments: [{ author: 'ada', body: 'A finding.' }] }];
  const desk = await strictGitHub({ threads });
  const number = by(desk)[place]();
  const comment = askedComment({ in: place, number, id: `${kinds[place]}_${number}`, body });
  return { ...desk, number, comment, gone: () => whyGone(desk.github, { reference: desk.reference, comment }) };
}

describe.each(places)('a comment in a %s', (place) => {
  it('stands as it was, whatever its line ends', async () => {
    const desk = await said(place);
    desk.fake.people.rewrite(desk.number, { body: '/postil help\r\n' });
    expect(await desk.gone()).toBeNull();
  });

  it('asks for nothing after an edit', async () => {
    const desk = await said(place);
    desk.fake.people.rewrite(desk.number, { body: '/postil pause' });
    expect(await desk.gone()).toBe('The comment was edited since: an edit starts nothing.');
  });

  it('gets one reaction of each kind', async () => {
    const { github, comment, fake, number } = await said(place);
    const why = [
      await react(github, comment, 'EYES'),
      await react(github, comment, 'EYES'),
      await react(github, comment, 'ROCKET'),
    ];
    expect([why, fake.reactions(number)]).toEqual([
      [null, null, null],
      ['EYES', 'ROCKET'],
    ]);
  });
});

it.each(['conversation', 'thread'] as const)(
  'a comment in a %s that was deleted asks for nothing, and gets no reaction',
  async (place) => {
    const desk = await said(place);
    desk.fake.people.remove(desk.number);
    expect([await desk.gone(), typeof (await react(desk.github, desk.comment, 'EYES'))]).toEqual([
      'The comment was deleted meanwhile.',
      'string',
    ]);
  },
);

it('a comment that cannot be read is an error that names what is missing', async () => {
  const { github } = await scriptedGitHub(() => reply(403, { message: 'Resource not accessible by integration' }));
  const reference = { owner: 'o', repository: 'r', number: 5, serverUrl: 'https://github.example' };
  await expect(whyGone(github, { reference, comment: askedComment() })).rejects.toThrow(/comment 50 in o\/r/);
});

describe('what somebody may do', () => {
  const repository = { owner: 'o', repository: 'r' };
  it.each([
    ['none', 200, 'none'],
    ['read', 200, 'read'],
    ['write', 200, 'write'],
    ['admin', 200, 'admin'],
    ['maintain', 200, null],
    [null, 200, null],
    ['admin', 404, null],
    ['admin', 500, null],
  ])('is, where GitHub says %s with %i, %s', async (permission, status, expected) => {
    const { github } = await scriptedGitHub(() => reply(status, { permission, user: null }));
    expect(await permissionOf(github, { repository, login: 'eve' })).toBe(expected);
  });

  it('is not asked of a deleted account', async () => {
    const { github, log } = await scriptedGitHub(() => reply(200, { permission: 'admin' }));
    expect([await permissionOf(github, { repository, login: 'ghost' }), log]).toEqual([null, []]);
  });
});
