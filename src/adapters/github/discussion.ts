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
  loginOf,
  type Page,
  pageOf,
  restIdOf,
} from './graphql.ts';
import type { PullRequestReference } from './pull.ts';

export type Discussion = Pick<PullRequest, 'threads' | 'conversation' | 'reviews'>;

type Subject = Pick<PullRequestReference, 'owner' | 'repository' | 'number'>;

/**
 * Everything that was said on a pull request: threads, the conversation below it, reviews. One request, and one more for every further
 * hundred of anything. By GraphQL: only it knows what is resolved and what is our own.
 *
 * Throws when any of it cannot be read: who looks whether something is there already must not take a part for the whole.
 */
export async function readDiscussion(github: GitHub, subject: Subject): Promise<Discussion> {
  const first = await ask(github, { subject, query: discussionQueries.all, after: null });
  const parts = discussionParts(github, subject);
  const [threads, conversation, reviews] = await Promise.all([
    parts.threads(first.reviewThreads),
    parts.conversation(first.comments),
    parts.reviews(first.reviews),
  ]);
  return { threads, conversation, reviews };
}

/** Each part by itself: from the beginning, or from where a first page that is already there ends. */
export function discussionParts(github: GitHub, subject: Subject) {
  const pages = <Node>(query: string, pageIn: (said: Said) => Page<Node> | undefined, first?: Page<Node>) =>
    allPages(async (after) => {
      const page = pageIn(await ask(github, { subject, query, after }));
      if (page === undefined) throw new Error("GitHub's answer lacks what was asked for.");
      return page;
    }, first);
  const { threads, comments, reviews } = discussionQueries;
  return {
    threads: async (first?: Page<ThreadNode>) => {
      const found = await pages(threads, (said) => said.reviewThreads, first);
      return await Promise.all(found.map((thread) => withAllComments(github, thread)));
    },
    conversation: async (first?: Page<CommentNode>) =>
      (await pages(comments, (said) => said.comments, first)).map(commentFrom),
    reviews: async (first?: Page<ReviewNode>) => (await pages(reviews, (said) => said.reviews, first)).map(reviewFrom),
  };
}

type Said = Awaited<ReturnType<typeof ask>>;

async function ask(
  github: GitHub,
  { subject, query, after }: { subject: Subject; query: string; after: string | null },
) {
  const { owner, repository: name, number } = subject;
  return parseDiscussion(await github.graphql(query, { owner, name, number, after })).repository.pullRequest;
}

async function withAllComments(github: GitHub, thread: ThreadNode): Promise<ReviewThread> {
  const comments = await allPages(async (after) => {
    const data = parseThreadComments(await github.graphql(threadCommentsQuery, { thread: thread.id, after }));
    return data.node.comments;
  }, thread.comments);
  return threadFrom(thread, comments.map(commentFrom));
}

const pageInfo = 'pageInfo { hasNextPage endCursor }';

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

/** `missing` says in one sentence each what could not be read; it is empty when everything was. */
type KnownDiscussion = Discussion & { readonly missing: readonly string[] };

/**
 * What can be read of what was said on a pull request; never throws. One query asks for everything, and where GitHub refuses to answer
 * that, each part is asked for by itself: a field that it denies or does not know in one of them must not lose the others.
 */
export async function readKnownDiscussion(github: GitHub, reference: PullRequestReference): Promise<KnownDiscussion> {
  try {
    return { ...(await readDiscussion(github, reference)), missing: [] };
  } catch (error) {
    const nothing = { threads: [], conversation: [], reviews: [], missing: [sentence(everything, error)] };
    // Where the server did not answer at all, it would not answer the parts either.
    return isQueryRefusal(error) ? await readParts(github, { reference, nothing }) : nothing;
  }
}

const everything = 'discussion (threads, comments and reviews)';

async function readParts(
  github: GitHub,
  { reference, nothing }: { reference: PullRequestReference; nothing: KnownDiscussion },
): Promise<KnownDiscussion> {
  const parts = discussionParts(github, reference);
  const [threads, conversation, reviews] = await Promise.all([
    orMissing('review threads', parts.threads()),
    orMissing('conversation', parts.conversation()),
    orMissing('reviews', parts.reviews()),
  ]);
  const missing = [threads, conversation, reviews].flatMap((part) => part.missing);
  if (missing.length === 3) return nothing;
  return { threads: threads.found, conversation: conversation.found, reviews: reviews.found, missing };
}

async function orMissing<Item>(what: string, reading: Promise<readonly Item[]>) {
  try {
    return { found: await reading, missing: [] };
  } catch (error) {
    return { found: [], missing: [sentence(what, error)] };
  }
}

function sentence(what: string, error: unknown): string {
  return `The ${what} could not be read: ${messageOf(error)}.`;
}
