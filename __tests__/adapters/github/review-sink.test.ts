import { afterEach, describe, expect, it } from 'vitest';
import type { ReviewPost } from '../../../src/core/review/review.ts';
import type { Outcome } from '../../fakes/loopback.ts';
import { type Fault, reply } from './scripted-github.ts';
import { head, type SinkOver, sinkOver, someComment, somePost, someReview } from './some-review.ts';

let over: SinkOver | undefined;
afterEach(() => over?.server.close());

async function open(...args: Parameters<typeof sinkOver>): Promise<SinkOver> {
  over = await sinkOver(...args);
  return over;
}

describe('reviewSink', () => {
  const paths = (count: number) => Array.from({ length: count }, (_, index) => `file-${index + 1}.ts`);

  it('posts one review with its comments and tells where each finding is', async () => {
    const { sink, desk, server } = await open(somePost(['a.ts', 'b.ts'], { bodyFindings: ['f9'] }));
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
    const { sink, server } = await open(somePost([], { comments }));
    await sink.deliver(someReview());
    expect(server.requests[0]?.body).toHaveProperty('comments', [
      { path: 'a.ts', side: 'LEFT', line: 12, body: 'Text', start_line: 10, start_side: 'LEFT' },
      { path: 'a.ts', side: 'RIGHT', line: 12, body: 'Text' },
      { path: 'a.ts', side: 'RIGHT', line: 12, body: 'Text' },
    ]);
  });

  it('posts at most 30 comments a review, the body with the first', async () => {
    const { sink, desk } = await open(somePost(paths(65)));
    const delivery = await sink.deliver(someReview());
    expect(desk.reviews.map((review) => review['body'])).toEqual([
      'What was found.',
      'More comments on aaaaaaaaaaaa.',
      'More comments on aaaaaaaaaaaa.',
    ]);
    expect(desk.comments).toHaveLength(65);
    expect(delivery.delivered.map(({ findingId }) => findingId)).toEqual(paths(65).map((_, index) => `f${index + 1}`));
  });

  it('finds its comments among more than a page of others', async () => {
    const { sink } = await open(somePost(paths(130)));
    const delivery = await sink.deliver(someReview());
    expect(new Set(delivery.delivered.map(({ url }) => url)).size).toBe(130);
  });

  it('posts comments on files one by one', async () => {
    const fileComments = [{ findingIds: ['f1'], path: 'a.ts', body: 'Whole file' }];
    const { sink, server } = await open(somePost([], { body: '', fileComments }));
    const delivery = await sink.deliver(someReview());
    expect(delivery.delivered).toEqual([{ findingId: 'f1', place: 'file', url: 'comment-1' }]);
    expect(delivery.url).toBe('comment-1');
    expect(server.requests.map(({ body }) => body)).toEqual([
      { commit_id: head, path: 'a.ts', body: 'Whole file', subject_type: 'file' },
    ]);
  });

  it.each<[string, ReviewPost | null]>([
    ['nothing was rendered', null],
    ['the post is empty', somePost([], { body: '' })],
  ])('posts nothing when %s', async (_name, post) => {
    const { sink, server } = await open(post);
    const delivery = await sink.deliver(someReview());
    expect(delivery).toMatchObject({ status: 'skipped', reason: 'There is nothing to post.' });
    expect(server.log).toEqual([]);
  });

  it('never posts twice', async () => {
    const { sink, desk } = await open(somePost(['a.ts']));
    const [, second] = await Promise.all([sink.deliver(someReview()), sink.deliver(someReview())]);
    expect(second).toMatchObject({ status: 'skipped', reason: 'It was posted in this run already.' });
    expect(desk.reviews).toHaveLength(1);
  });

  it.each([65_500, 65_501])('cuts a body that GitHub would refuse, never inside a character (%i)', async (start) => {
    const body = `${'x'.repeat(start)}${'😀'.repeat(100)}`;
    const { sink, desk } = await open(somePost(['a.ts'], { body }));
    await sink.deliver(someReview());
    const posted = String(desk.reviews[0]?.['body']);
    expect(posted.length).toBeLessThanOrEqual(65_536);
    expect(posted).toMatch(/… \(cut: too long for GitHub\)$/);
    expect(posted).not.toMatch(/[\uD800-\uDBFF](?![\uDC00-\uDFFF])/);
  });

  it('posts against the reviewed commit when the head moved, and says so', async () => {
    const { sink, desk } = await open(somePost(['a.ts']), { currentHead: async () => 'f'.repeat(40) });
    const delivery = await sink.deliver(someReview());
    expect(delivery.status).toBe('delivered');
    expect(delivery.reason).toBe(
      'The head moved to ffffffffffff meanwhile; the comments are on aaaaaaaaaaaa, which was reviewed.',
    );
    expect(desk.reviews[0]?.['commit_id']).toBe(head);
  });

  it.each([
    ['The head moved to dddddddddddd while aaaaaaaaaaaa was reviewed.', 'COMMENT'],
    [null, 'APPROVE'],
  ])('asks again before it approves: told "%s", it is a %s', async (why, event) => {
    const { sink, server } = await open(somePost([], { event: 'APPROVE' }), { whyNotApprove: async () => why });
    const delivery = await sink.deliver(someReview());
    const said = why === null ? 'What was found.' : `> Not approved: ${why}\n\nWhat was found.`;
    expect(server.requests[0]?.body).toMatchObject({ event, body: said });
    expect(delivery.reason).toBe(why === null ? null : `Not approved: ${why}`);
  });

  it('posts when the present head cannot be read', async () => {
    const currentHead = () => Promise.reject(new Error('no answer'));
    const { sink } = await open(somePost(['a.ts']), { currentHead });
    expect(await sink.deliver(someReview())).toMatchObject({ status: 'delivered', reason: null });
  });

  it('says when GitHub accepted a comment and does not show it', async () => {
    const { sink, desk } = await open(somePost(['a.ts', 'b.ts']));
    const shown = { id: 1, path: 'a.ts', body: 'At a.ts', pull_request_review_id: 101, html_url: 'comment-1' };
    desk.faults.push({ on: 'GET /repos/o/r/pulls/5/comments', when: 'before', answer: reply(200, [shown]) });
    const delivery = await sink.deliver(someReview());
    expect(delivery.delivered).toEqual([{ findingId: 'f1', place: 'inline', url: 'comment-1' }]);
    expect(delivery.reason).toBe('GitHub accepted 2 comments and does not show 1 of them.');
  });
});

const post = 'POST /repos/o/r/pulls/5/reviews';
const postOnFile = 'POST /repos/o/r/pulls/5/comments';
const listReviews = 'GET /repos/o/r/pulls/5/reviews';
const listComments = 'GET /repos/o/r/pulls/5/comments';
const badGateway = reply(502, { message: 'Server Error' });

describe('reviewSink, when GitHub fails', () => {
  const openWith = async (faults: readonly Fault[], ...args: Parameters<typeof sinkOver>) => {
    const opened = await open(...args);
    opened.desk.faults.push(...faults);
    return opened;
  };
  const fault = (on: string, when: Fault['when'], answer: Outcome = badGateway): Fault => ({ on, when, answer });

  it.each<[string, Outcome]>([
    ['a gateway error', badGateway],
    ['a broken connection', 'reset'],
  ])('does not post again when %s hid that the review was written', async (_name, answer) => {
    const { sink, desk, server } = await openWith([fault(post, 'after', answer)], somePost(['a.ts']));
    const delivery = await sink.deliver(someReview());
    expect(server.log.filter((line) => line === post)).toHaveLength(1);
    expect(desk.reviews).toHaveLength(1);
    expect(delivery).toMatchObject({ status: 'delivered', reason: null, url: 'review-101' });
    expect(delivery.delivered).toEqual([{ findingId: 'f1', place: 'inline', url: 'comment-1' }]);
  });

  it('posts again, once, when nothing was written', async () => {
    const { sink, desk, server } = await openWith([fault(post, 'before')], somePost(['a.ts']));
    const delivery = await sink.deliver(someReview());
    expect(server.log.filter((line) => line === post)).toHaveLength(2);
    expect(desk.reviews).toHaveLength(1);
    expect(delivery).toMatchObject({ status: 'delivered', reason: null });
  });

  it('gives up after the second unclear answer', async () => {
    const { sink, server } = await openWith([fault(post, 'before'), fault(post, 'before')], somePost(['a.ts']));
    const delivery = await sink.deliver(someReview());
    expect(server.log.filter((line) => line === post)).toHaveLength(2);
    expect(delivery.status).toBe('failed');
    expect(delivery.reason).toMatch(/^GitHub gave no clear answer \(Server Error\)/);
  });

  it('does not post again when it cannot see whether the review was written', async () => {
    const unreadable = fault(listReviews, 'before', reply(403, { message: 'Forbidden' }));
    const { sink, desk, server } = await openWith([fault(post, 'after'), unreadable], somePost(['a.ts']));
    const delivery = await sink.deliver(someReview());
    expect(server.log.filter((line) => line === post)).toHaveLength(1);
    expect(desk.reviews).toHaveLength(1);
    expect(delivery.status).toBe('failed');
  });

  const json = { 'content-type': 'application/json' };
  it.each<[string, string, Outcome]>([
    ['the list of reviews is cut', listReviews, { status: 200, headers: json, body: '[{"id": 101, "st' }],
    ['the list of reviews is empty text', listReviews, { status: 200, headers: json, body: '' }],
    ['the list of reviews is behind that of comments', listReviews, reply(200, [])],
    ['the list of comments is cut', listComments, { status: 200, headers: json, body: '[' }],
  ])('does not post again when the answer is lost and %s', async (_name, list, answer) => {
    const unreadable = Array.from({ length: 12 }, () => fault(list, 'before', answer));
    const { sink, desk, server } = await openWith([fault(post, 'after', 'reset'), ...unreadable], somePost(['a.ts']));
    const delivery = await sink.deliver(someReview());
    expect([desk.reviews.length, server.log.filter((line) => line === post).length]).toEqual([1, 1]);
    expect(delivery.status).toBe('failed');
  });

  it('does not post again when a list shows the review only at the second look', async () => {
    const behind = [fault(listReviews, 'before', reply(200, [])), fault(listComments, 'before', reply(200, []))];
    const { sink, desk } = await openWith([fault(post, 'after', 'reset'), ...behind], somePost(['a.ts']));
    const delivery = await sink.deliver(someReview());
    expect([desk.reviews.length, delivery.status]).toEqual([1, 'delivered']);
  });

  it("does not take another commit's review for its own", async () => {
    const { sink, desk } = await openWith([fault(post, 'before')], somePost([]));
    const other = { id: 7, state: 'COMMENTED', body: 'What was found.', commit_id: 'e'.repeat(40), html_url: 'other' };
    desk.reviews.push(other);
    const delivery = await sink.deliver(someReview());
    expect(delivery.url).toBe('review-102');
  });

  it('does not comment on a file twice', async () => {
    const fileComments = [{ findingIds: ['f1'], path: 'a.ts', body: 'Whole file' }];
    const { sink, desk } = await openWith([fault(postOnFile, 'after')], somePost([], { body: '', fileComments }));
    const delivery = await sink.deliver(someReview());
    expect(desk.comments).toHaveLength(1);
    expect(delivery.delivered).toEqual([{ findingId: 'f1', place: 'file', url: 'comment-1' }]);
  });

  it.each([
    [{ fromFork: false }, /Grant `pull-requests: write`\.$/],
    [{ fromFork: true }, /from forks get a read-only token/],
    [{ author: 'dependabot[bot]' }, /Dependabot triggers get a read-only token/],
  ])('is refused without permission, and says what to grant: %o', async (pullRequest, hint) => {
    const forbidden = reply(403, { message: 'Resource not accessible by integration' });
    const { sink, server } = await openWith([fault(post, 'before', forbidden)], somePost(['a.ts']));
    const delivery = await sink.deliver(someReview({ pullRequest }));
    expect(delivery).toMatchObject({ status: 'refused', delivered: [] });
    expect(delivery.reason).toMatch(/^GitHub does not permit writing: Resource not accessible by integration\./);
    expect(delivery.reason).toMatch(hint);
    expect(server.log).toEqual([post]);
  });

  it.each([
    ['was submitted too quickly', 'failed'],
    ['commit_id is not part of the pull request', 'failed'],
  ])('does not look for a bad comment when the answer is "%s"', async (sentence, status) => {
    const invalid = reply(422, { message: 'Unprocessable Entity', errors: [sentence] });
    const { sink, server } = await openWith([fault(post, 'before', invalid)], somePost(['a.ts', 'b.ts']));
    const delivery = await sink.deliver(someReview());
    expect(delivery).toMatchObject({
      status,
      reason: `GitHub did not accept the review: Unprocessable Entity: ${sentence}.`,
    });
    expect(server.log).toEqual([post]);
  });

  const pending = { id: 7, state: 'PENDING', body: '', commit_id: head, html_url: 'pending' };

  it('removes the unfinished review of a bot and posts', async () => {
    const { sink, desk } = await openWith([], somePost(['a.ts']));
    desk.reviews.push({ ...pending, user: { login: 'github-actions[bot]', type: 'Bot' } });
    const delivery = await sink.deliver(someReview());
    expect(delivery).toMatchObject({ status: 'delivered', reason: null });
    expect(desk.reviews.map((review) => review['state'])).toEqual(['COMMENTED']);
  });

  it('keeps the unfinished review of a person', async () => {
    const { sink, desk } = await openWith([], somePost(['a.ts']));
    desk.reviews.push({ ...pending, user: { login: 'ada', type: 'User' } });
    const delivery = await sink.deliver(someReview());
    expect(delivery.status).toBe('refused');
    expect(delivery.reason).toMatch(/^A pending review of the same account is in the way/);
    expect(desk.reviews).toMatchObject([{ id: 7 }]);
  });

  it('writes nothing once the run was cancelled', async () => {
    const { sink, server } = await openWith([], somePost(['a.ts']), { signal: AbortSignal.abort() });
    const delivery = await sink.deliver(someReview());
    expect(delivery).toMatchObject({ status: 'skipped', delivered: [] });
    expect(server.log).toEqual([]);
  });

  it('starts no further write when the run is cancelled in between', async () => {
    const run = new AbortController();
    const currentHead = async () => {
      run.abort();
      return head;
    };
    const { sink, server } = await openWith([], somePost(['a.ts']), { signal: run.signal, currentHead });
    const delivery = await sink.deliver(someReview());
    expect(delivery).toMatchObject({ status: 'skipped', reason: 'The run was cancelled: nothing more was posted.' });
    expect(server.log).toEqual([]);
  });
});
