import type { ReviewComment, ReviewEvent } from '../../core/review/review-post.ts';

/** One request to the reviews API: a body, comments, or both. */
export type ReviewRequest = {
  readonly commit: string;
  readonly event: ReviewEvent;
  readonly body: string;
  readonly comments: readonly ReviewComment[];
};

/** GitHub's limit for any body, in characters (FAILURES P9). */
const longestBody = 65_536;
const cutNote = '\n\n… (cut: too long for GitHub)';

/** What the API takes. With the event the review is created and published at once, and never left pending (FAILURES P3). */
export function reviewParameters(request: ReviewRequest) {
  return {
    commit_id: request.commit,
    event: request.event,
    ...(request.body === '' ? {} : { body: capped(request.body) }),
    ...(request.comments.length === 0 ? {} : { comments: request.comments.map(commentParameters) }),
  } as const;
}

/** The last guard before the wire: renderers cut where it reads well. Marks stand at the end and are never cut. */
export function capped(body: string): string {
  if (body.length <= longestBody) return body;
  const marks = /(?:\s*<!-- postil:v\d+ [^\r\n<>]* -->)+\s*$/.exec(body)?.[0] ?? '';
  const text = body.slice(0, body.length - marks.length);
  // Half a surrogate pair would not be valid text.
  const start = text.slice(0, Math.max(0, longestBody - cutNote.length - marks.length)).replace(/[\uD800-\uDBFF]$/, '');
  return `${start}${cutNote}${marks}`;
}

// A start that equals the line is refused, so a single line has none.
function commentParameters(comment: ReviewComment) {
  const { path, side, line, startLine } = comment;
  const several = startLine !== null && startLine < line;
  return {
    path,
    side,
    line,
    body: capped(comment.body),
    ...(several ? { start_line: startLine, start_side: side } : {}),
  };
}
