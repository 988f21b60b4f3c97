import type { PostEvent } from '../../core/review/review.ts';
import type { GitHub } from './client.ts';
import { NothingLeftToSay, refusalOf } from './errors.ts';
import type { PostedReview } from './place-comments.ts';
import { capped, newestComments, pairUp, type ReviewRequest, reviewParameters, sameText, writeOnce } from './posted.ts';
import type { PullRequestReference } from './pull.ts';

/**
 * Sends reviews of one run, each of them once.
 *
 * The function throws what Octokit throws.
 */
export function reviewSender(
  github: GitHub,
  reference: PullRequestReference,
): (request: ReviewRequest) => Promise<PostedReview> {
  const sent: Set<number> = new Set();
  return async (request) => {
    const review = await writeOnce({
      settleMilliseconds: github.settleMilliseconds,
      write: () => createReview(github, { reference, request }),
      look: () => findReview(github, { reference, request, sent }),
    });
    sent.add(review.id);
    return review;
  };
}

type Sending = { readonly reference: PullRequestReference; readonly request: ReviewRequest };
type ListedReview = Awaited<ReturnType<GitHub['rest']['pulls']['listReviews']>>['data'][number];

async function createReview(github: GitHub, { reference, request }: Sending): Promise<PostedReview> {
  const { owner, repository, number } = reference;
  const create = () =>
    github.rest.pulls.createReview({ owner, repo: repository, pull_number: number, ...reviewParameters(request) });
  try {
    return posted((await create()).data);
  } catch (error) {
    if (refusalOf(error)?.kind !== 'pending' || !(await removePending(github, { reference, request }))) throw error;
    return posted((await create()).data);
  }
}

/**
 * GitHub shows a pending review to its author alone, so it belongs to the identity that this run posts as. It is removed when
 * that is a bot, or when it is what this run wants to say; the draft of a person who lent their token stays.
 */
async function removePending(github: GitHub, { reference, request }: Sending): Promise<boolean> {
  const reviews = await listReviews(github, reference);
  const pending = reviews.find((review) => review.state === 'PENDING');
  if (pending === undefined) return false;
  const expendable = pending.user?.type === 'Bot' || (request.body !== '' && sameText(pending.body, request.body));
  if (!expendable) return false;
  const { owner, repository, number } = reference;
  await github.rest.pulls.deletePendingReview({
    owner,
    repo: repository,
    pull_number: number,
    review_id: Number(pending.id),
  });
  return true;
}

/** What a lost answer was about: the same commit, the same text, and at least one of the comments. @throws when two lists do not agree. */
async function findReview(
  github: GitHub,
  { reference, request, sent }: Sending & { readonly sent: ReadonlySet<number> },
): Promise<PostedReview | null> {
  const [reviews, comments] = await Promise.all([
    listReviews(github, reference),
    newestComments(github, { reference, atLeast: request.comments.length }),
  ]);
  const found = reviews.findLast((review) => {
    const sameReview = review.commit_id === request.commit && sameText(review.body, capped(request.body));
    if (!sameReview || review.state === 'PENDING' || sent.has(Number(review.id))) return false;
    const own = comments.filter((comment) => comment.pull_request_review_id === review.id);
    return request.comments.length === 0 || pairUp(request.comments, own).size > 0;
  });
  if (found !== undefined) return posted(found);
  const others = comments.filter(({ pull_request_review_id: id }) => !sent.has(Number(id)));
  const traces = pairUp(
    request.comments,
    others.filter((comment) => comment.original_commit_id === request.commit),
  );
  if (traces.size > 0) throw new Error('GitHub lists comments of the review and not the review itself.');
  return null;
}

function listReviews(github: GitHub, reference: PullRequestReference): Promise<readonly ListedReview[]> {
  const { owner, repository, number } = reference;
  return github.paginate(github.rest.pulls.listReviews, {
    owner,
    repo: repository,
    pull_number: number,
    per_page: 100,
  });
}

function posted(review: { id: number | bigint; html_url: string }): PostedReview {
  return { id: Number(review.id), url: review.html_url };
}

/** By these words an earlier review of ours is known that said so already. */
export const degradedNote = 'so this review is a comment.';

/**
 * Sends a review, and as a comment when GitHub does not let this identity approve or ask for changes. The refused event is not
 * tried again.
 */
export function degradingEvent({
  send,
  onDegrade,
  isSaid,
}: {
  send: (request: ReviewRequest) => Promise<PostedReview>;
  onDegrade: (degraded: { reason: string }) => void;
  /** True when a bare approval that became a comment has nothing new to say. */
  isSaid: boolean;
}): (request: ReviewRequest) => Promise<PostedReview> {
  let refused: string | null = null;
  const asComment = (request: ReviewRequest, reason: string) => {
    if (isSaid && request.comments.length === 0 && request.event === 'APPROVE') throw new NothingLeftToSay(reason);
    const note = `> GitHub did not accept the ${words[request.event]} (${reason}), ${degradedNote}\n\n`;
    return send({ ...request, event: 'COMMENT', body: `${note}${request.body}` });
  };
  return async (request) => {
    if (request.event === 'COMMENT') return await send(request);
    if (refused !== null) return await asComment(request, refused);
    try {
      return await send(request);
    } catch (error) {
      const refusal = refusalOf(error);
      if (refusal?.kind !== 'event') throw error;
      refused = refusal.reason;
      onDegrade({ reason: `GitHub did not accept the ${words[request.event]}: ${refusal.reason}. It is a comment.` });
      return await asComment(request, refusal.reason);
    }
  };
}

const words: Readonly<Record<PostEvent, string>> = {
  APPROVE: 'approval',
  REQUEST_CHANGES: 'request for changes',
  COMMENT: 'comment',
};
