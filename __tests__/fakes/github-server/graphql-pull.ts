import { connection } from './graphql-connection.ts';
import { linkedFields } from './graphql-linked.ts';
import { actor, commentFields, threadNode } from './graphql-thread.ts';
import { pageOf } from './render-rest.ts';
import type { Store, StoredComment, StoredPull, StoredReview } from './store.ts';

/** A `PullRequest`. */
export function pullNode(store: Store, pull: StoredPull): object {
  const { given, diff } = pull;
  const { world } = store;
  const sum = (name: 'additions' | 'deletions') => diff.files.reduce((total, file) => total + file[name], 0);
  const repository = `${world.owner}/${world.repository}`;
  return {
    __typename: 'PullRequest',
    id: `PR_${given.number}`,
    number: given.number,
    url: pageOf(world, `/pull/${given.number}`),
    title: given.title,
    body: given.body,
    bodyText: given.body,
    state: { open: 'OPEN', closed: 'CLOSED', merged: 'MERGED' }[given.state],
    closed: given.state !== 'open',
    merged: given.state === 'merged',
    isDraft: given.draft,
    author: actor(given.author),
    authorAssociation: 'CONTRIBUTOR',
    createdAt: '2026-11-02T09:30:00Z',
    updatedAt: '2026-11-02T09:30:00Z',
    mergedAt: given.state === 'merged' ? '2026-11-02T09:30:00Z' : null,
    baseRefName: given.base.ref,
    baseRefOid: given.base.sha,
    headRefName: given.head.ref,
    headRefOid: pull.headSha,
    isCrossRepository: given.head.repository !== repository,
    headRepository: given.head.repository === null ? null : { nameWithOwner: given.head.repository },
    headRepositoryOwner: given.head.repository === null ? null : actor(given.head.repository.split('/')[0] ?? ''),
    baseRepository: { nameWithOwner: repository },
    additions: sum('additions'),
    deletions: sum('deletions'),
    changedFiles: diff.files.length,
    viewerDidAuthor: given.author === world.viewer,
    ...linkedFields(store, pull),
    labels: connection(
      'labels',
      () => given.labels,
      (name) => ({ id: `LA_${name}`, name, color: 'ededed' }),
    ),
    files: connection(
      'files',
      () => diff.files.slice(0, 3000),
      (file) => ({
        path: file.filename,
        additions: file.additions,
        deletions: file.deletions,
        changeType: changeTypes[file.status],
      }),
    ),
    comments: connection(
      'comments',
      () => pull.conversation,
      (comment) => conversationNode(store, { pull, comment }),
    ),
    reviews: connection(
      'reviews',
      () => visibleReviews(store, pull),
      (review) => reviewNode(store, { pull, review }),
    ),
    reviewThreads: connection(
      'reviewThreads',
      () => pull.threads,
      (thread) => threadNode(store, thread),
    ),
  };
}

const changeTypes = {
  added: 'ADDED',
  removed: 'DELETED',
  modified: 'MODIFIED',
  renamed: 'RENAMED',
  copied: 'COPIED',
  changed: 'CHANGED',
  unchanged: 'MODIFIED',
} as const;

function conversationNode(store: Store, { pull, comment }: { pull: StoredPull; comment: StoredComment }): object {
  return {
    __typename: 'IssueComment',
    ...commentFields(store, comment),
    id: `IC_${comment.id}`,
    url: pageOf(store.world, `/pull/${pull.given.number}#issuecomment-${comment.id}`),
  };
}

function visibleReviews(store: Store, pull: StoredPull): readonly StoredReview[] {
  return pull.reviews.filter((one) => one.state !== 'PENDING' || one.author === store.world.viewer);
}

function reviewNode(store: Store, { pull, review }: { pull: StoredPull; review: StoredReview }): object {
  return {
    __typename: 'PullRequestReview',
    ...commentFields(store, { ...review, updatedAt: review.createdAt, thumbsDown: [], isMinimized: false }),
    id: `PRR_${review.id}`,
    url: pageOf(store.world, `/pull/${pull.given.number}#pullrequestreview-${review.id}`),
    state: review.state,
    submittedAt: review.state === 'PENDING' ? null : review.createdAt,
    commit: { oid: review.commit },
  };
}
