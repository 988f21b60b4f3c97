import { at, listAt, textAt } from '../every-pair.ts';
import type { Reply } from '../loopback.ts';
import { type Anchor, checkAnchor, commentNames, sentenceOf, unknownNames } from './checks.ts';
import { renderReview } from './render-rest.ts';
import {
  type Call,
  filesAt,
  forbidden,
  invalidRequest,
  json,
  notFound,
  page,
  pullRoute,
  type Route,
  unprocessable,
} from './route.ts';
import {
  isLocked,
  newComment,
  newThread,
  type ReviewState,
  type Store,
  type StoredPull,
  type StoredReview,
} from './store.ts';

const write = ['pull-requests: write'] as const;

export const reviewRoutes: readonly Route[] = [
  pullRoute('GET /pulls/:number/reviews', ['pull-requests: read'], listReviews),
  pullRoute('POST /pulls/:number/reviews', write, createReview),
  pullRoute('GET /pulls/:number/reviews/:id', ['pull-requests: read'], (call, pull) =>
    withReview(call, pull, ({ review, store }) => (visibleReviews(store, pull).includes(review) ? null : notFound())),
  ),
  pullRoute('DELETE /pulls/:number/reviews/:id', write, (call, pull) => withReview(call, pull, deleteReview)),
  pullRoute('PUT /pulls/:number/reviews/:id', write, (call, pull) => withReview(call, pull, editReview)),
  pullRoute('PUT /pulls/:number/reviews/:id/dismissals', write, (call, pull) => withReview(call, pull, dismissReview)),
];

/** A pending review is seen by its author alone. */
export function visibleReviews({ world }: Store, { reviews }: StoredPull): readonly StoredReview[] {
  return reviews.filter((one) => one.state !== 'PENDING' || one.author === world.viewer);
}

function listReviews(call: Call, pull: StoredPull): Reply {
  const { store } = call;
  return page(call, visibleReviews(store, pull), (review) => renderReview(store.world, { pull, review }));
}

async function createReview(call: Call, pull: StoredPull): Promise<Reply> {
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
}

const reviewNames = ['commit_id', 'body', 'event', 'comments'];

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
  if (isLocked(call.store, pull)) return unprocessable('lock prevents review');
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
  const bodies = comments.map((comment) => textAt(comment, 'body'));
  const needsBody = event === 'REQUEST_CHANGES' || (event === 'COMMENT' && comments.length === 0);
  if ((body === '' && needsBody) || bodies.includes('')) return unprocessable(`Body can't be blank`);
  if ([body, ...bodies].some(({ length }) => length > 65_536)) {
    return unprocessable('Body is too long (maximum is 65536 characters)');
  }
  return null;
}

function storeReview(
  { store, body: given }: Call,
  { pull, anchors }: { pull: StoredPull; anchors: readonly { anchor: Anchor; body: string }[] },
): Reply {
  const author = store.world.viewer;
  const review = {
    ...newComment(store, { author, body: textAt(given, 'body') }),
    state: states[textAt(given, 'event')] ?? 'PENDING',
    commit: textAt(given, 'commit_id') || pull.headSha,
  };
  pull.reviews.push(review);
  const { commit } = review;
  for (const { anchor, body } of anchors) {
    const comments = [{ ...newComment(store, { author, body }), reviewId: review.id }];
    pull.threads.push(newThread(store, { ...anchor, commit, outdated: commit !== pull.headSha, comments }));
  }
  return json(200, renderReview(store.world, { pull, review }));
}

const states: Readonly<Record<string, ReviewState>> = {
  COMMENT: 'COMMENTED',
  APPROVE: 'APPROVED',
  REQUEST_CHANGES: 'CHANGES_REQUESTED',
};

type Found = {
  readonly store: Store;
  readonly body: unknown;
  readonly pull: StoredPull;
  readonly review: StoredReview;
};

/** Refuses, or changes the review: null when that is done. */
function withReview({ store, body, names }: Call, pull: StoredPull, change: (found: Found) => Reply | null): Reply {
  const review = pull.reviews.find((one) => String(one.id) === names['id']);
  if (review === undefined) return notFound();
  return change({ store, body, pull, review }) ?? json(200, renderReview(store.world, { pull, review }));
}

function deleteReview({ store, pull, review }: Found): Reply | null {
  if (review.author !== store.world.viewer) return notFound();
  if (review.state !== 'PENDING') return unprocessable('Can not delete a non-pending pull request review');
  pull.reviews.splice(pull.reviews.indexOf(review), 1);
  const kept = pull.threads.filter((thread) => thread.comments[0]?.reviewId !== review.id);
  pull.threads.splice(0, pull.threads.length, ...kept);
  return null;
}

function editReview({ store, body, review }: Found): Reply | null {
  if (review.author !== store.world.viewer) return forbidden('pull_requests=write');
  if (textAt(body, 'body') === '') return unprocessable(`Body can't be blank`);
  review.body = textAt(body, 'body');
  review.edited = { by: store.world.viewer, date: new Date().toISOString() };
  return null;
}

function dismissReview({ body, review }: Found): Reply | null {
  if (textAt(body, 'message') === '') return unprocessable(`Message can't be blank`);
  if (review.state !== 'APPROVED' && review.state !== 'CHANGES_REQUESTED') {
    return unprocessable('Can not dismiss a commented pull request review');
  }
  review.state = 'DISMISSED';
  return null;
}
