import type { Message } from '../../core/messages/message.ts';
import type { Comment, PostedReview, PullRequest, ReviewThread } from '../../core/pull-request/pull-request.ts';
import { type Infer, listOf } from '../../core/schema.ts';
import { messageOf } from './answers.ts';
import type { GitHub } from './client.ts';
import {
  type Answered,
  allOf,
  ask,
  connection,
  type GraphNode,
  pageFields,
  pageIn,
  pullRequestPlace,
  whole,
} from './connection.ts';
import type { Pull, PullRequestReference } from './pull.ts';
import { knowable, knowableThreads, restDiscussion, votesDown } from './rest-discussion.ts';
import { boolean, has, integerOrNull, orNull, reviewState, text, textOrNull } from './shapes.ts';

export type Discussion = Pick<PullRequest, 'threads' | 'conversation' | 'reviews'>;

type Subject = Pick<PullRequestReference, 'owner' | 'repository' | 'number'>;

/**
 * Everything that was said on a pull request, as `readKnownDiscussion` reads it.
 *
 * Throws when any of it cannot be read: who looks whether something is there already must not take a part for the whole.
 */
export async function readDiscussion(github: GitHub, subject: Subject): Promise<Discussion> {
  const { failures, ...discussion } = await readParts(github, subject);
  const [first] = failures;
  if (first !== undefined) throw first.error;
  return discussion;
}

/** Reviews alone. @throws when neither GraphQL nor REST tells them. */
export function readReviews(github: GitHub, subject: Subject): Promise<readonly PostedReview[]> {
  const place = pullRequestPlace(github, subject);
  return firstToSucceed([() => allReviews(place), restDiscussion(github, subject).reviews]);
}

/** The conversation alone. @throws when neither GraphQL nor REST tells it. */
export function readConversation(github: GitHub, subject: Subject): Promise<readonly Comment[]> {
  const place = pullRequestPlace(github, subject);
  return firstToSucceed([() => allComments(place), restDiscussion(github, subject).conversation]);
}

/** `missing` says in one sentence each what could not be read; it is empty when everything was. */
type KnownDiscussion = Discussion & { readonly missing: readonly Message[] };

/**
 * What can be read of what was said on a pull request: threads, the conversation below it, reviews; never throws. By GraphQL it is one request,
 * and one more for every further hundred of anything. What that does not tell (a field is denied, the server fails, its counts contradict its
 * lists) is asked for once more by itself, and then over REST.
 */
export async function readKnownDiscussion(
  github: GitHub,
  subject: Subject,
  counts: Counts = {},
): Promise<KnownDiscussion> {
  const { failures, ...discussion } = await readParts(github, subject, counts);
  const all = failures.length === 3 ? failures.slice(0, 1).map(({ error }) => ({ what: everything, error })) : failures;
  return {
    ...discussion,
    missing: all.map(({ what, error }) => ({ code: 'missing.unreadable', what, why: messageOf(error) })),
  };
}

const everything = { code: 'unreadable.discussion' } as const;

/** What the pull request itself counts: REST's word, by which GraphQL's lists are checked. */
type Counts = Partial<Pick<Pull, 'comments' | 'review_comments'>>;

async function readParts(github: GitHub, subject: Subject, counts: Counts = {}) {
  const place = pullRequestPlace(github, subject);
  const rest = restDiscussion(github, subject);
  const first = await ask(place, [threads, comments, reviews]);
  /** From the answer that holds the first page, and from the beginning. */
  const ways = <Item>(all: (place: GraphNode, first?: Answered) => Promise<readonly Item[]>) => {
    return [() => all(place, first), () => all(place)];
  };
  const threadWays = confirmed(ways(allThreads), counts.review_comments, countComments);
  const commentWays = confirmed(ways(allComments), counts.comments, ({ length }) => length);
  const parts = await Promise.all([
    attempted({ code: 'unreadable.threads' }, [...threadWays, rest.threads]),
    attempted({ code: 'unreadable.conversation' }, [...commentWays, rest.conversation]),
    attempted({ code: 'unreadable.reviews' }, [...ways(allReviews), rest.reviews]),
  ]);
  return {
    threads: parts[0].found,
    conversation: parts[1].found,
    reviews: parts[2].found,
    failures: parts.flatMap(({ failure }) => failure ?? []),
  };
}

/** The same ways, each of which throws where the pull request itself counts more than is listed. */
function confirmed<Item>(
  ways: readonly (() => Promise<readonly Item[]>)[],
  counted: number | null | undefined,
  sizeOf: (items: readonly Item[]) => number,
): readonly (() => Promise<readonly Item[]>)[] {
  return ways.map((way) => async () => {
    const items = await way();
    if (sizeOf(items) >= (counted ?? 0)) return items;
    throw new Error(`GitHub counts ${counted} of one kind and lists ${sizeOf(items)}.`);
  });
}

function countComments(threads: readonly ReviewThread[]): number {
  return threads.reduce((sum, { comments }) => sum + comments.length, 0);
}

async function allComments(place: GraphNode, first?: Answered): Promise<readonly Comment[]> {
  return knowable(await allOf(place, comments, first && whole(pageIn(first, comments))));
}

async function allReviews(place: GraphNode, first?: Answered): Promise<readonly PostedReview[]> {
  return knowable(await allOf(place, reviews, first && whole(pageIn(first, reviews))), { needsText: false });
}

async function allThreads(place: GraphNode, first?: Answered): Promise<readonly ReviewThread[]> {
  const found = await allOf(place, threads, first && whole(pageIn(first, threads)));
  const read = await Promise.all(
    found.map(async ({ firstComments, ...thread }) => ({
      ...thread,
      comments: await allOf(threadPlace(place.github, thread.id), comments, firstComments),
    })),
  );
  return knowableThreads(read);
}

async function attempted<Item>(what: Message, ways: readonly (() => Promise<readonly Item[]>)[]) {
  try {
    return { found: await firstToSucceed(ways), failure: null };
  } catch (error) {
    return { found: [], failure: { what, error } };
  }
}

/** What the first way that succeeds answers. @throws the error of the first way when none does */
async function firstToSucceed<Item>(ways: readonly (() => Promise<readonly Item[]>)[]): Promise<readonly Item[]> {
  const errors: unknown[] = [];
  for (const way of ways) {
    try {
      return await way();
    } catch (error) {
      errors.push(error);
    }
  }
  throw errors[0];
}

const actor = orNull(has({ login: text }, { __typename: text }));
const restId = { type: ['string', 'integer', 'null'] } as const;

/** A comment of the conversation and a comment in a thread alike. */
const comment = {
  // Few people vote on a comment; the first ten are enough to find one who may.
  select: `id fullDatabaseId author { __typename login } createdAt lastEditedAt editor { __typename login } body viewerDidAuthor url
    isMinimized viewerCanMinimize reactions(content: THUMBS_DOWN, first: 10) { nodes { createdAt user { login } } }`,
  node: has(
    { id: text, author: actor, createdAt: text, body: text, viewerDidAuthor: boolean, url: text },
    {
      fullDatabaseId: restId,
      lastEditedAt: textOrNull,
      editor: actor,
      isMinimized: boolean,
      viewerCanMinimize: boolean,
      reactions: has({ nodes: listOf(has({ user: actor }, { createdAt: text })) }),
    },
  ),
};

function commentFrom(node: Infer<typeof comment.node>): Comment {
  const { lastEditedAt = null, editor = null } = node;
  return {
    id: node.id,
    author: loginOf(node.author),
    date: node.createdAt,
    body: node.body,
    ...(lastEditedAt === null ? {} : { edited: { date: lastEditedAt, by: editor === null ? null : loginOf(editor) } }),
    isSelf: node.viewerDidAuthor,
    url: node.url,
    restId: restIdOf(node.fullDatabaseId),
    ...votesDown((node.reactions?.nodes ?? []).map(({ user, createdAt: date = '' }) => ({ user, date }))),
    isMinimized: node.isMinimized ?? false,
    viewerCanMinimize: node.viewerCanMinimize ?? false,
  };
}

/** A number too large for GraphQL's integers comes as text. */
function restIdOf(id: Infer<typeof restId> | undefined): number | null {
  const number = Number(id ?? Number.NaN);
  return Number.isSafeInteger(number) ? number : null;
}

// GraphQL leaves out the suffix that REST gives to the logins of bots; a deleted account is GitHub's user `ghost`.
function loginOf(author: Infer<typeof actor>): string {
  if (author === null) return 'ghost';
  return author.__typename === 'Bot' && !author.login.endsWith('[bot]') ? `${author.login}[bot]` : author.login;
}

/** Of the conversation, and of a thread. */
const comments = connection({ name: 'comments', ...comment, from: commentFrom });

function threadPlace(github: GraphNode['github'], thread: string): GraphNode {
  return {
    github,
    query: (fields) =>
      `query Postil($thread: ID!, $after: String) { node(id: $thread) { ... on PullRequestReviewThread { ${fields} } } }`,
    path: ['node'],
    variables: { thread },
  };
}

const threads = connection({
  name: 'reviewThreads',
  select: `id path line startLine originalLine originalStartLine diffSide subjectType isResolved isOutdated
    resolvedBy { __typename login } viewerCanResolve ${pageFields('comments', comment.select, 'first: 100')}`,
  node: has(
    {
      id: text,
      path: text,
      line: integerOrNull,
      startLine: integerOrNull,
      diffSide: { enum: ['LEFT', 'RIGHT'] },
      isResolved: boolean,
      isOutdated: boolean,
      comments: {},
    },
    {
      originalLine: integerOrNull,
      originalStartLine: integerOrNull,
      subjectType: { enum: ['LINE', 'FILE', null] },
      resolvedBy: actor,
      viewerCanResolve: boolean,
    },
  ),
  from: (node) => ({
    id: node.id,
    path: node.path,
    line: node.isOutdated ? null : node.line,
    startLine: node.isOutdated ? null : node.startLine,
    side: node.diffSide,
    originalLine: node.originalLine ?? null,
    originalStartLine: node.originalStartLine ?? null,
    subject: node.subjectType === 'FILE' ? ('file' as const) : ('line' as const),
    isOutdated: node.isOutdated,
    isResolved: node.isResolved,
    resolvedBy: node.resolvedBy === undefined || node.resolvedBy === null ? null : loginOf(node.resolvedBy),
    viewerCanResolve: node.viewerCanResolve ?? false,
    firstComments: whole({ page: comments.read(node.comments), error: null }),
  }),
});

const reviews = connection({
  name: 'reviews',
  select: 'id fullDatabaseId author { __typename login } viewerDidAuthor state body url commit { oid }',
  node: has(
    {
      id: text,
      author: actor,
      viewerDidAuthor: boolean,
      state: reviewState,
      body: text,
      url: text,
      commit: orNull(has({ oid: text })),
    },
    { fullDatabaseId: restId },
  ),
  from: (node): PostedReview => ({
    id: node.id,
    restId: restIdOf(node.fullDatabaseId),
    author: loginOf(node.author),
    isSelf: node.viewerDidAuthor,
    state: node.state,
    commit: node.commit?.oid ?? null,
    body: node.body,
    url: node.url,
  }),
});
