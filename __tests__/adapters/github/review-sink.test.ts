import { describe, expect, it } from 'vitest';
import type { ReviewPost } from '../../../src/core/review/review.ts';
import type { Outcome } from '../../fakes/loopback.ts';
import { type Fault, reply } from './scripted-github.ts';
import { head, sinkOver, someComment, somePost, someReview } from './some-review.ts';

const postOnFile = 'POST /repos/o/r/pulls/5/comments';
const listReviews = 'GET /repos/o/r/pulls/5/reviews';
const listComments = 'GET /repos/o/r/pulls/5/comments';

describe('reviewSink', () => {
  it('posts one review with its comments and tells where each finding is', async () => {
    const { sink, desk, server } = await sinkOver(somePost(['a.ts', 'b.ts'], { bodyFindings: ['f9'] }));
    const delivery = await sink.deliver(someReview({ inBody: ['f9'] }));
    expect(delivery).toEqual({
      sink: 'pull request review',
      status: 'delivered',
      reason: null,
      delivered: [
        { findingId: 'f1', place: 'inline', url: 'comment-1' },
        { findingId: 'f2', place: 'inline', url: 'comment-2' },
        { findingId: 'f9', place: 'body', url: 'review-101' },
      ],
      url: 'review-101',
    });
    expect(desk.reviews).toHaveLength(1);
    expect(server.requests[0]?.body).toMatchObject({ commit_id: head, event: 'COMMENT', body: 'What was found.' });
    expect(server.log).toEqual(['POST /repos/o/r/pulls/5/reviews', 'GET /repos/o/r/pulls/5/comments']);
  });

  it('sends several lines with a start, and a single line without', async () => {
    const comments = [
      someComment({ startLine: 10, line: 12, side: 'LEFT' }),
      someComment({ startLine: 12, line: 12 }),
      someComment({ startLine: null, line: 12 }),
    ];
    const { sink, server } = await sinkOver(somePost([], { comments }));
    await sink.deliver(someReview());
    expect(server.requests[0]?.body).toHaveProperty('comments', [
      { path: 'a.ts', side: 'LEFT', line: 12, body: 'Text', start_line: 10, start_side: 'LEFT' },
      { path: 'a.ts', side: 'RIGHT', line: 12, body: 'Text' },
      { path: 'a.ts', side: 'RIGHT', line: 12, body: 'Text' },
    ]);
  });

  it('posts at most 30 comments a review, the body with the first, and finds them on two pages of the list', async () => {
    const paths = Array.from({ length: 130 }, (_, index) => `file-${index + 1}.ts`);
    const { sink, desk } = await sinkOver(somePost(paths));
    const { delivered } = await sink.deliver(someReview());
    const more = 'More comments on aaaaaaaaaaaa.';
    expect(desk.reviews.map(({ body }) => body)).toEqual(['What was found.', more, more, more, more]);
    expect(delivered.map(({ findingId, url }) => [findingId, url])).toEqual(
      paths.map((_, index) => [`f${index + 1}`, `comment-${index + 1}`]),
    );
  });

  it.each<[string, readonly Fault[]]>([
    ['one by one', []],
    ['once, although the answer is lost', [{ on: postOnFile, when: 'after', answer: reply(502, {}) }]],
  ])('posts comments on files %s', async (_name, faults) => {
    const fileComments = [{ findingIds: ['f1'], path: 'a.ts', body: 'Whole file' }];
    const { sink, server, desk } = await sinkOver(somePost([], { body: '', fileComments }));
    desk.faults.push(...faults);
    const delivery = await sink.deliver(someReview());
    expect(delivery.delivered).toEqual([{ findingId: 'f1', place: 'file', url: 'comment-1' }]);
    expect([delivery.url, desk.comments.length]).toEqual(['comment-1', 1]);
    expect(server.requests.flatMap(({ body }) => body ?? [])).toEqual([
      { commit_id: head, path: 'a.ts', body: 'Whole file', subject_type: 'file' },
    ]);
  });

  it.each<[string, ReviewPost | null]>([
    ['nothing was rendered', null],
    ['the post is empty', somePost([], { body: '' })],
  ])('posts nothing when %s', async (_name, post) => {
    const { sink, server } = await sinkOver(post);
    expect(await sink.deliver(someReview())).toMatchObject({ status: 'skipped', reason: 'There is nothing to post.' });
    expect(server.log).toEqual([]);
  });

  it('never posts twice', async () => {
    const { sink, desk } = await sinkOver(somePost(['a.ts']));
    const [, second] = await Promise.all([sink.deliver(someReview()), sink.deliver(someReview())]);
    expect(second).toMatchObject({ status: 'skipped', reason: 'It was posted in this run already.' });
    expect(desk.reviews).toHaveLength(1);
  });

  it.each([65_500, 65_501])('cuts a body that GitHub would refuse, never inside a character (%i)', async (start) => {
    const body = `${'x'.repeat(start)}${'😀'.repeat(100)}`;
    const { sink, desk } = await sinkOver(somePost(['a.ts'], { body }));
    await sink.deliver(someReview());
    const posted = String(desk.reviews[0]?.['body']);
    expect(posted.length).toBeLessThanOrEqual(65_536);
    expect(posted).toMatch(/… \(cut: too long for GitHub\)$/);
    expect(posted).not.toMatch(/[\uD800-\uDBFF](?![\uDC00-\uDFFF])/);
  });

  it.each([
    [
      'is the head no more, and says so',
      async () => 'f'.repeat(40),
      'The head moved to ffffffffffff meanwhile; the comments are on aaaaaaaaaaaa, which was reviewed.',
    ],
    ['may still be the head: GitHub does not say', () => Promise.reject(new Error('no answer')), null],
  ])('posts against the reviewed commit when it %s', async (_name, currentHead, reason) => {
    const { sink, desk } = await sinkOver(somePost(['a.ts']), { currentHead });
    expect(await sink.deliver(someReview())).toMatchObject({ status: 'delivered', reason });
    expect(desk.reviews[0]?.['commit_id']).toBe(head);
  });

  it.each([
    ['The head moved to dddddddddddd while aaaaaaaaaaaa was reviewed.', 'COMMENT'],
    [null, 'APPROVE'],
  ])('asks again before it approves: told "%s", it is a %s', async (why, event) => {
    const { sink, server } = await sinkOver(somePost([], { event: 'APPROVE' }), { whyNotApprove: async () => why });
    const delivery = await sink.deliver(someReview());
    const said = why === null ? 'What was found.' : `> Not approved: ${why}\n\nWhat was found.`;
    expect(server.requests[0]?.body).toMatchObject({ event, body: said });
    expect(delivery.reason).toBe(why === null ? null : `Not approved: ${why}`);
  });

  it('says when GitHub accepted a comment and does not show it', async () => {
    const { sink, desk } = await sinkOver(somePost(['a.ts', 'b.ts']));
    const shown = { id: 1, path: 'a.ts', body: 'At a.ts', pull_request_review_id: 101, html_url: 'comment-1' };
    desk.faults.push({ on: listComments, when: 'before', answer: reply(200, [shown]) });
    const delivery = await sink.deliver(someReview());
    expect(delivery.delivered).toEqual([{ findingId: 'f1', place: 'inline', url: 'comment-1' }]);
    expect(delivery.reason).toBe('GitHub accepted 2 comments and does not show 1 of them.');
  });
});

describe('reviewSink, when GitHub fails', () => {
  const post = 'POST /repos/o/r/pulls/5/reviews';
  const badGateway = reply(502, { message: 'Server Error' });
  const fault = (on: string, when: Fault['when'], answer: Outcome = badGateway): Fault => ({ on, when, answer });
  const deliverWith = async (
    faults: readonly Fault[],
    {
      review = someReview(),
      there = [],
      options = {},
    }: {
      review?: ReturnType<typeof someReview>;
      there?: readonly Record<string, unknown>[];
      options?: Parameters<typeof sinkOver>[1];
    } = {},
  ) => {
    const { sink, desk, server } = await sinkOver(somePost(['a.ts']), options);
    desk.faults.push(...faults);
    desk.reviews.push(...there);
    const delivery = await sink.deliver(review);
    return { delivery, desk, server, posts: server.log.filter((line) => line === post).length };
  };
  const always = (on: string, answer: Outcome) => Array.from({ length: 12 }, () => fault(on, 'before', answer));
  const broken = (body: string): Outcome => ({ status: 200, headers: { 'content-type': 'application/json' }, body });

  it.each<[string, Outcome, readonly Fault[], 'delivered' | 'failed']>([
    ['a gateway error hides it', badGateway, [], 'delivered'],
    ['a broken connection hides it', 'reset', [], 'delivered'],
    [
      'the lists show it only at the second look',
      'reset',
      [fault(listReviews, 'before', reply(200, [])), fault(listComments, 'before', reply(200, []))],
      'delivered',
    ],
    ['the list of reviews is forbidden', badGateway, [fault(listReviews, 'before', reply(403, {}))], 'failed'],
    ['the list of reviews is cut', 'reset', always(listReviews, broken('[{"id": 101, "st')), 'failed'],
    ['the list of reviews is empty text', 'reset', always(listReviews, broken('')), 'failed'],
    ['the list of reviews is behind that of comments', 'reset', always(listReviews, reply(200, [])), 'failed'],
    ['the list of comments is cut', 'reset', always(listComments, broken('[')), 'failed'],
  ])('does not post a review again that was written when %s', async (_name, answer, lists, status) => {
    const { delivery, desk, posts } = await deliverWith([fault(post, 'after', answer), ...lists]);
    const delivered = status === 'failed' ? [] : [{ findingId: 'f1', place: 'inline', url: 'comment-1' }];
    expect([desk.reviews.length, posts]).toEqual([1, 1]);
    expect(delivery).toMatchObject({ status, delivered });
  });

  it('posts again, once, when nothing was written', async () => {
    const { delivery, desk, posts } = await deliverWith([fault(post, 'before')]);
    expect([desk.reviews.length, posts]).toEqual([1, 2]);
    expect(delivery).toMatchObject({ status: 'delivered', reason: null });
  });

  it('gives up after the second unclear answer', async () => {
    const { delivery, posts } = await deliverWith([fault(post, 'before'), fault(post, 'before')]);
    expect([delivery.status, posts]).toEqual(['failed', 2]);
    expect(delivery.reason).toMatch(/^GitHub gave no clear answer \(Server Error\)/);
  });

  it("does not take another commit's review for its own", async () => {
    const { sink, desk } = await sinkOver(somePost([]));
    desk.faults.push(fault(post, 'before'));
    const other = { id: 7, state: 'COMMENTED', body: 'What was found.', commit_id: 'e'.repeat(40), html_url: 'other' };
    desk.reviews.push(other);
    expect((await sink.deliver(someReview())).url).toBe('review-102');
  });

  it.each([
    [{ fromFork: false }, /Grant `pull-requests: write`\.$/],
    [{ fromFork: true }, /from forks get a read-only token/],
    [{ author: 'dependabot[bot]' }, /Dependabot triggers get a read-only token/],
  ])('is refused without permission, and says what to grant: %o', async (pullRequest, hint) => {
    const forbidden = reply(403, { message: 'Resource not accessible by integration' });
    const review = someReview({ pullRequest });
    const { delivery, server } = await deliverWith([fault(post, 'before', forbidden)], { review });
    expect(delivery).toMatchObject({ status: 'refused', delivered: [] });
    expect(delivery.reason).toMatch(/^GitHub does not permit writing: Resource not accessible by integration\./);
    expect(delivery.reason).toMatch(hint);
    expect(server.log).toEqual([post]);
  });

  it.each(['was submitted too quickly', 'commit_id is not part of the pull request'])(
    'does not look for a bad comment when the answer is "%s"',
    async (sentence) => {
      const invalid = reply(422, { message: 'Unprocessable Entity', errors: [sentence] });
      const { delivery, server } = await deliverWith([fault(post, 'before', invalid)]);
      const reason = `GitHub did not accept the review: Unprocessable Entity: ${sentence}.`;
      expect(delivery).toMatchObject({ status: 'failed', reason });
      expect(server.log).toEqual([post]);
    },
  );

  const pending = { id: 7, state: 'PENDING', body: '', commit_id: head, html_url: 'pending' };

  it('removes the unfinished review of a bot and posts', async () => {
    const there = [{ ...pending, user: { login: 'github-actions[bot]', type: 'Bot' } }];
    const { delivery, desk } = await deliverWith([], { there });
    expect(delivery).toMatchObject({ status: 'delivered', reason: null });
    expect(desk.reviews.map(({ state }) => state)).toEqual(['COMMENTED']);
  });

  it('keeps the unfinished review of a person', async () => {
    const { delivery, desk } = await deliverWith([], { there: [{ ...pending, user: { login: 'ada', type: 'User' } }] });
    expect(delivery.status).toBe('refused');
    expect(delivery.reason).toMatch(/^A pending review of the same account is in the way/);
    expect(desk.reviews).toMatchObject([{ id: 7 }]);
  });

  it('writes nothing once the run was cancelled', async () => {
    const { delivery, server } = await deliverWith([], { options: { signal: AbortSignal.abort() } });
    expect(delivery).toMatchObject({ status: 'skipped', delivered: [] });
    expect(server.log).toEqual([]);
  });

  it('starts no further write when the run is cancelled in between', async () => {
    const run = new AbortController();
    const currentHead = async () => {
      run.abort();
      return head;
    };
    const { delivery, server } = await deliverWith([], { options: { signal: run.signal, currentHead } });
    expect(delivery).toMatchObject({ status: 'skipped', reason: 'The run was cancelled: nothing more was posted.' });
    expect(server.log).toEqual([]);
  });
});
