import type { Comment } from '../../core/pull-request/pull-request.ts';
import type { Infer } from '../../core/schema.ts';

// Few people vote on a comment; the first ten are enough to find one who may.
const thumbsDown = 'reactions(content: THUMBS_DOWN, first: 10) { nodes { user { login } } }';

/** What is asked of an issue comment and of a review comment alike. */
export const commentFields = `id fullDatabaseId author { __typename login } createdAt body viewerDidAuthor url isMinimized viewerCanMinimize ${thumbsDown}`;

export const actorSchema = {
  type: ['object', 'null'],
  required: ['login'],
  properties: { login: { type: 'string' }, __typename: { type: 'string' } },
} as const;

export const commentSchema = {
  type: 'object',
  required: ['id', 'author', 'createdAt', 'body', 'viewerDidAuthor', 'url'],
  properties: {
    id: { type: 'string' },
    fullDatabaseId: { type: ['string', 'integer', 'null'] },
    author: actorSchema,
    createdAt: { type: 'string' },
    body: { type: 'string' },
    viewerDidAuthor: { type: 'boolean' },
    url: { type: 'string' },
    isMinimized: { type: 'boolean' },
    viewerCanMinimize: { type: 'boolean' },
    reactions: {
      type: 'object',
      required: ['nodes'],
      properties: {
        nodes: {
          type: 'array',
          items: { type: 'object', required: ['user'], properties: { user: actorSchema } },
        },
      },
    },
  },
} as const;

export type CommentNode = Infer<typeof commentSchema>;

export function commentFrom(comment: CommentNode): Comment {
  return {
    id: comment.id,
    author: loginOf(comment.author),
    date: comment.createdAt,
    body: comment.body,
    isSelf: comment.viewerDidAuthor,
    url: comment.url,
    restId: restIdOf(comment.fullDatabaseId),
    thumbsDown: (comment.reactions?.nodes ?? []).flatMap(({ user }) => user?.login ?? []),
    isMinimized: comment.isMinimized ?? false,
    viewerCanMinimize: comment.viewerCanMinimize ?? false,
  };
}

/** A number too large for GraphQL's integers comes as text. */
export function restIdOf(id: string | number | null | undefined): number | null {
  const number = Number(id ?? Number.NaN);
  return Number.isSafeInteger(number) ? number : null;
}

// GraphQL leaves out the suffix that REST gives to the logins of bots; a deleted account is GitHub's user `ghost`.
export function loginOf(author: Infer<typeof actorSchema>): string {
  if (author === null) return 'ghost';
  return author.__typename === 'Bot' && !author.login.endsWith('[bot]') ? `${author.login}[bot]` : author.login;
}
