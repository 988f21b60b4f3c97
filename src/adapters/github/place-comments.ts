import { readWrittenMarks } from '../../core/memory/mark-text.ts';
import type { ReviewComment, ReviewPost } from '../../core/review/review-post.ts';
import { type Refusal, refusalOf } from './refusal.ts';
import type { ReviewRequest } from './review-request.ts';

export type PostedReview = { readonly id: number; readonly url: string };

export type Placed = {
  readonly reviews: readonly { readonly review: PostedReview; readonly request: ReviewRequest }[];
  /** The review that carries the body; null when there is no body, or it could not be posted. */
  readonly bodyIn: PostedReview | null;
  readonly refused: readonly RefusedComment[];
  /** Why nothing more was sent; null when all was tried. */
  readonly stop: Refusal | null;
};

export type RefusedComment = { readonly comment: ReviewComment; readonly reason: string };

/** Reviews of more comments have failed without a reason. */
const commentsARequest = 30;
/** Requests that may go into finding the comments that GitHub refuses, on top of one for each batch. */
const repairRequests = 16;

/**
 * Posts all comments that GitHub takes. It refuses a review for one bad comment without saying which (FAILURES P1, P2): a
 * refused batch is halved until the bad one is alone.
 */
export async function placeComments(
  post: ReviewPost,
  send: (request: ReviewRequest) => Promise<PostedReview>,
): Promise<Placed> {
  const waiting = batches(post.comments);
  const limit = waiting.length + repairRequests;
  const reviews: { review: PostedReview; request: ReviewRequest }[] = [];
  const refused: RefusedComment[] = [];
  let bodyIn: PostedReview | null = null;
  for (let requests = 0; ; requests += 1) {
    const comments = waiting.shift() ?? [];
    const body = bodyIn === null ? post.body : continuation(post);
    if (comments.length === 0 && (bodyIn !== null || post.body === '')) {
      return { reviews, bodyIn, refused, stop: null };
    }
    const event = bodyIn === null ? post.event : 'COMMENT';
    const request = { commit: post.commit, event, body, comments };
    const sent = await trySending(request, send);
    if ('review' in sent) {
      reviews.push({ review: sent.review, request });
      if (post.body !== '') bodyIn ??= sent.review;
    } else if (sent.refusal.kind !== 'anchor' || comments.length === 0) {
      return { reviews, bodyIn, refused, stop: sent.refusal };
    } else if (comments.length > 1 && requests < limit) {
      waiting.unshift(...halves(comments));
    } else {
      refused.push(...comments.map((comment) => ({ comment, reason: sent.refusal.reason })));
    }
  }
}

function batches(comments: readonly ReviewComment[]): (readonly ReviewComment[])[] {
  const count = Math.ceil(comments.length / commentsARequest);
  return Array.from({ length: count }, (_, index) =>
    comments.slice(index * commentsARequest, (index + 1) * commentsARequest),
  );
}

function halves(comments: readonly ReviewComment[]): readonly (readonly ReviewComment[])[] {
  const middle = Math.ceil(comments.length / 2);
  return [comments.slice(0, middle), comments.slice(middle)];
}

// A review of comments alone would be allowed, but GitHub's reference asks for a body. Its mark says whose it is.
function continuation({ commit, body }: ReviewPost): string {
  const mark = readWrittenMarks(body).find((written) => written.mark.kind === 'review');
  const text = `More comments on ${commit.slice(0, 12)}.`;
  return mark === undefined ? text : `${text}\n\n${mark.text}`;
}

async function trySending(
  request: ReviewRequest,
  send: (request: ReviewRequest) => Promise<PostedReview>,
): Promise<{ review: PostedReview } | { refusal: Refusal }> {
  try {
    return { review: await send(request) };
  } catch (error) {
    const refusal = refusalOf(error);
    if (refusal === null) throw error;
    return { refusal };
  }
}
