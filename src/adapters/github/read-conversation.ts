import type { Comment } from '../../core/pull-request/pull-request.ts';
import type { GitHub } from './client.ts';
import { commentFields, commentFrom, commentSchema } from './graphql-comment.ts';
import { allPages, answerParser, pageOf } from './graphql-pages.ts';

/** All comments below the pull request, oldest first. By GraphQL, which says which of them are our own. */
export async function readConversation(
  github: GitHub,
  pullRequest: { readonly owner: string; readonly repository: string; readonly number: number },
): Promise<readonly Comment[]> {
  const { owner, repository: name, number } = pullRequest;
  const comments = await allPages(async (after) => {
    const data = parseConversation(await github.graphql(conversationQuery, { owner, name, number, after }));
    return data.repository.pullRequest.comments;
  });
  return comments.map(commentFrom);
}

export const conversationQuery = `query PostilConversation($owner: String!, $name: String!, $number: Int!, $after: String) {
  repository(owner: $owner, name: $name) {
    pullRequest(number: $number) {
      comments(first: 100, after: $after) { pageInfo { hasNextPage endCursor } nodes { ${commentFields} } }
    }
  }
}`;

const parseConversation = answerParser({
  type: 'object',
  required: ['repository'],
  properties: {
    repository: {
      type: 'object',
      required: ['pullRequest'],
      properties: {
        pullRequest: { type: 'object', required: ['comments'], properties: { comments: pageOf(commentSchema) } },
      },
    },
  },
});
