import type { Comment, ReviewThread } from '../../core/pull-request/pull-request.ts';
import type { Infer } from '../../core/schema.ts';
import { actorSchema, commentFields, commentSchema, loginOf } from './graphql-comment.ts';
import { pageOf } from './graphql-pages.ts';

const pageInfo = 'pageInfo { hasNextPage endCursor }';

/** What is asked of a review thread, its first 100 comments included. */
export const threadFields = `id path line startLine originalLine originalStartLine diffSide subjectType isResolved isOutdated
  resolvedBy { __typename login } viewerCanResolve comments(first: 100) { ${pageInfo} nodes { ${commentFields} } }`;

export const threadSchema = {
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

export type ThreadNode = Infer<typeof threadSchema>;

export function threadFrom(thread: ThreadNode, comments: readonly Comment[]): ReviewThread {
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
