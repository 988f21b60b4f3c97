import { at, textAt } from '../json.ts';
import { refusal } from './graphql-connection.ts';
import { pullNode } from './graphql-pull.ts';
import { actor, threadNode } from './graphql-thread.ts';
import { pageOf } from './render-rest.ts';
import { reviewComments, type Store, type StoredThread } from './store.ts';

/** The fields of `query` and `mutation` that the fake knows. */
export function graphqlRoot(store: Store): object {
  return {
    viewer: () => ({ __typename: 'User', login: store.world.viewer }),
    rateLimit: () => ({
      limit: 1000,
      cost: 1,
      remaining: 900,
      used: 100,
      nodeCount: 1,
      resetAt: '2030-03-17T17:46:40Z',
    }),
    repository: (args: unknown) => repositoryNode(store, args),
    node: (args: unknown) => nodeById(store, textAt(args, 'id')),
    minimizeComment: (args: unknown) => minimizeComment(store, args),
    resolveReviewThread: (args: unknown) => resolveThread(store, textAt(args, 'input', 'threadId')),
  };
}

function repositoryNode(store: Store, args: unknown): object {
  const { world } = store;
  const name = `${textAt(args, 'owner')}/${textAt(args, 'name')}`;
  if (name !== `${world.owner}/${world.repository}`) {
    throw refusal('NOT_FOUND', `Could not resolve to a Repository with the name '${name}'.`);
  }
  return {
    __typename: 'Repository',
    id: 'R_4242',
    name: world.repository,
    nameWithOwner: name,
    url: pageOf(world, ''),
    owner: actor(world.owner),
    isPrivate: true,
    pullRequest: (pullArgs: unknown) => {
      const pull = store.pulls.find((one) => one.given.number === at(pullArgs, 'number'));
      if (pull !== undefined) return readable(store, () => pullNode(store, pull));
      throw refusal('NOT_FOUND', `Could not resolve to a PullRequest with the number of ${at(pullArgs, 'number')}.`);
    },
  };
}

function nodeById(store: Store, id: string): object {
  const thread = findThread(store, id);
  if (thread !== undefined) return readable(store, () => threadNode(store, thread));
  const pull = store.pulls.find((one) => `PR_${one.given.number}` === id);
  if (pull !== undefined) return readable(store, () => pullNode(store, pull));
  throw refusal('NOT_FOUND', `Could not resolve to a node with the global id of '${id}'`);
}

function readable(store: Store, node: () => object): object {
  if (store.world.permissions['pull-requests'] !== 'none') return node();
  throw refusal('FORBIDDEN', 'Resource not accessible by integration');
}

/** FAILURES P8: resolving needs `contents: write`. */
function resolveThread(store: Store, id: string): object {
  if (store.world.permissions.contents !== 'write')
    throw refusal('FORBIDDEN', 'Resource not accessible by integration');
  const thread = findThread(store, id);
  if (thread === undefined) throw refusal('NOT_FOUND', `Could not resolve to a node with the global id of '${id}'`);
  thread.resolved = true;
  thread.resolvedBy = store.world.viewer;
  return { thread: threadNode(store, thread), clientMutationId: null };
}

function minimizeComment(store: Store, args: unknown): object {
  const id = textAt(args, 'input', 'subjectId');
  if (store.world.permissions['pull-requests'] !== 'write') {
    throw refusal('FORBIDDEN', 'Resource not accessible by integration');
  }
  const comment = store.pulls
    .flatMap(reviewComments)
    .map((one) => one.comment)
    .find((one) => `PRRC_${one.id}` === id);
  if (comment === undefined) throw refusal('NOT_FOUND', `Could not resolve to a node with the global id of '${id}'`);
  comment.isMinimized = true;
  const minimizedComment = { __typename: 'PullRequestReviewComment', isMinimized: true, minimizedReason: 'outdated' };
  return { minimizedComment, clientMutationId: null };
}

function findThread(store: Store, id: string): StoredThread | undefined {
  return store.pulls.flatMap((pull) => pull.threads).find((thread) => thread.id === id);
}
