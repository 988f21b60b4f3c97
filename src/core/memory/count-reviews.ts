import type { PullRequest } from '../pull-request/pull-request.ts';
import { readMarks } from './mark-text.ts';
import { stickyOf } from './prior-marks.ts';
import type { RunIdentity } from './run-identity.ts';

/**
 * How many runs of this name reviewed the pull request before this one. The summary comment counts; where it is turned off or was deleted,
 * the runs that left a review or a comment do. Marks are believed in our own comments alone (FAILURES P18).
 */
export function countReviews(
  { conversation, reviews, threads }: Pick<PullRequest, 'conversation' | 'reviews' | 'threads'>,
  { name, run }: RunIdentity,
): number {
  const sticky = stickyOf(conversation, name);
  const counted = (sticky?.reviews ?? 0) - (sticky?.run === run ? 1 : 0);
  const said = [...conversation, ...reviews, ...threads.flatMap(({ comments }) => comments.slice(0, 1))];
  const marks = said.filter(({ isSelf }) => isSelf).flatMap(({ body }) => readMarks(body));
  const runs = new Set(marks.filter((mark) => mark.name === name && mark.run !== run).map((mark) => mark.run));
  return Math.max(counted, runs.size);
}
