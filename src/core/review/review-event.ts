import type { Settings } from '../settings/settings.ts';
import { atLeast } from '../settings/severity.ts';
import { isCovered } from './complete.ts';
import type { Review } from './review.ts';
import type { ReviewEvent } from './review-post.ts';

type Decided = Pick<Review, 'outcome' | 'action' | 'approved' | 'coverage' | 'placements' | 'nonSpecific'>;

/**
 * The strongest event that the workflow's author allows and the review bears out (DESIGN section 5). `request-changes` needs something that
 * is to be changed; `approve` a clean review of everything, of an author who may write.
 */
export function reviewEventOf(
  review: Decided,
  { allowed, mayApprove }: { readonly allowed: Settings['reviewEvent']; readonly mayApprove: boolean },
): ReviewEvent {
  if (allowed === 'comment') return 'COMMENT';
  const { action, placements, nonSpecific } = review;
  const open = placements.filter(({ place }) => place !== 'suppressed');
  if (action === 'REQUEST_CHANGES' && open.length + nonSpecific.length > 0) return 'REQUEST_CHANGES';
  return allowed === 'approve' && mayApprove && isApprovable(review) ? 'APPROVE' : 'COMMENT';
}

/** True when nothing but the permission of the pull request's author is left to ask. */
export function isApprovable({ outcome, approved, coverage }: Omit<Decided, 'placements'>): boolean {
  return outcome === 'clean' && approved && isCovered(coverage);
}

/** True while an earlier REQUEST_CHANGES of ours still has a reason: this review asks for changes too, or what it was about stands. */
export function isBlocking(review: Pick<Review, 'event' | 'placements'>): boolean {
  // One whose comment was deleted is raised again: what is new counts as what stands.
  const open = review.placements.filter(({ place }) => place !== 'suppressed');
  return review.event === 'REQUEST_CHANGES' || open.some(({ finding }) => atLeast(finding.severity, 'warning'));
}
