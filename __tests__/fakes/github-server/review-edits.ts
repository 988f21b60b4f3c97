import { textAt } from '../json.ts';
import type { Reply } from '../loopback.ts';
import { renderReview, renderReviewComment } from './render-rest.ts';
import { forbidden, json, notFound, unprocessable } from './respond.ts';
import { type Call, type Route, withPull } from './route.ts';
import { reviewComments, type StoredPull, type StoredReview } from './store.ts';

const write = [{ permission: 'pull-requests', level: 'write' }] as const;

export const reviewEditRoutes: readonly Route[] = [
  { method: 'PUT', pattern: /^\/pulls\/(?<number>\d+)\/reviews\/(?<id>\d+)$/, needs: write, handle: editReview },
  {
    method: 'PUT',
    pattern: /^\/pulls\/(?<number>\d+)\/reviews\/(?<id>\d+)\/dismissals$/,
    needs: write,
    handle: dismissReview,
  },
  { method: 'PATCH', pattern: /^\/pulls\/comments\/(?<id>\d+)$/, needs: write, handle: editReviewComment },
];

function editReview(call: Call): Promise<Reply> {
  return withReview(call, ({ pull, review }) => {
    if (review.author !== call.store.world.viewer) return forbidden('pull_requests=write');
    const body = textAt(call.body, 'body');
    if (body === '') return unprocessable(`Body can't be blank`);
    review.body = body;
    return json(200, renderReview(call.store.world, { pull, review }));
  });
}

function dismissReview(call: Call): Promise<Reply> {
  return withReview(call, ({ pull, review }) => {
    if (textAt(call.body, 'message') === '') return unprocessable(`Message can't be blank`);
    if (review.state !== 'APPROVED' && review.state !== 'CHANGES_REQUESTED') {
      return unprocessable('Can not dismiss a commented pull request review');
    }
    review.state = 'DISMISSED';
    return json(200, renderReview(call.store.world, { pull, review }));
  });
}

function editReviewComment(call: Call): Reply {
  for (const pull of call.store.pulls) {
    for (const { thread, comment } of reviewComments(pull)) {
      if (String(comment.id) !== call.names['id']) continue;
      if (comment.author !== call.store.world.viewer) return forbidden('pull_requests=write');
      const body = textAt(call.body, 'body');
      if (body === '' || body.length > 65_536) return unprocessable('Body is blank or too long');
      comment.body = body;
      comment.updatedAt = new Date().toISOString();
      return json(200, renderReviewComment(call.store.world, { pull, thread, comment }));
    }
  }
  return notFound();
}

function withReview(
  call: Call,
  use: (found: { readonly pull: StoredPull; readonly review: StoredReview }) => Reply,
): Promise<Reply> {
  return withPull(call, (pull) => {
    const review = pull.reviews.find((one) => String(one.id) === call.names['id']);
    return review === undefined ? notFound() : use({ pull, review });
  });
}
