import { readMarks } from '../history/mark.ts';
import { isLaterRun } from '../history/recall.ts';
import type { Message } from '../messages/message.ts';
import type { CommitReference, PostedReview, PullRequest } from '../pull-request/pull-request.ts';
import { atLeast } from '../settings/setting.ts';
import type { Review } from './review.ts';

/** What of a pull request may change while it is reviewed. */
export type PresentState = Pick<PullRequest, 'state' | 'draft' | 'base'> & { readonly head: CommitReference };

/** Why what was reviewed may no longer be approved, one sentence; null when it may. `now` is null when that cannot be found out. */
export function whyNotApprove(reviewed: PresentState, now: PresentState | null): Message | null {
  const short = (sha: string) => sha.slice(0, 12);
  if (now === null) return { code: 'approval.unknown' };
  if (now.head.sha !== reviewed.head.sha) {
    return { code: 'approval.head-moved', now: short(now.head.sha), commit: short(reviewed.head.sha) };
  }
  if (now.state !== 'open') return { code: 'approval.state-now', what: { code: `pull-request.${now.state}` } };
  if (now.draft && !reviewed.draft) return { code: 'approval.draft-now' };
  if (now.base.ref !== reviewed.base.ref) return { code: 'approval.base-changed' };
  if (now.base.sha !== reviewed.base.sha) {
    return { code: 'approval.base-moved', now: short(now.base.sha), commit: short(reviewed.base.sha) };
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

/** True while an earlier REQUEST_CHANGES of ours still has a reason: this review asks for changes too, or what it was about stands. */
export function isBlocking(review: Pick<Review, 'event' | 'findings'>): boolean {
  // One whose comment was deleted is raised again: what is new counts as what stands.
  const open = review.findings.filter(({ place, muted }) => place !== 'suppressed' && muted !== true);
  return review.event === 'REQUEST_CHANGES' || open.some(({ severity }) => atLeast(severity, 'warning'));
}
