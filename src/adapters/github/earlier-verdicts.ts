import type { RunIdentity } from '../../core/memory/run-identity.ts';
import { marksIn } from '../../core/memory/signed-marks.ts';
import type { PostedReview } from '../../core/pull-request/pull-request.ts';
import type { Review } from '../../core/review/review.ts';
import type { GitHub } from './client.ts';
import type { PullRequestReference } from './get-pull.ts';
import { refusalOf } from './refusal.ts';

type On = { readonly github: GitHub; readonly reference: PullRequestReference };

type Settling = On & {
  readonly identity: RunIdentity;
  /** Whether an earlier request for changes still has a reason. */
  readonly blocking: (review: Review) => boolean;
};

/** Reviews that say they are our own of this name, oldest first. Whether that is true only their signatures tell. */
export function ownReviews(reviews: readonly PostedReview[], name: string): readonly PostedReview[] {
  return reviews.filter((review) => marksIn(review).some(({ mark }) => mark.kind === 'review' && mark.name === name));
}

/** Those in which a run with our key asked for changes. A mark that stands in several was copied from the oldest of them. */
function signedBlocks(reviews: readonly PostedReview[]): readonly PostedReview[] {
  const seen = new Set<string>();
  return reviews.filter(({ signed = [], ...review }) => {
    const fresh = signed.filter((signature) => !seen.has(signature));
    for (const signature of fresh) seen.add(signature);
    return marksIn({ ...review, signed: fresh }).some(
      ({ mark, isSigned }) =>
        isSigned && mark.kind === 'review' && mark.event === 'REQUEST_CHANGES' && mark.commit === review.commit,
    );
  });
}

/**
 * Takes back an earlier request for changes of ours that has no reason left. Answers what went wrong, one sentence; a review that is not
 * complete takes nothing back. Approvals are settled when everything is posted: see approval-recorder.ts.
 */
export async function settleRequests(settling: Settling, review: Review): Promise<readonly string[]> {
  const { pullRequest, outcome } = review;
  if (pullRequest === null || (outcome !== 'clean' && outcome !== 'findings') || settling.blocking(review)) return [];
  const own = ownReviews(pullRequest.reviews, settling.identity.name);
  const ending = own.filter(({ state }) => state === 'CHANGES_REQUESTED');
  const signed = new Set(signedBlocks(own));
  // An approval is taken back whoever wrote it; a request for changes only when it is surely ours.
  const blocks = ending.filter((one) => signed.has(one));
  const troubles: string[] = blocks.length < ending.length ? [unsigned] : [];
  for (const one of blocks) {
    const message = 'The reasons to ask for changes are gone.';
    troubles.push(...(await dismiss(settling, { review: one, message })));
  }
  return [...new Set(troubles)];
}

const unsigned =
  'An earlier request for changes is not signed with a key of this run, so it was not dismissed: somebody who may write can do that.';

/** Dismisses a review of ours; answers what went wrong, one sentence. Somebody else may have dismissed it before. */
export async function dismiss(
  { github, reference }: On,
  { review, message }: { readonly review: PostedReview; readonly message: string },
): Promise<readonly string[]> {
  const { owner, repository, number } = reference;
  const what = review.state === 'CHANGES_REQUESTED' ? 'request for changes' : 'approval';
  if (review.restId === null) return [`An earlier ${what} could not be dismissed: GitHub did not tell its number.`];
  try {
    await github.rest.pulls.dismissReview({
      owner,
      repo: repository,
      pull_number: number,
      review_id: review.restId,
      message,
      event: 'DISMISS',
    });
    return [];
  } catch (error) {
    const refusal = refusalOf(error);
    if (refusal === null) throw error;
    return [`An earlier ${what} could not be dismissed: ${refusal.reason}.`];
  }
}
