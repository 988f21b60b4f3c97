import { afterEach, describe, expect, it } from 'vitest';
import type { Outcome } from '../../fakes/loopback.ts';
import { type Fault, reply } from './scripted-github.ts';
import { head, type SinkOver, sinkOver, somePost, someReview } from './some-review.ts';

const post = 'POST /repos/o/r/pulls/5/reviews';
const postOnFile = 'POST /repos/o/r/pulls/5/comments';
const listReviews = 'GET /repos/o/r/pulls/5/reviews';
const listComments = 'GET /repos/o/r/pulls/5/comments';
const badGateway = reply(502, { message: 'Server Error' });

describe('reviewSink, when GitHub fails', () => {
  let over: SinkOver | undefined;
  afterEach(() => over?.server.close());

  const open = async (faults: readonly Fault[], ...args: Parameters<typeof sinkOver>) => {
    over = await sinkOver(...args);
    over.desk.faults.push(...faults);
    return over;
  };
  const fault = (on: string, when: Fault['when'], answer: Outcome = badGateway): Fault => ({ on, when, answer });

  it.each<[string, Outcome]>([
    ['a gateway error', badGateway],
    ['a broken connection', 'reset'],
  ])('does not post again when %s hid that the review was written', async (_name, answer) => {
    const { sink, desk, server } = await open([fault(post, 'after', answer)], somePost(['a.ts']));
    const delivery = await sink.deliver(someReview());
    expect(server.log.filter((line) => line === post)).toHaveLength(1);
    expect(desk.reviews).toHaveLength(1);
    expect(delivery).toMatchObject({ status: 'delivered', reason: null, url: 'review-101' });
    expect(delivery.delivered).toEqual([{ findingId: 'f1', place: 'inline', url: 'comment-1' }]);
  });

  it('posts again, once, when nothing was written', async () => {
    const { sink, desk, server } = await open([fault(post, 'before')], somePost(['a.ts']));
    const delivery = await sink.deliver(someReview());
    expect(server.log.filter((line) => line === post)).toHaveLength(2);
    expect(desk.reviews).toHaveLength(1);
    expect(delivery).toMatchObject({ status: 'delivered', reason: null });
  });

  it('gives up after the second unclear answer', async () => {
    const { sink, server } = await open([fault(post, 'before'), fault(post, 'before')], somePost(['a.ts']));
    const delivery = await sink.deliver(someReview());
    expect(server.log.filter((line) => line === post)).toHaveLength(2);
    expect(delivery.status).toBe('failed');
    expect(delivery.reason).toMatch(/^GitHub gave no clear answer \(Server Error\)/);
  });

  it('does not post again when it cannot see whether the review was written', async () => {
    const unreadable = fault(listReviews, 'before', reply(403, { message: 'Forbidden' }));
    const { sink, desk, server } = await open([fault(post, 'after'), unreadable], somePost(['a.ts']));
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
    const { sink, desk, server } = await open([fault(post, 'after', 'reset'), ...unreadable], somePost(['a.ts']));
    const delivery = await sink.deliver(someReview());
    expect([desk.reviews.length, server.log.filter((line) => line === post).length]).toEqual([1, 1]);
    expect(delivery.status).toBe('failed');
  });

  it('does not post again when a list shows the review only at the second look', async () => {
    const behind = [fault(listReviews, 'before', reply(200, [])), fault(listComments, 'before', reply(200, []))];
    const { sink, desk } = await open([fault(post, 'after', 'reset'), ...behind], somePost(['a.ts']));
    const delivery = await sink.deliver(someReview());
    expect([desk.reviews.length, delivery.status]).toEqual([1, 'delivered']);
  });

  it("does not take another commit's review for its own", async () => {
    const { sink, desk } = await open([fault(post, 'before')], somePost([]));
    const other = { id: 7, state: 'COMMENTED', body: 'What was found.', commit_id: 'e'.repeat(40), html_url: 'other' };
    desk.reviews.push(other);
    const delivery = await sink.deliver(someReview());
    expect(delivery.url).toBe('review-102');
  });

  it('does not comment on a file twice', async () => {
    const fileComments = [{ findingIds: ['f1'], path: 'a.ts', body: 'Whole file' }];
    const { sink, desk } = await open([fault(postOnFile, 'after')], somePost([], { body: '', fileComments }));
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
    const { sink, server } = await open([fault(post, 'before', forbidden)], somePost(['a.ts']));
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
    const { sink, server } = await open([fault(post, 'before', invalid)], somePost(['a.ts', 'b.ts']));
    const delivery = await sink.deliver(someReview());
    expect(delivery).toMatchObject({
      status,
      reason: `GitHub did not accept the review: Unprocessable Entity: ${sentence}.`,
    });
    expect(server.log).toEqual([post]);
  });

  const pending = { id: 7, state: 'PENDING', body: '', commit_id: head, html_url: 'pending' };

  it('removes the unfinished review of a bot and posts', async () => {
    const { sink, desk } = await open([], somePost(['a.ts']));
    desk.reviews.push({ ...pending, user: { login: 'github-actions[bot]', type: 'Bot' } });
    const delivery = await sink.deliver(someReview());
    expect(delivery).toMatchObject({ status: 'delivered', reason: null });
    expect(desk.reviews.map((review) => review['state'])).toEqual(['COMMENTED']);
  });

  it('keeps the unfinished review of a person', async () => {
    const { sink, desk } = await open([], somePost(['a.ts']));
    desk.reviews.push({ ...pending, user: { login: 'ada', type: 'User' } });
    const delivery = await sink.deliver(someReview());
    expect(delivery.status).toBe('refused');
    expect(delivery.reason).toMatch(/^A pending review of the same account is in the way/);
    expect(desk.reviews).toMatchObject([{ id: 7 }]);
  });

  it('writes nothing once the run was cancelled', async () => {
    const { sink, server } = await open([], somePost(['a.ts']), { signal: AbortSignal.abort() });
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
    const { sink, server } = await open([], somePost(['a.ts']), { signal: run.signal, currentHead });
    const delivery = await sink.deliver(someReview());
    expect(delivery).toMatchObject({ status: 'skipped', reason: 'The run was cancelled: nothing more was posted.' });
    expect(server.log).toEqual([]);
  });
});
