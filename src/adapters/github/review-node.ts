import type { PostedReview } from '../../core/pull-request/pull-request.ts';
import type { Infer } from '../../core/schema.ts';
import { actorSchema, loginOf, restIdOf } from './graphql-comment.ts';

export const reviewFields =
  'id fullDatabaseId author { __typename login } viewerDidAuthor state body url commit { oid }';

const states = ['APPROVED', 'CHANGES_REQUESTED', 'COMMENTED', 'DISMISSED', 'PENDING'] as const;

export const reviewSchema = {
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

export type ReviewNode = Infer<typeof reviewSchema>;

export function reviewFrom(review: ReviewNode): PostedReview {
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
