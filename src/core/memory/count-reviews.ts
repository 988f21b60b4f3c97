import type { PullRequest } from '../pull-request/pull-request.ts';
import { stickyOf } from './prior-marks.ts';
import type { RunIdentity } from './run-identity.ts';
import { marksIn } from './signed-marks.ts';

/**
 * How many runs of this name reviewed the pull request before this one. The summary comment counts; where it is turned off or was deleted,
 * the runs that left a review or a comment do. Signed marks alone count: a stranger's number neither ends the reviews nor starts them anew.
 */
export function countReviews(
  { conversation, reviews, threads }: Pick<PullRequest, 'conversation' | 'reviews' | 'threads'>,
  { name, run }: RunIdentity,
): number {
  const sticky = stickyOf(conversation, name);
  const counted = (sticky?.reviews ?? 0) - (sticky?.run === run ? 1 : 0);
  const said = [...conversation, ...reviews, ...threads.flatMap(({ comments }) => comments.slice(0, 1))];
  const marks = said.flatMap(marksIn).filter(({ isSigned, mark }) => isSigned && mark.name === name);
  const runs = new Set(marks.map(({ mark }) => mark.run).filter((other) => other !== run));
  return Math.max(counted, runs.size);
}
