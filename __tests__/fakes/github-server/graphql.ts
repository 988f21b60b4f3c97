import {
  buildSchema,
  type DocumentNode,
  execute,
  GraphQLError,
  type GraphQLSchema,
  parse,
  specifiedRules,
  validate,
} from 'graphql';
import { at, isObject, listAt, textAt } from '../every-pair.ts';
import type { Reply } from '../loopback.ts';
import { knownToEnterprise } from './enterprise.ts';
import {
  commentFields,
  connection,
  linkedFields,
  notAccessible,
  reactionNode,
  refusal,
  threadNode,
} from './graphql-nodes.ts';
import { pageOf } from './render-rest.ts';
import { visibleReviews } from './reviews.ts';
import { json } from './route.ts';
import { allSaid, isLocked, nodeIds, type Said, type Store, type StoredPull, type StoredThread } from './store.ts';

/** Runs a query against GitHub's own published schema, as far as the oldest supported server knows it. What the fake does not know is an error, never a silent null. */
export async function answerGraphql(store: Store, body: unknown): Promise<Reply> {
  const query = textAt(body, 'query');
  const variables = at(body, 'variables');
  try {
    const schema = await loadSchema();
    const { document, problems } = readQuery(schema, query);
    if (problems.length > 0) return json(200, { errors: problems.map(validationProblem) });
    const result = await execute({
      schema,
      document,
      rootValue: graphqlRoot(store),
      variableValues: isObject(variables) ? variables : {},
      fieldResolver: (source, args, _, info) => {
        const value = at(source, info.fieldName);
        if (value === undefined) throw new GraphQLError(`The fake knows no ${info.parentType.name}.${info.fieldName}.`);
        return typeof value === 'function' ? value(args) : value;
      },
    });
    if (result.errors === undefined) return json(200, { data: result.data });
    return json(200, { data: result.data, errors: result.errors.map(executionProblem) });
  } catch (error) {
    if (error instanceof GraphQLError) return json(200, { errors: [error.toJSON()] });
    throw error;
  }
}

let built: Promise<GraphQLSchema> | undefined;

// A third of a second: only runs that ask pay for it.
function loadSchema(): Promise<GraphQLSchema> {
  built ??= import('@octokit/graphql-schema').then(({ schema }) => buildSchema(schema.idl, { assumeValidSDL: true }));
  return built;
}

const queries = new Map<string, { readonly document: DocumentNode; readonly problems: readonly GraphQLError[] }>();

// The same few queries come in every run.
function readQuery(schema: GraphQLSchema, query: string) {
  const known = queries.get(query);
  if (known !== undefined) return known;
  const document = parse(query);
  const read = { document, problems: validate(schema, document, [...specifiedRules, knownToEnterprise]) };
  queries.set(query, read);
  return read;
}

/** GitHub says the same things in its own words. */
function validationProblem(error: GraphQLError): object {
  const words = /^Cannot query field "(.+?)" on type "(.+?)"/.exec(error.message);
  if (words === null) return { message: error.message, locations: error.locations };
  const [, fieldName, typeName] = words;
  return {
    message: `Field '${fieldName}' doesn't exist on type '${typeName}'`,
    locations: error.locations,
    extensions: { code: 'undefinedField', typeName, fieldName },
  };
}

function executionProblem(error: GraphQLError): object {
  const type = error.extensions['type'];
  return {
    ...(type === undefined ? {} : { type }),
    path: error.path,
    locations: error.locations,
    message: error.message,
  };
}

/** The fields of `query` and `mutation` that the fake knows. */
function graphqlRoot(store: Store): object {
  return {
    repository: (args: unknown) => repositoryNode(store, args),
    node: (args: unknown) => threadNode(store, findThread(store, textAt(args, 'id'))),
    addReaction: (args: unknown) => addReaction(store, args),
    minimizeComment: (args: unknown) => minimizeComment(store, args),
    unminimizeComment: (args: unknown) => minimizeComment(store, args, false),
    resolveReviewThread: (args: unknown) => resolveThread(store, args),
    unresolveReviewThread: (args: unknown) => resolveThread(store, args, false),
  };
}

function repositoryNode(store: Store, args: unknown): object {
  const { world } = store;
  const name = `${textAt(args, 'owner')}/${textAt(args, 'name')}`;
  if (name !== `${world.owner}/${world.repository}`) {
    throw refusal('NOT_FOUND', `Could not resolve to a Repository with the name '${name}'.`);
  }
  return {
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
  return connection('pullRequests', sorted, (pull) => readable(store, () => pullNode(store, pull)))(args);
}

function readable(store: Store, node: () => object): object {
  if (store.world.permissions['pull-requests'] !== 'none') return node();
  throw notAccessible();
}

/** Needs `contents: write`. */
function resolveThread(store: Store, args: unknown, resolved = true): object {
  if (store.world.permissions.contents !== 'write') throw notAccessible();
  const thread = findThread(store, textAt(args, 'input', 'threadId'));
  thread.resolved = resolved;
  thread.resolvedBy = resolved ? store.world.viewer : null;
  return { thread: threadNode(store, thread) };
}

function findThread(store: Store, id: string): StoredThread {
  const thread = store.pulls.flatMap(({ threads }) => threads).find((one) => one.id === id);
  if (thread === undefined) throw unknownNode(id);
  return thread;
}

function minimizeComment(store: Store, args: unknown, isMinimized = true): object {
  if (store.world.permissions['pull-requests'] !== 'write') throw notAccessible();
  const { kind, said } = findSubject(store, textAt(args, 'input', 'subjectId'));
  said.isMinimized = isMinimized;
  const comment = { __typename: typeNames[kind], isMinimized };
  return isMinimized ? { minimizedComment: comment } : { unminimizedComment: comment };
}

const typeNames: Readonly<Record<Said['kind'], string>> = {
  issue_comment: 'IssueComment',
  pull_request_review_comment: 'PullRequestReviewComment',
  pull_request_review: 'PullRequestReview',
};

function findSubject(store: Store, id: string): Said {
  const found = allSaid(store).find(({ kind, said }) => nodeIds[kind](said.id) === id);
  if (found === undefined) throw unknownNode(id);
  return found;
}

/** The same reaction of the same viewer once more is the one that is there. */
function addReaction(store: Store, args: unknown): object {
  const { world } = store;
  const id = textAt(args, 'input', 'subjectId');
  const { kind, said, pull } = findSubject(store, id);
  const { issues, 'pull-requests': pullRequests } = world.permissions;
  if (pullRequests !== 'write' && !(kind === 'issue_comment' && issues === 'write')) throw notAccessible();
  if (isLocked(store, pull)) throw refusal('FORBIDDEN', 'Unable to create reaction because issue is locked.');
  const content = textAt(args, 'input', 'content');
  const reaction = { by: world.viewer, content, date: new Date().toISOString() };
  const known = said.reactions?.find((one) => one.by === reaction.by && one.content === content);
  if (known === undefined) said.reactions = [...(said.reactions ?? []), reaction];
  return { reaction: reactionNode(known ?? reaction), subject: { __typename: typeNames[kind], id } };
}

function unknownNode(id: string): GraphQLError {
  return refusal('NOT_FOUND', `Could not resolve to a node with the global id of '${id}'`);
}

/** A `PullRequest`. */
function pullNode(store: Store, pull: StoredPull): object {
  const { number, state, locked = false } = pull.given;
  const url = (id: string) => pageOf(store.world, `/pull/${number}#${id}`);
  return {
    number,
    locked,
    updatedAt: '2026-11-02T09:30:00Z',
    mergedAt: state === 'merged' ? '2026-11-02T09:30:00Z' : null,
    ...linkedFields(store, pull),
    comments: connection('comments', pull.conversation, (comment) => ({
      ...commentFields(store, comment),
      id: nodeIds.issue_comment(comment.id),
      url: url(`issuecomment-${comment.id}`),
    })),
    reviews: connection('reviews', visibleReviews(store, pull), (review) => ({
      ...commentFields(store, review),
      id: nodeIds.pull_request_review(review.id),
      url: url(`pullrequestreview-${review.id}`),
      state: review.state,
      commit: { oid: review.commit },
    })),
    reviewThreads: connection('reviewThreads', pull.threads, (thread) => threadNode(store, thread)),
  };
}
