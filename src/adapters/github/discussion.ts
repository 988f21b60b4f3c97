import type { Comment, PostedReview, PullRequest, ReviewThread } from '../../core/pull-request/pull-request.ts';
import type { Infer } from '../../core/schema.ts';
import { isQueryRefusal, messageOf } from './answers.ts';
import type { GitHub } from './client.ts';
import {
  actorSchema,
  allPages,
  answerParser,
  type CommentNode,
  commentFields,
  commentFrom,
  commentSchema,
  confirmed,
  countComments,
  knowable,
  knowableThreads,
  loginOf,
  type Page,
  pageOf,
  restIdOf,
} from './graphql.ts';
import type { Pull, PullRequestReference } from './pull.ts';
import { restDiscussion } from './rest-discussion.ts';

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
  return firstToSucceed([discussionParts(github, subject).reviews, restDiscussion(github, subject).reviews]);
}

/** The conversation alone. @throws when neither GraphQL nor REST tells it. */
export function readConversation(github: GitHub, subject: Subject): Promise<readonly Comment[]> {
  const ways = [discussionParts(github, subject).conversation, restDiscussion(github, subject).conversation];
  return firstToSucceed(ways);
}

/** `missing` says in one sentence each what could not be read; it is empty when everything was. */
type KnownDiscussion = Discussion & { readonly missing: readonly string[] };

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
    missing: all.map(({ what, error }) => `The ${what} could not be read: ${messageOf(error)}.`),
  };
}

const everything = 'discussion (threads, comments and reviews)';

/** What the pull request itself counts: REST's word, by which GraphQL's lists are checked. */
type Counts = Partial<Pick<Pull, 'comments' | 'review_comments'>>;

async function readParts(github: GitHub, subject: Subject, counts: Counts = {}) {
  const parts = discussionParts(github, subject);
  const rest = restDiscussion(github, subject);
  const first = await ask(github, { subject, query: discussionQueries.all, after: null }).catch(() => null);
  const threadWays = confirmed(from(first?.reviewThreads, parts.threads), counts.review_comments, countComments);
  const commentWays = confirmed(from(first?.comments, parts.conversation), counts.comments, ({ length }) => length);
  const [threads, conversation, reviews] = await Promise.all([
    attempted('review threads', [...threadWays, rest.threads]),
    attempted('conversation', [...commentWays, rest.conversation]),
    attempted('reviews', [...from(first?.reviews, parts.reviews), rest.reviews]),
  ]);
  return {
    threads: threads.found,
    conversation: conversation.found,
    reviews: reviews.found,
    failures: [...threads.failures, ...conversation.failures, ...reviews.failures],
  };
}

/** From its first page, where there is one, and from the beginning. */
function from<Node, Item>(page: Page<Node> | undefined, read: (first?: Page<Node>) => Promise<readonly Item[]>) {
  return [...(page === undefined ? [] : [() => read(page)]), () => read()];
}

async function attempted<Item>(what: string, ways: readonly (() => Promise<readonly Item[]>)[]) {
  try {
    return { found: await firstToSucceed(ways), failures: [] };
  } catch (error) {
    return { found: [], failures: [{ what, error }] };
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

/** Each part by itself by GraphQL: from the beginning, or from where a first page that is already there ends. */
export function discussionParts(github: GitHub, subject: Subject) {
  const pages = <Node extends { readonly id: string }>(
    query: string,
    pageIn: (said: Said) => Page<Node> | undefined,
    first?: Page<Node>,
  ) =>
    allPages(async (after) => {
      const page = pageIn(await ask(github, { subject, query, after }));
      if (page === undefined) throw new Error("GitHub's answer lacks what was asked for.");
      return page;
    }, first);
  const { threads, comments, reviews } = discussionQueries;
  return {
    threads: async (first?: Page<ThreadNode>) => {
      const found = await pages(threads, (said) => said.reviewThreads, first);
      return knowableThreads(await Promise.all(found.map((thread) => withAllComments(github, thread))));
    },
    conversation: async (first?: Page<CommentNode>) =>
      knowable((await pages(comments, (said) => said.comments, first)).map(commentFrom)),
    reviews: async (first?: Page<ReviewNode>) =>
      knowable((await pages(reviews, (said) => said.reviews, first)).map(reviewFrom), { needsText: false }),
  };
}

type Said = Awaited<ReturnType<typeof ask>>;

async function ask(
  github: GitHub,
  { subject, query, after }: { subject: Subject; query: string; after: string | null },
) {
  const { owner, repository: name, number } = subject;
  return parseDiscussion(await answer(github, query, { owner, name, number, after })).repository.pullRequest;
}

const silent = new WeakMap<GitHub, { readonly error: unknown }>();

/** The answer to a query. Where GraphQL gave none at all, it is not asked again: each time would take a minute. */
async function answer(github: GitHub, ...asked: Parameters<GitHub['graphql']>): Promise<unknown> {
  const known = silent.get(github);
  if (known !== undefined) throw known.error;
  try {
    return await github.graphql(...asked);
  } catch (error) {
    if (!isQueryRefusal(error)) silent.set(github, { error });
    throw error;
  }
}

async function withAllComments(github: GitHub, thread: ThreadNode): Promise<ReviewThread> {
  const comments = await allPages(async (after) => {
    const data = parseThreadComments(await answer(github, threadCommentsQuery, { thread: thread.id, after }));
    return data.node.comments;
  }, thread.comments);
  return threadFrom(thread, comments.map(commentFrom));
}

const pageInfo = 'totalCount pageInfo { hasNextPage endCursor }';

/** What is asked of a review thread, its first 100 comments included. */
const threadFields = `id path line startLine originalLine originalStartLine diffSide subjectType isResolved isOutdated
  resolvedBy { __typename login } viewerCanResolve comments(first: 100) { ${pageInfo} nodes { ${commentFields} } }`;

const threadSchema = {
  type: 'object',
  required: ['id', 'path', 'line', 'startLine', 'diffSide', 'isResolved', 'isOutdated', 'comments'],
  properties: {
    id: { type: 'string' },
    path: { type: 'string' },
    line: { type: ['integer', 'null'] },
    startLine: { type: ['integer', 'null'] },
    originalLine: { type: ['integer', 'null'] },
    originalStartLine: { type: ['integer', 'null'] },
    diffSide: { enum: ['LEFT', 'RIGHT'] },
    subjectType: { enum: ['LINE', 'FILE', null] },
    isResolved: { type: 'boolean' },
    isOutdated: { type: 'boolean' },
    resolvedBy: actorSchema,
    viewerCanResolve: { type: 'boolean' },
    comments: pageOf(commentSchema),
  },
} as const;

type ThreadNode = Infer<typeof threadSchema>;

function threadFrom(thread: ThreadNode, comments: readonly Comment[]): ReviewThread {
  return {
    id: thread.id,
    path: thread.path,
    line: thread.isOutdated ? null : thread.line,
    startLine: thread.isOutdated ? null : thread.startLine,
    side: thread.diffSide,
    originalLine: thread.originalLine ?? null,
    originalStartLine: thread.originalStartLine ?? null,
    subject: thread.subjectType === 'FILE' ? 'file' : 'line',
    isOutdated: thread.isOutdated,
    isResolved: thread.isResolved,
    resolvedBy: thread.resolvedBy === undefined || thread.resolvedBy === null ? null : loginOf(thread.resolvedBy),
    viewerCanResolve: thread.viewerCanResolve ?? false,
    comments,
  };
}

const reviewFields = 'id fullDatabaseId author { __typename login } viewerDidAuthor state body url commit { oid }';

const states = ['APPROVED', 'CHANGES_REQUESTED', 'COMMENTED', 'DISMISSED', 'PENDING'] as const;

const reviewSchema = {
  type: 'object',
  required: ['id', 'author', 'viewerDidAuthor', 'state', 'body', 'url', 'commit'],
  properties: {
    id: { type: 'string' },
    fullDatabaseId: { type: ['string', 'integer', 'null'] },
    author: actorSchema,
    viewerDidAuthor: { type: 'boolean' },
    state: { enum: states },
    body: { type: 'string' },
    url: { type: 'string' },
    commit: { type: ['object', 'null'], required: ['oid'], properties: { oid: { type: 'string' } } },
  },
} as const;

type ReviewNode = Infer<typeof reviewSchema>;

function reviewFrom(review: ReviewNode): PostedReview {
  return {
    id: review.id,
    restId: restIdOf(review.fullDatabaseId),
    author: loginOf(review.author),
    isSelf: review.viewerDidAuthor,
    state: review.state,
    commit: review.commit?.oid ?? null,
    body: review.body,
    url: review.url,
  };
}

const threads = `reviewThreads(first: 100, after: $after) { ${pageInfo} nodes { ${threadFields} } }`;
const comments = `comments(first: 100, after: $after) { ${pageInfo} nodes { ${commentFields} } }`;
const reviews = `reviews(first: 100, after: $after) { ${pageInfo} nodes { ${reviewFields} } }`;

/** The first page of everything, and the further pages of each. */
export const discussionQueries = {
  all: query('PostilDiscussion', `${threads} ${comments} ${reviews}`),
  threads: query('PostilThreads', threads),
  comments: query('PostilConversation', comments),
  reviews: query('PostilReviews', reviews),
} as const;

function query(name: string, connections: string): string {
  return `query ${name}($owner: String!, $name: String!, $number: Int!, $after: String) {
  repository(owner: $owner, name: $name) { pullRequest(number: $number) { ${connections} } }
}`;
}

export const threadCommentsQuery = `query PostilThreadComments($thread: ID!, $after: String) {
  node(id: $thread) {
    ... on PullRequestReviewThread {
      comments(first: 100, after: $after) { ${pageInfo} nodes { ${commentFields} } }
    }
  }
}`;

const parseDiscussion = answerParser({
  type: 'object',
  required: ['repository'],
  properties: {
    repository: {
      type: 'object',
      required: ['pullRequest'],
      properties: {
        pullRequest: {
          type: 'object',
          properties: {
            reviewThreads: pageOf(threadSchema),
            comments: pageOf(commentSchema),
            reviews: pageOf(reviewSchema),
          },
        },
      },
    },
  },
});

const parseThreadComments = answerParser({
  type: 'object',
  required: ['node'],
  properties: {
    node: { type: 'object', required: ['comments'], properties: { comments: pageOf(commentSchema) } },
  },
});
