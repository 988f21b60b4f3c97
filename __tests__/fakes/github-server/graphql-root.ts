import type { GraphQLError } from 'graphql';
import { at, listAt, textAt } from '../json.ts';
import { connection, refusal } from './graphql-connection.ts';
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
    resolveReviewThread: (args: unknown) => setResolved(store, { args, resolved: true }),
    unresolveReviewThread: (args: unknown) => setResolved(store, { args, resolved: false }),
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
    pullRequests: (listArgs: unknown) => pullRequests(store, listArgs),
    pullRequest: (pullArgs: unknown) => {
      const pull = store.pulls.find((one) => one.given.number === at(pullArgs, 'number'));
      if (pull !== undefined) return readable(store, () => pullNode(store, pull));
      throw refusal('NOT_FOUND', `Could not resolve to a PullRequest with the number of ${at(pullArgs, 'number')}.`);
    },
  };
}

/** In the order of their numbers, the last first: in these worlds none is touched after a later one. */
function pullRequests(store: Store, args: unknown): object {
  const states = listAt(args, 'states');
  const found = store.pulls.filter(({ given }) => states.length === 0 || states.includes(given.state.toUpperCase()));
  const sorted = found.toSorted((one, other) => other.given.number - one.given.number);
  const list = connection(
    'pullRequests',
    () => sorted,
    (pull) => readable(store, () => pullNode(store, pull)),
  );
  return list(args);
}

function nodeById(store: Store, id: string): object {
  const thread = findThread(store, id);
  if (thread !== undefined) return readable(store, () => threadNode(store, thread));
  const pull = store.pulls.find((one) => `PR_${one.given.number}` === id);
  if (pull !== undefined) return readable(store, () => pullNode(store, pull));
  throw unknownNode(id);
}

function readable(store: Store, node: () => object): object {
  if (store.world.permissions['pull-requests'] !== 'none') return node();
  throw notAccessible();
}

/** FAILURES P8: resolving needs `contents: write`, and so does taking it back. */
function setResolved(store: Store, { args, resolved }: { readonly args: unknown; readonly resolved: boolean }): object {
  if (store.world.permissions.contents !== 'write') throw notAccessible();
  const id = textAt(args, 'input', 'threadId');
  const thread = findThread(store, id);
  if (thread === undefined) throw unknownNode(id);
  thread.resolved = resolved;
  thread.resolvedBy = resolved ? store.world.viewer : null;
  return { thread: threadNode(store, thread), clientMutationId: null };
}

function minimizeComment(store: Store, args: unknown): object {
  if (store.world.permissions['pull-requests'] !== 'write') throw notAccessible();
  const id = textAt(args, 'input', 'subjectId');
  const said = store.pulls.flatMap((pull) => [
    ...pull.conversation.map((comment) => ({ __typename: 'IssueComment', node: `IC_${comment.id}`, comment })),
    ...reviewComments(pull).map(({ comment }) => ({
      __typename: 'PullRequestReviewComment',
      node: `PRRC_${comment.id}`,
      comment,
    })),
  ]);
  const found = said.find(({ node }) => node === id);
  if (found === undefined) throw unknownNode(id);
  found.comment.isMinimized = true;
  const minimizedReason = textAt(args, 'input', 'classifier').toLowerCase();
  return {
    minimizedComment: { __typename: found.__typename, isMinimized: true, minimizedReason },
    clientMutationId: null,
  };
}

function notAccessible(): GraphQLError {
  return refusal('FORBIDDEN', 'Resource not accessible by integration');
}

function unknownNode(id: string): GraphQLError {
  return refusal('NOT_FOUND', `Could not resolve to a node with the global id of '${id}'`);
}

function findThread(store: Store, id: string): StoredThread | undefined {
  return store.pulls.flatMap((pull) => pull.threads).find((thread) => thread.id === id);
}
