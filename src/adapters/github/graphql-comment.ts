import type { Comment } from '../../core/pull-request/pull-request.ts';
import type { Infer } from '../../core/schema.ts';

/** What is asked of an issue comment and of a review comment alike. */
export const commentFields = 'id author { __typename login } createdAt body viewerDidAuthor url';

export const commentSchema = {
  type: 'object',
  required: ['id', 'author', 'createdAt', 'body', 'viewerDidAuthor', 'url'],
  properties: {
    id: { type: 'string' },
    author: {
      type: ['object', 'null'],
      required: ['login'],
      properties: { login: { type: 'string' }, __typename: { type: 'string' } },
    },
    createdAt: { type: 'string' },
    body: { type: 'string' },
    viewerDidAuthor: { type: 'boolean' },
    url: { type: 'string' },
  },
} as const;

export function commentFrom(comment: Infer<typeof commentSchema>): Comment {
  return {
    id: comment.id,
    author: loginOf(comment.author),
    date: comment.createdAt,
    body: comment.body,
    isSelf: comment.viewerDidAuthor,
    url: comment.url,
  };
}

// GraphQL leaves out the suffix that REST gives to the logins of bots; a deleted account is GitHub's user `ghost`.
function loginOf(author: Infer<typeof commentSchema>['author']): string {
  if (author === null) return 'ghost';
  return author.__typename === 'Bot' && !author.login.endsWith('[bot]') ? `${author.login}[bot]` : author.login;
}
