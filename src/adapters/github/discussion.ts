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
import { boolean, has, integerOrNull, orNull, text, textOrNull } from './shapes.ts';

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

/** Reviews alone. @throws when they cannot be read. */
export function readReviews(github: GitHub, subject: Subject): Promise<readonly PostedReview[]> {
  return allReviews(pullRequestPlace(github, subject));
}

/** The conversation alone. @throws when it cannot be read. */
export function readConversation(github: GitHub, subject: Subject): Promise<readonly Comment[]> {
  return allComments(pullRequestPlace(github, subject));
}

/** `missing` says in one sentence each what could not be read; it is empty when everything was. */
type KnownDiscussion = Discussion & { readonly missing: readonly Message[] };

/**
 * What can be read of what was said on a pull request: threads, the conversation below it, reviews; never throws. It is one GraphQL request, and one
 * more for every further hundred of anything. What that does not tell (a field is denied, its counts contradict its lists) is asked for once more by
 * itself.
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
  const first = await ask(place, [threads, comments, reviews]);
  const parts = await Promise.all([
    attempted({ code: 'unreadable.threads' }, first, async (from) => {
      return confirmed(await allThreads(place, from), counts.review_comments, countComments);
    }),
    attempted({ code: 'unreadable.conversation' }, first, async (from) => {
      return confirmed(await allComments(place, from), counts.comments, ({ length }) => length);
    }),
    attempted({ code: 'unreadable.reviews' }, first, (from) => allReviews(place, from)),
  ]);
  return {
    threads: parts[0].found,
    conversation: parts[1].found,
    reviews: parts[2].found,
    failures: parts.flatMap(({ failure }) => failure ?? []),
  };
}

/** Reads a part from the answer that holds its first page, or else from the beginning. */
async function attempted<Item>(
  what: Message,
  first: Answered,
  read: (from?: Answered) => Promise<readonly Item[]>,
): Promise<{ found: readonly Item[]; failure: { what: Message; error: unknown } | null }> {
  try {
    return { found: await read(first).catch(() => read()), failure: null };
  } catch (error) {
    return { found: [], failure: { what, error } };
  }
}

/** The same items. @throws Error where the pull request itself counts more. */
function confirmed<Item>(
  items: readonly Item[],
  counted: number | null | undefined,
  sizeOf: (items: readonly Item[]) => number,
): readonly Item[] {
  if (sizeOf(items) >= (counted ?? 0)) return items;
  throw new Error(`GitHub counts ${counted} of one kind and lists ${sizeOf(items)}.`);
}

function countComments(threads: readonly ReviewThread[]): number {
  return threads.reduce((sum, { comments }) => sum + comments.length, 0);
}

async function allComments(place: GraphNode, first?: Answered): Promise<readonly Comment[]> {
  return await allOf(place, comments, first && whole(pageIn(first, comments)));
}

async function allReviews(place: GraphNode, first?: Answered): Promise<readonly PostedReview[]> {
  return await allOf(place, reviews, first && whole(pageIn(first, reviews)));
}

async function allThreads(place: GraphNode, first?: Answered): Promise<readonly ReviewThread[]> {
  const found = await allOf(place, threads, first && whole(pageIn(first, threads)));
  return await Promise.all(
    found.map(async ({ firstComments, ...thread }) => ({
      ...thread,
      comments: await allOf(threadPlace(place.github, thread.id), comments, firstComments),
    })),
  );
}

const actor = orNull(has({ login: text }, { __typename: text }));
const restId = { type: ['string', 'integer'] } as const;

/** A comment of the conversation and a comment in a thread alike. */
const comment = {
  // Few people vote on a comment; the first ten are enough to find one who may.
  select: `id fullDatabaseId author { __typename login } createdAt lastEditedAt editor { __typename login } body viewerDidAuthor url
    isMinimized viewerCanMinimize reactions(content: THUMBS_DOWN, first: 10) { nodes { createdAt user { login } } }`,
  node: has(
    {
      id: text,
      fullDatabaseId: restId,
      author: actor,
      createdAt: text,
      body: text,
      viewerDidAuthor: boolean,
      url: text,
    },
    {
      lastEditedAt: textOrNull,
      editor: actor,
      isMinimized: boolean,
      viewerCanMinimize: boolean,
      reactions: has({ nodes: listOf(has({ user: actor, createdAt: text })) }),
    },
  ),
};

/** @throws Error where what we wrote has no text, by which it is known. */
function commentFrom(node: Infer<typeof comment.node>): Comment {
  const { lastEditedAt = null, editor = null } = node;
  const votes = (node.reactions?.nodes ?? []).flatMap(({ user, createdAt: date }) =>
    user === null ? [] : [{ by: user.login, date }],
  );
  if (node.viewerDidAuthor && node.body === '') throw new Error('GitHub leaves out the text of a comment.');
  return {
    id: node.id,
    author: loginOf(node.author),
    date: node.createdAt,
    body: node.body,
    ...(lastEditedAt === null ? {} : { edited: { date: lastEditedAt, by: editor === null ? null : loginOf(editor) } }),
    isSelf: node.viewerDidAuthor,
    url: node.url,
    restId: restIdOf(node.fullDatabaseId),
    thumbsDown: votes.map(({ by }) => by),
    thumbsDownDates: votes.map(({ date }) => date),
    isMinimized: node.isMinimized ?? false,
    viewerCanMinimize: node.viewerCanMinimize ?? false,
  };
}

/** A number too large for GraphQL's integers comes as text. @throws Error for another text */
function restIdOf(id: Infer<typeof restId>): number {
  const number = Number(id);
  if (Number.isSafeInteger(number)) return number;
  throw new Error('GitHub leaves out the number of a comment.');
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

const thread = {
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
};

/** @throws Error without a comment, and without the lines of one of ours: it is known by them. */
function threadFrom(node: Infer<typeof thread.node>) {
  const firstComments = whole({ page: comments.read(node.comments), error: null });
  const [first] = firstComments.items;
  const { originalLine = null, originalStartLine = null, subjectType, resolvedBy = null } = node;
  const onFile = subjectType === 'FILE';
  if (first === undefined || (first.isSelf && !onFile && originalLine === null)) {
    throw new Error('GitHub leaves out the comment of a thread, or its lines.');
  }
  return {
    id: node.id,
    path: node.path,
    line: node.isOutdated ? null : node.line,
    startLine: node.isOutdated ? null : node.startLine,
    side: node.diffSide,
    originalLine,
    originalStartLine,
    subject: onFile ? ('file' as const) : ('line' as const),
    isOutdated: node.isOutdated,
    isResolved: node.isResolved,
    resolvedBy: resolvedBy === null ? null : loginOf(resolvedBy),
    viewerCanResolve: node.viewerCanResolve ?? false,
    firstComments,
  };
}

const threads = connection({ name: 'reviewThreads', ...thread, from: threadFrom });

const reviews = connection({
  name: 'reviews',
  select: 'id fullDatabaseId author { __typename login } viewerDidAuthor state body url commit { oid }',
  node: has({
    id: text,
    fullDatabaseId: restId,
    author: actor,
    viewerDidAuthor: boolean,
    state: { enum: ['APPROVED', 'CHANGES_REQUESTED', 'COMMENTED', 'DISMISSED', 'PENDING'] },
    body: text,
    url: text,
    commit: orNull(has({ oid: text })),
  }),
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
