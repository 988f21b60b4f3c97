import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { placeComments } from '../../../src/adapters/github/place-comments.ts';
import type { ReviewRequest } from '../../../src/adapters/github/posted.ts';
import { inEnglish } from '../../../src/core/messages/languages.ts';
import { printed } from '../../fakes/printed.ts';
import { postOver, somePost, someReview } from './desks.ts';

class Refused extends Error {
  readonly status = 422;
  readonly response = { status: 422, headers: {}, data: { message: 'Pull request review thread line is wrong' } };
}

/** Places so many comments where GitHub refuses those at the given indexes. */
async function place({ count, bad, body }: { count: number; bad: ReadonlySet<number>; body: string }) {
  const words = Array.from({ length: count }, (_, index) => `${index}`);
  const requests: ReviewRequest[] = [];
  const send = async (request: ReviewRequest) => {
    requests.push(request);
    if (request.comments.some((comment) => bad.has(Number(comment.body)))) throw new Refused();
    return { id: requests.length, url: '' };
  };
  const placed = await placeComments(somePost(words, { body }), { send, t: inEnglish });
  const posted = placed.reviews.flatMap(({ request }) => request.comments.map((comment) => Number(comment.body)));
  const refused = placed.refused.map(({ comment }) => Number(comment.body));
  return { placed, requests, posted, refused };
}

const cases = fc.integer({ min: 0, max: 70 }).chain((count) =>
  fc.record({
    count: fc.constant(count),
    bad: fc.uniqueArray(fc.nat({ max: 80 })).map((indexes) => new Set(indexes)),
    body: fc.constantFrom('', 'What was found.'),
  }),
);

describe('placeComments', () => {
  it('posts or refuses every comment once, posts no bad one, and the body exactly once', async () => {
    await fc.assert(
      fc.asyncProperty(cases, async ({ count, bad, body }) => {
        const { placed, posted, refused } = await place({ count, bad, body });
        const all = Array.from({ length: count }, (_, index) => index);
        expect([...posted, ...refused].sort((one, other) => one - other)).toEqual(all);
        expect(posted.filter((index) => bad.has(index))).toEqual([]);
        const withBody = placed.reviews.filter(({ request }) => request.body === body).length;
        expect(withBody).toBe(body === '' ? placed.reviews.length : 1);
      }),
    );
  });

  it('refuses only the bad one wherever it stands', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: 29 }), async (bad) => {
        const { refused } = await place({ count: 30, bad: new Set([bad]), body: 'What was found.' });
        expect(refused).toEqual([bad]);
      }),
    );
  });

  it('sends a bounded number of requests even when all is refused', async () => {
    const all = new Set(Array.from({ length: 300 }, (_, index) => index));
    const { requests } = await place({ count: 300, bad: all, body: 'What was found.' });
    // Ten batches, sixteen repairs, and once each what was waiting when these were used up.
    expect(requests.length).toBeLessThanOrEqual(10 + 16 + 6 + 10);
  });
});

const page = 'https://github.example/octo/spoon/pull/7';
const noHunk = "Pull request review thread diff hunk can't be blank";
const wrongLine = `Unprocessable Entity: Pull request review thread line must be part of the diff and ${noHunk}`;
const wrongPath = `Unprocessable Entity: Pull request review thread path is invalid and ${noHunk}`;

describe('reviewSink, when GitHub refuses comments', () => {
  const words = (count: number) => Array.from({ length: count }, (_, index) => `Words ${index + 1}`);

  it('finds the bad one, puts it on the file and posts all others in place', async () => {
    const { deliver, fake, log } = await postOver(somePost(words(15).with(5, 'Bad?')));
    const { status, reason, delivered } = printed(await deliver(someReview()));
    const told = `GitHub did not accept a comment: src/lines.txt:30 (${wrongLine}; it is a comment on the file now).`;
    expect([status, reason]).toEqual(['delivered', told]);
    expect(delivered.filter(({ place }) => place === 'inline')).toHaveLength(14);
    expect(delivered.filter(({ place }) => place === 'file')).toMatchObject([{ findingId: 'f6' }]);
    expect(fake.comments().filter(({ line }) => line === null)).toMatchObject([{ body: 'On the file: Bad?' }]);
    expect(fake.reviews().filter(({ body }) => body === 'What was found.')).toHaveLength(1);
    expect(log().filter((line) => line.startsWith('POST')).length).toBeLessThanOrEqual(10);
  });

  it('leaves to the other sinks what GitHub does not take for the file either, and keeps the reason', async () => {
    const { deliver, fake } = await postOver(somePost(['One', 'Gone!']));
    const { delivered, reason } = printed(await deliver(someReview()));
    expect(delivered).toEqual([{ findingId: 'f1', place: 'inline', url: `${page}#discussion_r1002` }]);
    expect(reason).toBe(`GitHub did not accept a comment: gone.txt:5 (${wrongPath}).`);
    expect(fake.comments()).toHaveLength(1);
  });

  it('posts the body alone when no comment was taken', async () => {
    const { deliver, fake } = await postOver(somePost(['Gone!'], { bodyFindings: ['f9'] }));
    const { delivered } = await deliver(someReview(['f9']));
    expect(fake.reviews()).toMatchObject([{ body: 'What was found.' }]);
    expect(delivered).toEqual([{ findingId: 'f9', place: 'body', url: `${page}#pullrequestreview-1001` }]);
  });

  it('is refused when nothing was taken at all', async () => {
    const { deliver } = await postOver(somePost(['Gone!'], { body: '' }));
    expect(await deliver(someReview())).toMatchObject({ status: 'refused', delivered: [], url: null });
  });

  it('says which comment on a file was refused', async () => {
    const fileComments = [{ findingIds: ['f1'], path: 'gone.txt', body: 'Whole file' }];
    const { deliver } = await postOver(somePost(['One'], { fileComments }));
    const why = 'Validation Failed: pull_request_review_thread.path is invalid';
    expect(printed(await deliver(someReview())).reason).toBe(`GitHub did not accept a comment: gone.txt (${why}).`);
  });

  it('stays within its requests when GitHub refuses everything, and names the first few', async () => {
    const { deliver, log } = await postOver(somePost(words(60).map((one) => `${one}?`)));
    const { reason } = printed(await deliver(someReview()));
    const posts = log().filter((line) => line.startsWith('POST'));
    expect(posts.filter((line) => line.endsWith('/reviews')).length).toBeLessThanOrEqual(2 + 16 + 20);
    expect(posts.filter((line) => line.endsWith('/comments'))).toHaveLength(10);
    expect(reason).toMatch(/^GitHub did not accept 60 comments: .*, and 55 more\.$/);
  });
});
