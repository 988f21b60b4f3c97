/** Needs `contents: write` (FAILURES P8). */
export const resolveThreadMutation = `mutation PostilResolve($thread: ID!) {
  resolveReviewThread(input: { threadId: $thread }) { thread { id } }
}`;

export const minimizeMutation = `mutation PostilMinimize($comment: ID!) {
  minimizeComment(input: { subjectId: $comment, classifier: OUTDATED }) { minimizedComment { isMinimized } }
}`;
