import { connection } from './graphql-connection.ts';
import { pageOf } from './render-rest.ts';
import type { Store, StoredComment, StoredReviewComment, StoredThread } from './store.ts';

/** A `PullRequestReviewThread`. */
export function threadNode(store: Store, thread: StoredThread): object {
  const current = thread.outdated ? null : thread.line;
  return {
    __typename: 'PullRequestReviewThread',
    id: thread.id,
    path: thread.path,
    line: current,
    startLine: thread.outdated ? null : thread.startLine,
    originalLine: thread.line,
    originalStartLine: thread.startLine,
    diffSide: thread.side,
    startDiffSide: thread.startLine === null ? null : thread.side,
    subjectType: thread.line === null ? 'FILE' : 'LINE',
    isResolved: thread.resolved,
    isOutdated: thread.outdated,
    isCollapsed: thread.resolved,
    resolvedBy: thread.resolvedBy === null ? null : actor(thread.resolvedBy),
    viewerCanResolve: store.world.permissions.contents === 'write' && !thread.resolved,
    viewerCanUnresolve: store.world.permissions.contents === 'write' && thread.resolved,
    viewerCanReply: store.world.permissions['pull-requests'] === 'write',
    comments: connection(
      'comments',
      () => thread.comments,
      (comment) => reviewCommentNode(store, { thread, comment }),
    ),
  };
}

function reviewCommentNode(
  store: Store,
  { thread, comment }: { thread: StoredThread; comment: StoredReviewComment },
): object {
  const reviewId = comment.reviewId;
  return {
    __typename: 'PullRequestReviewComment',
    ...commentFields(store, comment),
    id: `PRRC_${comment.id}`,
    url: pageOf(store.world, `/pull/${numberOf(store, thread)}#discussion_r${comment.id}`),
    path: thread.path,
    line: thread.outdated ? null : thread.line,
    startLine: thread.outdated ? null : thread.startLine,
    originalLine: thread.line,
    originalStartLine: thread.startLine,
    outdated: thread.outdated,
    subjectType: thread.line === null ? 'FILE' : 'LINE',
    state: 'SUBMITTED',
    commit: { oid: thread.commit },
    originalCommit: { oid: thread.commit },
    replyTo: comment.replyTo === null ? null : { id: `PRRC_${comment.replyTo}`, databaseId: comment.replyTo },
    pullRequestReview: reviewId === null ? null : { id: `PRR_${reviewId}`, databaseId: reviewId },
  };
}

function numberOf(store: Store, thread: StoredThread): number | undefined {
  return store.pulls.find(({ threads }) => threads.includes(thread))?.given.number;
}

/** What comments of all kinds have in common. */
export function commentFields(store: Store, comment: StoredComment): object {
  return {
    databaseId: comment.id,
    fullDatabaseId: String(comment.id),
    body: comment.body,
    bodyText: comment.body,
    author: actor(comment.author),
    authorAssociation: 'CONTRIBUTOR',
    createdAt: comment.createdAt,
    publishedAt: comment.createdAt,
    updatedAt: comment.updatedAt,
    lastEditedAt: comment.updatedAt === comment.createdAt ? null : comment.updatedAt,
    isMinimized: comment.isMinimized,
    minimizedReason: comment.isMinimized ? 'outdated' : null,
    viewerCanMinimize: store.world.permissions['pull-requests'] === 'write',
    reactions: connection(
      'reactions',
      () => comment.thumbsDown,
      (login) => ({ content: 'THUMBS_DOWN', user: actor(login) }),
    ),
    viewerDidAuthor: comment.author === store.world.viewer,
    viewerCanDelete: comment.author === store.world.viewer,
    viewerCanUpdate: comment.author === store.world.viewer,
  };
}

/** REST writes `github-actions[bot]` where GraphQL writes a Bot called `github-actions`. */
export function actor(login: string): object {
  const bot = login.endsWith('[bot]');
  const name = login.replace(/\[bot\]$/, '');
  const url = `https://github.example/${name}`;
  return { __typename: bot ? 'Bot' : 'User', login: name, url, resourcePath: `/${name}`, avatarUrl: `${url}.png` };
}
