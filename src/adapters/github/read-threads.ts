import type { ReviewThread } from '../../core/pull-request/pull-request.ts';
import type { Infer } from '../../core/schema.ts';
import type { GitHub } from './client.ts';
import { commentFields, commentFrom, commentSchema } from './graphql-comment.ts';
import { allPages, answerParser, pageOf } from './graphql-pages.ts';

/** All review threads with all of their comments. Only GraphQL knows what is resolved or outdated. */
export async function readThreads(
  github: GitHub,
  pullRequest: { readonly owner: string; readonly repository: string; readonly number: number },
): Promise<readonly ReviewThread[]> {
  const { owner, repository: name, number } = pullRequest;
  const threads = await allPages(async (after) => {
    const data = parseThreads(await github.graphql(threadsQuery, { owner, name, number, after }));
    return data.repository.pullRequest.reviewThreads;
  });
  return await Promise.all(threads.map((thread) => withAllComments(github, thread)));
}

export const threadsQuery = `query PostilThreads($owner: String!, $name: String!, $number: Int!, $after: String) {
  repository(owner: $owner, name: $name) {
    pullRequest(number: $number) {
      reviewThreads(first: 100, after: $after) {
        pageInfo { hasNextPage endCursor }
        nodes {
          id path line startLine diffSide isResolved isOutdated
          comments(first: 100) { pageInfo { hasNextPage endCursor } nodes { ${commentFields} } }
        }
      }
    }
  }
}`;

export const threadCommentsQuery = `query PostilThreadComments($thread: ID!, $after: String) {
  node(id: $thread) {
    ... on PullRequestReviewThread {
      comments(first: 100, after: $after) { pageInfo { hasNextPage endCursor } nodes { ${commentFields} } }
    }
  }
}`;

async function withAllComments(github: GitHub, thread: Infer<typeof threadSchema>): Promise<ReviewThread> {
  const comments = await allPages(async (after) => {
    const data = parseThreadComments(await github.graphql(threadCommentsQuery, { thread: thread.id, after }));
    return data.node.comments;
  }, thread.comments);
  return {
    id: thread.id,
    path: thread.path,
    line: thread.isOutdated ? null : thread.line,
    startLine: thread.isOutdated ? null : thread.startLine,
    side: thread.diffSide,
    isOutdated: thread.isOutdated,
    isResolved: thread.isResolved,
    comments: comments.map(commentFrom),
  };
}

const threadSchema = {
  type: 'object',
  required: ['id', 'path', 'line', 'startLine', 'diffSide', 'isResolved', 'isOutdated', 'comments'],
  properties: {
    id: { type: 'string' },
    path: { type: 'string' },
    line: { type: ['integer', 'null'] },
    startLine: { type: ['integer', 'null'] },
    diffSide: { enum: ['LEFT', 'RIGHT'] },
    isResolved: { type: 'boolean' },
    isOutdated: { type: 'boolean' },
    comments: pageOf(commentSchema),
  },
} as const;

const parseThreads = answerParser({
  type: 'object',
  required: ['repository'],
  properties: {
    repository: {
      type: 'object',
      required: ['pullRequest'],
      properties: {
        pullRequest: {
          type: 'object',
          required: ['reviewThreads'],
          properties: { reviewThreads: pageOf(threadSchema) },
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
