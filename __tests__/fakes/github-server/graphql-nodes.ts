import { GraphQLError } from 'graphql';
import { at } from '../every-pair.ts';
import { isBot, pageOf } from './render-rest.ts';
import { runOf } from './runs.ts';
import {
  nodeIds,
  type Store,
  type StoredComment,
  type StoredPull,
  type StoredReview,
  type StoredThread,
} from './store.ts';
import type { GitHubWorld, WorldCheck, WorldIssue } from './world.ts';

/** A resolver of a connection: honours first, after and last, and insists on one of first and last as GitHub does. */
export function connection<T>(
  name: string,
  items: readonly T[],
  render: (item: T) => object | null,
): (args: unknown) => object {
  return (args) => {
    const { first, last } = boundaries(name, args);
    const start = first === null ? Math.max(0, items.length - (last ?? 0)) : positionOf(at(args, 'after'));
    const end = first === null ? items.length : start + first;
    return {
      totalCount: items.length,
      nodes: items.slice(start, end).map(render),
      pageInfo: { hasNextPage: end < items.length, endCursor: cursorOf(end) },
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

function positionOf(cursor: unknown): number {
  if (typeof cursor !== 'string') return 0;
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
  return {
    closingIssuesReferences: connection('closingIssuesReferences', pull.given.closes ?? [], (issue) =>
      issueNode(store, issue),
    ),
    commits: connection('commits', [pull.headSha], (oid) => ({
      commit: {
        oid,
        statusCheckRollup: () => rollup(store, pull.given.checks ?? []),
      },
    })),
  };
}

/** An issue of a private repository comes as nothing, and one that the token may not see as an error in its place. */
function issueNode({ world }: Store, issue: WorldIssue): object | null {
  if (issue.repository !== undefined && issue.isPrivate === true) return null;
  if (world.permissions.issues === 'none') return notAccessible();
  const nameWithOwner = issue.repository ?? `${world.owner}/${world.repository}`;
  const { number, title, body } = issue;
  return { number, title, body, repository: { nameWithOwner } };
}

function rollup({ world }: Store, checks: readonly WorldCheck[]): object | null {
  if (checks.length === 0) return null;
  const readable = world.permissions.checks !== 'none';
  const contexts = connection('contexts', checks, (check) => (readable ? checkNode(world, check) : notAccessible()));
  return { state: checks.some(({ conclusion }) => conclusion === 'FAILURE') ? 'FAILURE' : 'SUCCESS', contexts };
}

function checkNode(world: GitHubWorld, check: WorldCheck): object {
  const { name, workflow, conclusion, startedAt = '2026-11-02T09:00:00Z' } = check;
  const run = runOf(check);
  if (run === null) return { __typename: 'StatusContext', context: name, state: conclusion ?? 'PENDING' };
  const url = pageOf(world, `/actions/runs/${run}`);
  const workflowRun = { databaseId: run, url, workflow: { name: workflow } };
  const status = conclusion === null ? 'IN_PROGRESS' : 'COMPLETED';
  return { __typename: 'CheckRun', name, status, conclusion, startedAt, checkSuite: { workflowRun } };
}

/** In a list, an error stands where its item would be. */
export function notAccessible(): GraphQLError {
  return refusal('FORBIDDEN', 'Resource not accessible by integration');
}

/** A `PullRequestReviewThread`. */
export function threadNode(store: Store, thread: StoredThread): object {
  const isGone = thread.outdated === true;
  return {
    __typename: 'PullRequestReviewThread',
    id: thread.id,
    path: thread.path,
    line: isGone ? null : thread.line,
    startLine: isGone ? null : thread.startLine,
    originalLine: thread.line,
    originalStartLine: thread.startLine,
    diffSide: thread.side,
    subjectType: thread.line === null ? 'FILE' : 'LINE',
    isResolved: thread.resolved,
    isOutdated: thread.outdated !== false,
    resolvedBy: thread.resolvedBy === null ? null : actor(thread.resolvedBy),
    viewerCanResolve: store.world.permissions.contents === 'write' && !thread.resolved,
    comments: connection('comments', thread.comments, (comment) => ({
      ...commentFields(store, comment),
      id: nodeIds.pull_request_review_comment(comment.id),
      url: pageOf(store.world, `/pull/${numberOf(store, thread)}#discussion_r${comment.id}`),
    })),
  };
}

function numberOf(store: Store, thread: StoredThread): number | undefined {
  return store.pulls.find(({ threads }) => threads.includes(thread))?.given.number;
}

/** What comments of all kinds have in common. */
export function commentFields(
  { world }: Store,
  { id, author, body, createdAt, edited = null, isMinimized = false, reactions = [] }: StoredComment | StoredReview,
): object {
  return {
    fullDatabaseId: String(id),
    body,
    author: actor(author),
    createdAt,
    lastEditedAt: edited?.date ?? null,
    editor: edited === null ? null : actor(edited.by),
    isMinimized,
    viewerCanMinimize: world.permissions['pull-requests'] === 'write',
    reactions: (args: unknown) => {
      const content = at(args, 'content') ?? null;
      const asked = reactions.filter((one) => content === null || one.content === content);
      return connection('reactions', asked, reactionNode)(args);
    },
    viewerDidAuthor: author === world.viewer,
  };
}

/** A `Reaction`. Its user is a person: GitHub names no bot there. */
export function reactionNode({ by, content, date }: StoredComment['reactions'][number]): object {
  return { content, createdAt: date, user: isBot(by) ? null : actor(by) };
}

/** REST writes `github-actions[bot]` where GraphQL writes a Bot called `github-actions`. */
function actor(login: string): object {
  return { __typename: isBot(login) ? 'Bot' : 'User', login: login.replace(/\[bot\]$/, '') };
}
