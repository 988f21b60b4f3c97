import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { placeComments } from '../../../src/adapters/github/place-comments.ts';
import type { ReviewRequest } from '../../../src/adapters/github/review-request.ts';
import { somePost } from './some-review.ts';

class Refused extends Error {
  readonly status = 422;
  readonly response = { status: 422, headers: {}, data: { message: 'Pull request review thread line is wrong' } };
}

/** Places so many comments where GitHub refuses those at the given indexes. */
async function place({ count, bad, body }: { count: number; bad: ReadonlySet<number>; body: string }) {
  const paths = Array.from({ length: count }, (_, index) => `${index}`);
  const requests: ReviewRequest[] = [];
  const placed = await placeComments(somePost(paths, { body }), async (request) => {
    requests.push(request);
    if (request.comments.some((comment) => bad.has(Number(comment.path)))) throw new Refused();
    return { id: requests.length, url: '' };
  });
  const posted = placed.reviews.flatMap(({ request }) => request.comments.map((comment) => Number(comment.path)));
  const refused = placed.refused.map(({ comment }) => Number(comment.path));
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
  it('posts or refuses every comment once, and posts no bad one', async () => {
    await fc.assert(
      fc.asyncProperty(cases, async ({ count, bad, body }) => {
        const { posted, refused } = await place({ count, bad, body });
        const all = Array.from({ length: count }, (_, index) => index);
        expect([...posted, ...refused].sort((one, other) => one - other)).toEqual(all);
        expect(posted.filter((index) => bad.has(index))).toEqual([]);
      }),
    );
  });

  it('posts the body exactly once, whatever is refused', async () => {
    await fc.assert(
      fc.asyncProperty(cases, async ({ count, bad, body }) => {
        const { placed } = await place({ count, bad, body });
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
