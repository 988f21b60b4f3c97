import { readMarks } from '../memory/mark.ts';
import { isLaterRun } from '../memory/recall.ts';
import type { CommitReference, PostedReview, PullRequest } from '../pull-request/pull-request.ts';
import type { Review } from './review.ts';

/** What of a pull request may change while it is reviewed. */
export type PresentState = Pick<PullRequest, 'state' | 'draft' | 'base'> & { readonly head: CommitReference };

/** Why what was reviewed may no longer be approved, one sentence; null when it may. `now` is null when that cannot be found out. */
export function whyNotApprove(reviewed: PresentState, now: PresentState | null): string | null {
  const short = (sha: string) => sha.slice(0, 12);
  if (now === null) return 'GitHub did not say whether the pull request is still the one that was reviewed.';
  if (now.head.sha !== reviewed.head.sha) {
    return `The head moved to ${short(now.head.sha)} while ${short(reviewed.head.sha)} was reviewed.`;
  }
  if (now.state !== 'open') return `The pull request is now ${now.state}.`;
  if (now.draft && !reviewed.draft) return 'The pull request is now a draft.';
  if (now.base.ref !== reviewed.base.ref) return 'The base branch has changed.';
  if (now.base.sha !== reviewed.base.sha) {
    return `The base moved to ${short(now.base.sha)} while the change was reviewed against ${short(reviewed.base.sha)}.`;
  }
  return null;
}

/**
 * The approvals of ours that stand, newest first. To take one back, a mark in a review of our own identity is proof enough, whoever signed it:
 * dismissing is the safe direction.
 */
export function standingApprovals(
  reviews: readonly PostedReview[],
  /** Without a name, as where the settings could not be read, the mark of any is ours. What a later run approved is not for this one to judge. */
  { name, run }: { name: string | null; run: string },
): readonly PostedReview[] {
  const standing = reviews.filter(({ isSelf, state, body }) => {
    if (!isSelf || state !== 'APPROVED') return false;
    const marks = readMarks(body).filter((mark) => mark.kind === 'review' && (name === null || mark.name === name));
    return marks.length > 0 && !marks.some((mark) => isLaterRun(mark.run, run));
  });
  return standing.toReversed();
}

/**
 * True when this run ends in an approval: it is to be posted as one, or everything was reviewed at this very head before and nothing has come
 * up since. Every other run takes back what an earlier one approved.
 */
export function bearsOutApproval({ event, outcome, scope, coverage, pullRequest }: Review): boolean {
  if (event === 'APPROVE') return true;
  const sameHead = scope?.kind === 'incremental' && scope.since === pullRequest?.head.sha;
  return outcome === 'clean' && sameHead && coverage.reviewed.length === 0;
}
