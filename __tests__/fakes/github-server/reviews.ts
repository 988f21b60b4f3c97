import { at, listAt, textAt } from '../every-pair.ts';
import type { Reply } from '../loopback.ts';
import { type Anchor, checkAnchor, sentenceOf, unknownNames } from './checks.ts';
import { renderReview, renderReviewComment } from './render-rest.ts';
import {
  type Call,
  filesAt,
  forbidden,
  invalidRequest,
  json,
  notFound,
  page,
  type Route,
  unprocessable,
  withPull,
} from './route.ts';
import { type ReviewState, reviewComments, type StoredPull, type StoredReview } from './store.ts';

const read = [{ permission: 'pull-requests', level: 'read' }] as const;
const write = [{ permission: 'pull-requests', level: 'write' }] as const;

export const reviewRoutes: readonly Route[] = [
  { method: 'GET', pattern: /^\/pulls\/(?<number>\d+)\/reviews$/, needs: read, handle: listReviews },
  { method: 'POST', pattern: /^\/pulls\/(?<number>\d+)\/reviews$/, needs: write, handle: createReview },
  { method: 'DELETE', pattern: /^\/pulls\/(?<number>\d+)\/reviews\/(?<id>\d+)$/, needs: write, handle: deleteReview },
];

function listReviews(call: Call): Promise<Reply> {
  return withPull(call, (pull) => {
    // A pending review is seen by its author alone.
    const visible = pull.reviews.filter((one) => one.state !== 'PENDING' || one.author === call.store.world.viewer);
    return page(call, visible, (review) => renderReview(call.store.world, { pull, review }));
  });
}

function createReview(call: Call): Promise<Reply> {
  return withPull(call, async (pull) => {
    const comments = listAt(call.body, 'comments');
    const refusal = malformed(call, comments) ?? notAllowed(call, { pull, comments });
    if (refusal !== null) return refusal;
    const files = await filesAt(call, { pull, commit: textAt(call.body, 'commit_id') });
    if (files === null) return unprocessable('Commit is not part of the pull request');
    const anchors: { anchor: Anchor; body: string }[] = [];
    for (const comment of comments) {
      const checked = checkAnchor(files, comment);
      // One bad comment fails the whole review, and nothing is created.
      if (!checked.ok) return unprocessable(sentenceOf(checked.problems));
      anchors.push({ anchor: checked.anchor, body: textAt(comment, 'body') });
    }
    return storeReview(call, { pull, anchors });
  });
}

const reviewNames = ['commit_id', 'body', 'event', 'comments'];
const commentNames = ['path', 'position', 'body', 'line', 'side', 'start_line', 'start_side'];

function malformed(call: Call, comments: readonly unknown[]): Reply | null {
  const [unknown] = [
    ...unknownNames(call.body, reviewNames),
    ...comments.flatMap((comment) => unknownNames(comment, commentNames)),
  ];
  if (unknown === 'subject_type') {
    return invalidRequest('No subschema in "anyOf" matched.\n"subject_type" is not a permitted key.');
  }
  if (unknown !== undefined) return invalidRequest(`"${unknown}" is not a permitted key.`);
  const event = at(call.body, 'event');
  if (event !== undefined && !(typeof event === 'string' && event in states)) {
    return unprocessable(`Variable $event of type PullRequestReviewEvent was provided invalid value`);
  }
  return null;
}

function notAllowed(call: Call, { pull, comments }: { pull: StoredPull; comments: readonly unknown[] }): Reply | null {
  const event = textAt(call.body, 'event');
  const body = textAt(call.body, 'body');
  const { viewer } = call.store.world;
  if (pull.reviews.some((one) => one.state === 'PENDING' && one.author === viewer)) {
    return unprocessable('User can only have one pending review per pull request');
  }
  if (event === 'APPROVE' && viewer === 'github-actions[bot]') {
    return unprocessable('GitHub Actions is not permitted to approve pull requests.');
  }
  if (event === 'APPROVE' && viewer === pull.given.author)
    return unprocessable('Can not approve your own pull request');
  if (event === 'REQUEST_CHANGES' && viewer === pull.given.author) {
    return unprocessable('Can not request changes on your own pull request');
  }
  if (body === '' && (event === 'REQUEST_CHANGES' || (event === 'COMMENT' && comments.length === 0))) {
    return unprocessable(`Body can't be blank`);
  }
  if (tooLong(body)) return unprocessable('Body is too long (maximum is 65536 characters)');
  if (comments.some((comment) => textAt(comment, 'body') === '')) return unprocessable("Body can't be blank");
  if (comments.some((comment) => tooLong(textAt(comment, 'body')))) {
    return unprocessable('Body is too long (maximum is 65536 characters)');
  }
  return null;
}

function storeReview(
  call: Call,
  made: { pull: StoredPull; anchors: readonly { anchor: Anchor; body: string }[] },
): Reply {
  const { store } = call;
  const now = new Date().toISOString();
  const review = {
    id: store.nextId(),
    author: store.world.viewer,
    body: textAt(call.body, 'body'),
    state: states[textAt(call.body, 'event')] ?? 'PENDING',
    commit: textAt(call.body, 'commit_id') || made.pull.headSha,
    createdAt: now,
  };
  made.pull.reviews.push(review);
  for (const { anchor, body } of made.anchors) {
    const stamps = { createdAt: now, updatedAt: now, thumbsDown: [], isMinimized: false };
    const comment = { id: store.nextId(), author: review.author, body, ...stamps };
    made.pull.threads.push({
      ...anchor,
      id: `PRRT_${store.nextId()}`,
      commit: review.commit,
      outdated: review.commit !== made.pull.headSha,
      resolved: false,
      resolvedBy: null,
      comments: [{ ...comment, reviewId: review.id, replyTo: null }],
    });
  }
  return json(200, renderReview(store.world, { pull: made.pull, review }));
}

function deleteReview(call: Call): Promise<Reply> {
  return withPull(call, (pull) => {
    const index = pull.reviews.findIndex((one) => String(one.id) === call.names['id']);
    const review = pull.reviews[index];
    if (review === undefined || review.author !== call.store.world.viewer) return notFound();
    if (review.state !== 'PENDING') return unprocessable('Can not delete a non-pending pull request review');
    pull.reviews.splice(index, 1);
    const kept = pull.threads.filter((thread) => thread.comments[0]?.reviewId !== review.id);
    pull.threads.splice(0, pull.threads.length, ...kept);
    return json(200, renderReview(call.store.world, { pull, review }));
  });
}

const states: Readonly<Record<string, ReviewState>> = {
  COMMENT: 'COMMENTED',
  APPROVE: 'APPROVED',
  REQUEST_CHANGES: 'CHANGES_REQUESTED',
};

function tooLong(body: string): boolean {
  return body.length > 65_536;
}

const writeEdit = [{ permission: 'pull-requests', level: 'write' }] as const;

export const reviewEditRoutes: readonly Route[] = [
  { method: 'PUT', pattern: /^\/pulls\/(?<number>\d+)\/reviews\/(?<id>\d+)$/, needs: writeEdit, handle: editReview },
  {
    method: 'PUT',
    pattern: /^\/pulls\/(?<number>\d+)\/reviews\/(?<id>\d+)\/dismissals$/,
    needs: writeEdit,
    handle: dismissReview,
  },
  { method: 'PATCH', pattern: /^\/pulls\/comments\/(?<id>\d+)$/, needs: writeEdit, handle: editReviewComment },
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
