import { describe, expect, it } from 'vitest';
import { ownDescription } from '../../../src/adapters/github/description.ts';
import { withBlock } from '../../../src/core/history/own-block.ts';
import type { Review } from '../../../src/core/review/review.ts';
import { readOnly } from '../../fakes/github-server/world.ts';
import { printed } from '../../fakes/printed.ts';
import { pullRequest, recordOf } from '../../fakes/review-record.ts';
import { head, strictGitHub } from './scripted-github.ts';

type World = NonNullable<Parameters<typeof strictGitHub>[0]>;

const text = '| What changes |\n| --- |';
const walkthrough = [{ paths: ['a.ts'], changes: 'It adds.', checked: 'The sum.' }];

function blockIn(description: string, lines = text): string {
  const made = withBlock(description, { name: 'Review', most: 65_536, render: () => lines });
  if (!('description' in made) || made.description === null) throw new Error('Nothing was written.');
  return made.description;
}

/** A run over a pull request whose description is `before`. */
async function written(before: string, world: World = {}, changes: Partial<Review> = {}) {
  const strict = await strictGitHub(world);
  strict.fake.people.change({ body: before });
  const notes: string[] = [];
  const onNote = (said: string) => notes.push(said);
  const destination = ownDescription(strict, { name: 'Review', render: () => text, onNote });
  const record = recordOf({
    walkthrough,
    pullRequest: { ...pullRequest, head: { ...pullRequest.head, sha: head } },
    ...changes,
  });
  const { status, reason } = printed(await destination.deliver(record));
  const writes = strict.fake
    .writes()
    .map(({ method, path, status }) => `${method} ${path.split('/').at(-2)} ${status}`);
  return { status, reason, notes, writes, body: strict.fake.pull().given.body };
}

describe('the description of a pull request', () => {
  it.each([
    ['is empty', '', blockIn('')],
    [
      'holds an older walkthrough between words',
      `Mine.\r\n${blockIn('', 'Older.')}\r\nToo.`,
      `Mine.\r\n${blockIn('').replaceAll('\n', '\r\n')}\r\nToo.`,
    ],
  ])('is written where it %s', async (_, before, after) => {
    expect(await written(before)).toEqual({
      status: 'delivered',
      reason: null,
      notes: [],
      writes: ['PATCH pulls 200'],
      body: after,
    });
  });

  it.each<[string, string, Partial<Review>]>([
    ['it holds the same', blockIn(''), {}],
    ['there is no walkthrough', '', { walkthrough: [] }],
    ['the head moved', '', { pullRequest }],
  ])('stays, without a write, where %s', async (_, before, changes) => {
    expect(await written(before, {}, changes)).toMatchObject({
      status: 'skipped',
      notes: [],
      writes: [],
      body: before,
    });
  });

  it('stays where it holds words of a person, and the log says so', async () => {
    const made = await written('Mine.');
    expect(made).toMatchObject({ status: 'skipped', writes: [], body: 'Mine.' });
    expect(made.notes).toEqual(['The description is left as it is: it holds words of a person.']);
  });

  it('stays where the token may not write, and the reason says what to grant', async () => {
    const made = await written('', { permissions: readOnly });
    expect(made).toMatchObject({ status: 'refused', writes: ['PATCH pulls 403'], body: '' });
    expect(made.reason).toMatch(/not permit writing.*Grant `pull-requests: write`/);
  });

  it('is written once more where the answer is lost, which changes nothing', async () => {
    const lost = { match: { method: 'PATCH', path: /\/pulls\/7$/ }, times: 1, after: 'status 502' } as const;
    expect(await written('', { faults: [lost] })).toMatchObject({ status: 'delivered', body: blockIn('') });
  });
});
