import { afterEach, describe, expect, it } from 'vitest';
import type { ReviewPost } from '../../../src/core/review/review.ts';
import { reply } from './scripted-github.ts';
import { head, type SinkOver, sinkOver, someComment, somePost, someReview } from './some-review.ts';

describe('reviewSink', () => {
  let over: SinkOver | undefined;
  afterEach(() => over?.server.close());

  const paths = (count: number) => Array.from({ length: count }, (_, index) => `file-${index + 1}.ts`);
  const open = async (...args: Parameters<typeof sinkOver>) => {
    over = await sinkOver(...args);
    return over;
  };

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
