import type { Comment, PostedReview, ReviewThread } from '../../src/core/pull-request/pull-request.ts';

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
