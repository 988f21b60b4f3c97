import { GraphQLError } from 'graphql';
import { at } from '../every-pair.ts';
import { pageOf } from './render-rest.ts';
import type {
  Store,
  StoredComment,
  StoredPull,
  StoredReviewComment,
  StoredThread,
  WorldCheck,
  WorldIssue,
} from './store.ts';

/** A resolver of a connection: honours first, after, last and before, and insists on one of first and last as GitHub does. */
export function connection<T>(
  name: string,
  items: () => readonly T[],
  render: (item: T) => object | null,
): (args: unknown) => object {
  return (args) => {
    const { first, last } = boundaries(name, args);
    const all = items();
    const from = positionOf(at(args, 'after'), 0);
    const to = positionOf(at(args, 'before'), all.length + 1) - 1;
    const start = first === null ? Math.max(from, to - (last ?? 0)) : from;
    const end = first === null ? to : Math.min(to, from + first);
    const edges = all
      .slice(start, end)
      .map((item, index) => ({ cursor: cursorOf(start + index + 1), node: render(item) }));
    return {
      totalCount: all.length,
      nodes: edges.map((edge) => edge.node),
      edges,
      pageInfo: {
        hasNextPage: end < all.length,
        hasPreviousPage: start > 0,
        startCursor: edges[0]?.cursor ?? null,
        endCursor: edges.at(-1)?.cursor ?? null,
      },
    };
  };
}

function boundaries(name: string, args: unknown): { first: number | null; last: number | null } {
  const first = numberOrNull(at(args, 'first'));
  const last = numberOrNull(at(args, 'last'));
  if (first === null && last === null) {
    throw refusal(
      'MISSING_PAGINATION_BOUNDARIES',
      `You must provide a \`first\` or \`last\` value to properly paginate the \`${name}\` connection.`,
    );
  }
  for (const [argument, value] of [['first', first] as const, ['last', last] as const]) {
    if (value === null || value <= 100) continue;
    throw refusal(
      'EXCESSIVE_PAGINATION',
      `Requesting ${value} records on the \`${name}\` connection exceeds the \`${argument}\` limit of 100 records.`,
    );
  }
  return { first, last };
}

export function refusal(type: string, message: string): GraphQLError {
  return new GraphQLError(message, { extensions: { type } });
}

// Opaque to clients, as GitHub's are.
function cursorOf(position: number): string {
  return Buffer.from(`cursor:v2:${position}`).toString('base64');
}

function positionOf(cursor: unknown, otherwise: number): number {
  if (typeof cursor !== 'string') return otherwise;
  const position = /^cursor:v2:(\d+)$/.exec(Buffer.from(cursor, 'base64').toString('utf8'))?.[1];
  if (position === undefined)
    throw refusal('INVALID_CURSOR_ARGUMENTS', `\`${cursor}\` does not appear to be a valid cursor.`);
  return Number(position);
}

function numberOrNull(value: unknown): number | null {
  return typeof value === 'number' ? value : null;
}

/** What of a `PullRequest` leads elsewhere: to issues and to the checks of its head. */
export function linkedFields(store: Store, pull: StoredPull): object {
  const { world } = store;
  return {
    closingIssuesReferences: connection(
      'closingIssuesReferences',
      () => pull.given.closes ?? [],
      (issue) => issueNode(store, issue),
    ),
    commits: connection(
      'commits',
      () => [pull.headSha],
      (oid) => ({
        commit: {
          __typename: 'Commit',
          oid,
          statusCheckRollup: () => rollup(pull.given.checks ?? [], world.permissions.checks !== 'none'),
        },
      }),
    ),
  };
}

/** An issue of a private repository comes as nothing, and one that the token may not see as an error in its place. */
function issueNode({ world }: Store, issue: WorldIssue): object | null {
  if (issue.repository !== undefined && issue.isPrivate === true) return null;
  if (world.permissions.issues === 'none') return notAccessible();
  const nameWithOwner = issue.repository ?? `${world.owner}/${world.repository}`;
  const { number, title, body } = issue;
  return { __typename: 'Issue', id: `I_${number}`, number, title, body, repository: { nameWithOwner } };
}

function rollup(checks: readonly WorldCheck[], readable: boolean): object | null {
  if (checks.length === 0) return null;
  const contexts = connection(
    'contexts',
    () => checks,
    (check) => (readable ? checkNode(check) : notAccessible()),
  );
  return { __typename: 'StatusCheckRollup', id: 'SCR_1', state: rollupState(checks), contexts };
}

function rollupState(checks: readonly WorldCheck[]): string {
  if (checks.some(({ conclusion }) => conclusion === 'FAILURE')) return 'FAILURE';
  return checks.some(({ conclusion }) => conclusion === null) ? 'PENDING' : 'SUCCESS';
}

function checkNode({ name, workflow, run, conclusion }: WorldCheck): object {
  if (workflow === undefined) return { __typename: 'StatusContext', context: name, state: conclusion ?? 'PENDING' };
  const workflowRun = { databaseId: run ?? 1, workflow: { name: workflow } };
  const status = conclusion === null ? 'IN_PROGRESS' : 'COMPLETED';
  return { __typename: 'CheckRun', name, status, conclusion, checkSuite: { workflowRun } };
}

/** In a list, an error stands where its item would be. */
function notAccessible(): object {
  return refusal('FORBIDDEN', 'Resource not accessible by integration');
}

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
    subjectType: thread.line === null ? 'FILE' : 'LINE',
    isResolved: thread.resolved,
    isOutdated: thread.outdated,
    resolvedBy: thread.resolvedBy === null ? null : actor(thread.resolvedBy),
    viewerCanResolve: store.world.permissions.contents === 'write' && !thread.resolved,
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
  return {
    __typename: 'PullRequestReviewComment',
    ...commentFields(store, comment),
    id: `PRRC_${comment.id}`,
    url: pageOf(store.world, `/pull/${numberOf(store, thread)}#discussion_r${comment.id}`),
  };
}

function numberOf(store: Store, thread: StoredThread): number | undefined {
  return store.pulls.find(({ threads }) => threads.includes(thread))?.given.number;
}

/** What comments of all kinds have in common. */
export function commentFields(store: Store, comment: StoredComment): object {
  return {
    fullDatabaseId: String(comment.id),
    body: comment.body,
    author: actor(comment.author),
    createdAt: comment.createdAt,
    isMinimized: comment.isMinimized,
    viewerCanMinimize: store.world.permissions['pull-requests'] === 'write',
    reactions: connection(
      'reactions',
      () => comment.thumbsDown,
      (login) => ({ content: 'THUMBS_DOWN', user: actor(login) }),
    ),
    viewerDidAuthor: comment.author === store.world.viewer,
  };
}

/** REST writes `github-actions[bot]` where GraphQL writes a Bot called `github-actions`. */
export function actor(login: string): object {
  const bot = login.endsWith('[bot]');
  const name = login.replace(/\[bot\]$/, '');
  const url = `https://github.example/${name}`;
  return { __typename: bot ? 'Bot' : 'User', login: name, url, resourcePath: `/${name}`, avatarUrl: `${url}.png` };
}
