import type { Mark } from '../../src/core/memory/mark.ts';
import { type MarkPlace, markKeys } from '../../src/core/memory/mark-keys.ts';
import { writeMark } from '../../src/core/memory/mark-text.ts';
import type { Comment, PostedReview, ReviewThread } from '../../src/core/pull-request/pull-request.ts';

/** The keys of the pull request that `review-record.ts` describes. */
export const keys = markKeys(['a-key-of-the-tests-0123456789'], { repository: 'acme/shop', number: 7 });

/** A mark as a run with these keys writes it there. */
export function signedMark(mark: Mark, place: MarkPlace, by = keys): string {
  return writeMark(mark, (content) => by.sign(content, place));
}

/** The text of a comment on lines or a file, with its mark. */
export function signedComment(words: string, mark: Mark, by = keys): string {
  return `${words}\n\n${signedMark(mark, { in: 'thread', words }, by)}`;
}

/** What a person wrote. */
export function remark(changes: Partial<Comment> = {}): Comment {
  return {
    id: 'C1',
    author: 'ada',
    date: '2026-11-02T10:00:00Z',
    body: 'A remark.',
    isSelf: false,
    url: 'https://github.com/acme/shop/pull/7#discussion_r1',
    restId: 1,
    thumbsDown: [],
    isMinimized: false,
    viewerCanMinimize: false,
    ...changes,
  };
}

/** What the reviewer itself wrote. */
export function ownRemark(body: string, changes: Partial<Comment> = {}): Comment {
  return remark({ author: 'github-actions[bot]', isSelf: true, body, ...changes });
}

export function thread(changes: Partial<ReviewThread> = {}): ReviewThread {
  return {
    id: 'T1',
    path: 'src/cart.ts',
    line: 12,
    startLine: null,
    side: 'RIGHT',
    originalLine: 12,
    originalStartLine: null,
    subject: 'line',
    isOutdated: false,
    isResolved: false,
    resolvedBy: null,
    viewerCanResolve: false,
    comments: [remark()],
    ...changes,
  };
}

export function postedReview(changes: Partial<PostedReview> = {}): PostedReview {
  return {
    id: 'R1',
    restId: 11,
    author: 'github-actions[bot]',
    isSelf: true,
    state: 'COMMENTED',
    commit: 'a'.repeat(40),
    body: '',
    url: 'https://github.com/acme/shop/pull/7#pullrequestreview-11',
    ...changes,
  };
}
