import { commentFields, commentSchema } from './graphql-comment.ts';
import { answerParser, pageOf } from './graphql-pages.ts';
import { reviewFields, reviewSchema } from './review-node.ts';
import { threadFields, threadSchema } from './thread-node.ts';

const pageInfo = 'pageInfo { hasNextPage endCursor }';
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

export const parseDiscussion = answerParser({
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

export const parseThreadComments = answerParser({
  type: 'object',
  required: ['node'],
  properties: {
    node: { type: 'object', required: ['comments'], properties: { comments: pageOf(commentSchema) } },
  },
});
