import { describe, expect, it } from 'vitest';
import { verbatim } from '../../../src/core/messages/message.ts';
import type { PullRequest } from '../../../src/core/pull-request/pull-request.ts';
import type { ReviewPost } from '../../../src/core/review/review.ts';
import { type Fault, type FaultAnswer, readOnly } from '../../fakes/github-server/world.ts';
import { printed } from '../../fakes/printed.ts';
import { postOver, someComment, somePost, someReview } from './desks.ts';
import { head, reply } from './scripted-github.ts';

const posting = { method: 'POST', path: /\/pulls\/7\/reviews$/ };
const listing = { reviews: { ...posting, method: 'GET' }, comments: { method: 'GET', path: /\/pulls\/7\/comments$/ } };

const page = 'https://github.example/octo/spoon/pull/7';
const firstReview = `${page}#pullrequestreview-1001`;
const firstComment = { findingId: 'f1', place: 'inline', url: `${page}#discussion_r1002` };

describe('reviewSink', () => {
  it('posts one review with its comments and tells where each finding is', async () => {
    const { deliver, fake, log } = await postOver(somePost(['One', 'Two'], { bodyFindings: ['f9'] }));
    expect(await deliver(someReview(['f9']))).toEqual({
      sink: 'pull request review',
      status: 'delivered',
      reason: [],
      delivered: [
        firstComment,
        { findingId: 'f2', place: 'inline', url: `${page}#discussion_r1004` },
        { findingId: 'f9', place: 'body', url: firstReview },
      ],
      url: firstReview,
    });
    expect(fake.requests[0]?.body).toMatchObject({ commit_id: head, event: 'COMMENT', body: 'What was found.' });
    expect(log()).toEqual(['POST /pulls/7/reviews', 'GET /pulls/7/comments']);
  });

  it('sends several lines with a start, and a single line without', async () => {
    const comments = [
      someComment({ startLine: 4, line: 6, side: 'LEFT' }),
      someComment({ startLine: 6, line: 6 }),
      someComment({ startLine: null, line: 6 }),
    ];
    const { deliver, fake } = await postOver(somePost([], { comments }));
    await deliver(someReview());
    const sent = { path: 'src/lines.txt', line: 6, body: 'Text' };
    expect(fake.requests[0]?.body).toHaveProperty('comments', [
      { ...sent, side: 'LEFT', start_line: 4, start_side: 'LEFT' },
      { ...sent, side: 'RIGHT' },
      { ...sent, side: 'RIGHT' },
    ]);
  });

  it('posts at most 30 comments a review, the body with the first, and finds them on two pages of the list', async () => {
    const words = Array.from({ length: 130 }, (_, index) => `Words ${index + 1}`);
    const { deliver, fake } = await postOver(somePost(words));
    const { delivered } = await deliver(someReview());
    const more = `More comments on ${head.slice(0, 12)}.`;
    expect(fake.reviews().map(({ body }) => body)).toEqual(['What was found.', more, more, more, more]);
    const posted = fake.threads().map(({ comments: [comment] }) => `${page}#discussion_r${comment?.id}`);
    expect(delivered.map(({ findingId, url }) => [findingId, url])).toEqual(
      posted.map((url, index) => [`f${index + 1}`, url]),
    );
  });

  it.each<[string, readonly Fault[]]>([
    ['one by one', []],
    [
      'once, although the answer is lost',
      [{ match: { ...listing.comments, method: 'POST' }, times: 1, after: 'status 502' }],
    ],
  ])('posts comments on files %s', async (_name, faults) => {
    const fileComments = [{ findingIds: ['f1'], path: 'src/lines.txt', body: 'Whole file' }];
    const { deliver, fake } = await postOver(somePost([], { body: '', fileComments }), { faults });
    const { url, delivered } = await deliver(someReview());
    expect([url, delivered, fake.comments().length]).toEqual([
      firstComment.url,
      [{ ...firstComment, place: 'file' }],
      1,
    ]);
    expect(fake.requests.flatMap(({ body }) => body ?? [])).toEqual([
      { commit_id: head, path: 'src/lines.txt', body: 'Whole file', subject_type: 'file' },
    ]);
  });

  it.each<[string, ReviewPost | null]>([
    ['nothing was rendered', null],
    ['the post is empty', somePost([], { body: '' })],
  ])('posts nothing when %s', async (_name, post) => {
    const { deliver, log } = await postOver(post);
    expect(printed(await deliver(someReview()))).toMatchObject({
      status: 'skipped',
      reason: 'There is nothing to post.',
    });
    expect(log()).toEqual([]);
  });

  it('never posts twice', async () => {
    const { deliver, fake } = await postOver(somePost(['One']));
    const [, second] = await Promise.all([deliver(someReview()), deliver(someReview())]);
    expect(printed(second)).toMatchObject({ status: 'skipped', reason: 'It was posted in this run already.' });
    expect(fake.reviews()).toHaveLength(1);
  });

  it.each([65_500, 65_501])('cuts a body that GitHub would refuse, never inside a character (%i)', async (start) => {
    const body = `${'x'.repeat(start)}${'😀'.repeat(100)}`;
    const { deliver, fake } = await postOver(somePost(['One'], { body }));
    await deliver(someReview());
    const posted = fake.reviews()[0]?.body ?? '';
    expect(posted.length).toBeLessThanOrEqual(65_536);
    expect(posted).toMatch(/… \(cut: too long for GitHub\)$/);
    expect(posted).not.toMatch(/[\uD800-\uDBFF](?![\uDC00-\uDFFF])/);
  });

  it.each([
    [
      'is the head no more, and says so',
      async () => 'f'.repeat(40),
      `The head moved to ffffffffffff meanwhile; the comments are on ${head.slice(0, 12)}, which was reviewed.`,
    ],
    ['may still be the head: GitHub does not say', () => Promise.reject(new Error('no answer')), null],
  ])('posts against the reviewed commit when it %s', async (_name, currentHead, reason) => {
    const { deliver, fake } = await postOver(somePost(['One']), { currentHead });
    expect(printed(await deliver(someReview()))).toMatchObject({ status: 'delivered', reason });
    expect(fake.reviews()[0]?.commit).toBe(head);
  });

  it.each([
    ['The head moved to dddddddddddd while aaaaaaaaaaaa was reviewed.', 'COMMENTED'],
    [null, 'APPROVED'],
  ])('asks again before it approves: told "%s", its review is %s', async (why, state) => {
    const options = { whyNotApprove: async () => (why === null ? null : verbatim(why)), viewer: 'postil-app[bot]' };
    const { deliver, fake } = await postOver(somePost([], { event: 'APPROVE' }), options);
    const { reason } = printed(await deliver(someReview()));
    const body = why === null ? 'What was found.' : `> Not approved: ${why}\n\nWhat was found.`;
    expect(fake.reviews()).toMatchObject([{ state, body }]);
    expect(reason).toBe(why === null ? null : `Not approved: ${why}`);
  });

  it('says when GitHub accepted a comment and does not show it', async () => {
    const shown = {
      id: 1,
      path: 'src/lines.txt',
      body: 'One',
      pull_request_review_id: 1001,
      html_url: firstComment.url,
    };
    const faults = [{ match: listing.comments, times: 1, before: reply(200, [shown]) }];
    const { deliver } = await postOver(somePost(['One', 'Two']), { faults });
    const { delivered, reason } = printed(await deliver(someReview()));
    expect(delivered).toEqual([firstComment]);
    expect(reason).toBe('GitHub accepted 2 comments and does not show 1 of them.');
  });
});

describe('reviewSink, when GitHub fails', () => {
  const deliverWith = async (options: Parameters<typeof postOver>[1], changes: Partial<PullRequest> = {}) => {
    const over = await postOver(somePost(['One']), options);
    const delivery = await over.deliver(someReview([], changes));
    return { ...over, delivery, posts: over.log().filter((line) => line === 'POST /pulls/7/reviews').length };
  };
  const lost = (times: number): Fault => ({ match: posting, times, before: 'status 502' });
  const always = (what: keyof typeof listing, before: FaultAnswer) => [{ match: listing[what], times: 12, before }];
  const broken = (body: string) => ({ status: 200, headers: { 'content-type': 'application/json' }, body });

  it.each<[string, FaultAnswer, readonly Fault[], 'delivered' | 'failed']>([
    ['a gateway error hides it', 'status 502', [], 'delivered'],
    ['a broken connection hides it', 'reset', [], 'delivered'],
    [
      'the lists show it only at the second look',
      'reset',
      [listing.reviews, listing.comments].map((match) => ({ match, times: 1, before: reply(200, []) })),
      'delivered',
    ],
    ['the list of reviews is forbidden', 'status 502', always('reviews', 'status 403'), 'failed'],
    ['the list of reviews is cut', 'reset', always('reviews', broken('[{"id": 101, "st')), 'failed'],
    ['the list of reviews is empty text', 'reset', always('reviews', broken('')), 'failed'],
    ['the list of reviews is behind that of comments', 'reset', always('reviews', reply(200, [])), 'failed'],
    ['the list of comments is cut', 'reset', always('comments', broken('[')), 'failed'],
  ])('does not post a review again that was written when %s', async (_name, after, lists, status) => {
    const { delivery, fake, posts } = await deliverWith({ faults: [{ match: posting, times: 1, after }, ...lists] });
    expect([fake.reviews().length, posts]).toEqual([1, 1]);
    expect(delivery).toMatchObject({ status, delivered: status === 'failed' ? [] : [firstComment] });
  });

  it('posts again, once, when nothing was written', async () => {
    const { delivery, fake, posts } = await deliverWith({ faults: [lost(1)] });
    expect([fake.reviews().length, posts]).toEqual([1, 2]);
    expect(printed(delivery)).toMatchObject({ status: 'delivered', reason: null });
  });

  it('gives up after the second unclear answer', async () => {
    const { delivery, posts } = await deliverWith({ faults: [lost(2)] });
    expect([delivery.status, posts]).toEqual(['failed', 2]);
    expect(printed(delivery).reason).toMatch(/^GitHub gave no clear answer \(Server Error\)/);
  });

  const there = { id: 7, author: 'github-actions[bot]', body: '', commit: head, createdAt: '' };

  it("does not take another commit's review for its own", async () => {
    const { deliver, fake } = await postOver(somePost([]), { faults: [lost(1)] });
    fake.reviews().push({ ...there, state: 'COMMENTED', body: 'What was found.', commit: 'e'.repeat(40) });
    expect((await deliver(someReview())).url).toBe(firstReview);
  });

  it.each([
    [{ fromFork: false }, /Grant `pull-requests: write`\.$/],
    [{ fromFork: true }, /from forks get a read-only token/],
    [{ author: 'dependabot[bot]' }, /Dependabot triggers get a read-only token/],
  ])('is refused without permission, and says what to grant: %o', async (pullRequest, hint) => {
    const { delivery, log } = await deliverWith({ permissions: readOnly }, pullRequest);
    expect(delivery).toMatchObject({ status: 'refused', delivered: [] });
    expect(printed(delivery).reason).toMatch(
      /^GitHub does not permit writing: Resource not accessible by integration\./,
    );
    expect(printed(delivery).reason).toMatch(hint);
    expect(log()).toEqual(['POST /pulls/7/reviews']);
  });

  it.each(['was submitted too quickly', 'commit_id is not part of the pull request'])(
    'does not look for a bad comment when the answer is "%s"',
    async (sentence) => {
      const before = reply(422, { message: 'Unprocessable Entity', errors: [sentence] });
      const { delivery, log } = await deliverWith({ faults: [{ match: posting, times: 1, before }] });
      const reason = `GitHub did not accept the review: Unprocessable Entity: ${sentence}.`;
      expect(printed(delivery)).toMatchObject({ status: 'failed', reason });
      expect(log()).toEqual(['POST /pulls/7/reviews']);
    },
  );

  it('removes the unfinished review of a bot and posts', async () => {
    const { deliver, fake } = await postOver(somePost(['One']));
    fake.reviews().push({ ...there, state: 'PENDING' });
    expect(printed(await deliver(someReview()))).toMatchObject({ status: 'delivered', reason: null });
    expect(fake.reviews().map(({ state }) => state)).toEqual(['COMMENTED']);
  });

  it('keeps the unfinished review of a person', async () => {
    const { deliver, fake } = await postOver(somePost(['One']), { viewer: 'ada' });
    fake.reviews().push({ ...there, author: 'ada', state: 'PENDING' });
    const { status, reason } = printed(await deliver(someReview()));
    expect([status, fake.reviews().map(({ id }) => id)]).toEqual(['refused', [7]]);
    expect(reason).toMatch(/^A pending review of the same account is in the way/);
  });

  it('writes nothing once the run was cancelled', async () => {
    const { delivery, log } = await deliverWith({ signal: AbortSignal.abort() });
    expect(delivery).toMatchObject({ status: 'skipped', delivered: [] });
    expect(log()).toEqual([]);
  });

  it('starts no further write when the run is cancelled in between', async () => {
    const run = new AbortController();
    const currentHead = async () => {
      run.abort();
      return head;
    };
    const { delivery, log } = await deliverWith({ signal: run.signal, currentHead });
    expect(printed(delivery)).toMatchObject({
      status: 'skipped',
      reason: 'The run was cancelled: nothing more was posted.',
    });
    expect(log()).toEqual([]);
  });
});
