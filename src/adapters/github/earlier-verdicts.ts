import { readMarks } from '../../core/memory/mark-text.ts';
import type { RunIdentity } from '../../core/memory/run-identity.ts';
import type { PostedReview } from '../../core/pull-request/pull-request.ts';
import type { Review } from '../../core/review/review.ts';
import type { GitHub } from './client.ts';
import type { PullRequestReference } from './get-pull.ts';
import { refusalOf } from './refusal.ts';

type Settling = {
  readonly github: GitHub;
  readonly reference: PullRequestReference;
  readonly identity: RunIdentity;
  /** Whether an earlier request for changes still has a reason. */
  readonly blocking: (review: Review) => boolean;
};

/** Our own reviews of this name, oldest first. */
export function ownReviews(reviews: readonly PostedReview[], name: string): readonly PostedReview[] {
  return reviews.filter(
    ({ isSelf, body }) => isSelf && readMarks(body).some((mark) => mark.kind === 'review' && mark.name === name),
  );
}

/**
 * Takes back what an earlier review of ours decided and this one does not bear out: a request for changes without a reason left, an approval
 * of an older commit. Answers what went wrong, one sentence; a review that is not complete takes nothing back.
 */
export async function settleVerdicts(settling: Settling, review: Review): Promise<readonly string[]> {
  const { pullRequest, outcome, event } = review;
  if (pullRequest === null || (outcome !== 'clean' && outcome !== 'findings')) return [];
  const own = ownReviews(pullRequest.reviews, settling.identity.name);
  const blocks = settling.blocking(review) ? [] : own.filter(({ state }) => state === 'CHANGES_REQUESTED');
  const approvals =
    event === 'APPROVE' ? [] : own.filter((one) => one.state === 'APPROVED' && one.commit !== pullRequest.head.sha);
  const troubles: string[] = [];
  for (const one of [...blocks, ...approvals]) troubles.push(...(await dismiss(settling, one)));
  return [...new Set(troubles)];
}

async function dismiss({ github, reference }: Settling, review: PostedReview): Promise<readonly string[]> {
  const { owner, repository, number } = reference;
  if (review.restId === null || github.signal.aborted) return [];
  const blocked = review.state === 'CHANGES_REQUESTED';
  try {
    await github.rest.pulls.dismissReview({
      owner,
      repo: repository,
      pull_number: number,
      review_id: review.restId,
      message: blocked ? 'The reasons to ask for changes are gone.' : 'The change is not the one that was approved.',
      event: 'DISMISS',
    });
    return [];
  } catch (error) {
    const refusal = refusalOf(error);
    if (refusal === null) throw error;
    return [`An earlier ${blocked ? 'request for changes' : 'approval'} could not be dismissed: ${refusal.reason}.`];
  }
}
