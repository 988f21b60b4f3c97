import type { RunIdentity } from '../../core/memory/run-identity.ts';
import type { Review } from '../../core/review/review.ts';
import type { ReviewPost } from '../../core/review/review-post.ts';
import type { Delivered, Delivery, Sink } from '../../core/review/sink.ts';
import type { GitHub } from './client.ts';
import { degradedNote, degradingEvent } from './degrade-event.ts';
import { ownReviews, settleRequests } from './earlier-verdicts.ts';
import { type FileResults, postFileComments } from './file-comments.ts';
import type { PullRequestReference } from './get-pull.ts';
import { messageOf } from './github-answer.ts';
import { type Placed, placeComments } from './place-comments.ts';
import { reviewSender } from './post-review.ts';
import { withoutPosted } from './posted-since.ts';
import type { Discussion } from './read-discussion.ts';
import { inlineDeliveries } from './reconcile.ts';
import { describeRefused, describeStop } from './review-troubles.ts';
import { type Withdrawn, withdrawDoubles } from './withdraw.ts';

export type ReviewSinkOptions = {
  readonly github: GitHub;
  readonly reference: PullRequestReference;
  readonly identity: RunIdentity;
  /** Full hash of the reviewed head: comments anchor to it. */
  readonly commit: string;
  /** Whether this run has a key: see `MarkKeys`. */
  readonly signs: boolean;
  /** Null when the review has nothing to say to the pull request. */
  readonly render: (review: Review) => ReviewPost | null;
  readonly currentHead: () => Promise<string | null>;
  /** Why what was reviewed may not be approved by now, asked right before it is; null when it may. */
  readonly whyNotApprove: () => Promise<string | null>;
  /** What stands on the pull request by now. */
  readonly look: () => Promise<Discussion>;
  /** Whether an earlier request for changes still has a reason. */
  readonly blocking: (review: Review) => boolean;
};

type Result = Omit<Delivery, 'sink'>;

/**
 * Posts one pull request review, once: inline comments, and comments on files. What GitHub refuses is left to the other
 * sinks and explained in the delivery's reason; the rest is still posted.
 */
export function reviewSink(options: ReviewSinkOptions): Sink {
  const name = 'pull request review';
  let started = false;
  return {
    name,
    deliver: async (review) => {
      if (started) return { sink: name, ...nothing(['It was posted in this run already.']) };
      if (options.github.signal.aborted) {
        return { sink: name, ...nothing(['The run was cancelled before anything was posted.']) };
      }
      started = true;
      const settled = await settleRequests(options, review);
      const result = await deliverPost(options, review);
      const reason = [result.reason ?? '', ...settled].filter((sentence) => sentence !== '').join(' ');
      return { sink: name, ...result, reason: reason === '' ? null : reason };
    },
  };
}

function nothing(reasons: readonly string[], delivered: readonly Delivered[] = []): Result {
  const status = delivered.length === 0 ? 'skipped' : 'delivered';
  return { status, reason: reasons.join(' '), delivered, url: null };
}

async function deliverPost(options: ReviewSinkOptions, review: Review): Promise<Result> {
  const whole = options.render(review);
  if (whole === null || isEmpty(whole)) return nothing(['There is nothing to post.']);
  const held = whole.event === 'APPROVE' ? await options.whyNotApprove() : null;
  const rendered = held === null ? whole : unapproved(whole, held);
  const { pullRequest } = review;
  if (pullRequest === null || isApprovedAlready(options, { review, post: rendered })) {
    return nothing(['This commit is approved already.']);
  }
  const [discussion, movedTo] = await Promise.all([look(options), newHead(options)]);
  if (typeof discussion === 'string') return { ...nothing([discussion]), status: 'failed' };
  const findings = review.placements.map(({ finding }) => finding);
  const { signs, identity } = options;
  const now = { pullRequest, discussion, name: identity.name, signs, findings };
  const { post, delivered } = withoutPosted(rendered, now);
  const comments = post.comments.length + post.fileComments.length;
  if (delivered.length > 0 && comments + post.bodyFindings.length === 0) {
    return nothing(['Another run posted the same on this commit.'], delivered);
  }
  const result = await send(options, { review, post, discussion });
  const moved = movedTo === null || held !== null ? [] : [movedHead({ reviewed: options.commit, movedTo })];
  const sentences = [
    ...(held === null ? [] : [`Not approved: ${held}`]),
    ...moved,
    ...(result.reason === null ? [] : [result.reason]),
  ];
  return {
    ...result,
    delivered: [...delivered, ...result.delivered],
    reason: sentences.length === 0 ? null : sentences.join(' '),
  };
}

/** What was found is said, and approved is nothing: the pull request is not the one that was reviewed. */
function unapproved(post: ReviewPost, why: string): ReviewPost {
  return { ...post, event: 'COMMENT', body: `> Not approved: ${why}\n\n${post.body}` };
}

function isEmpty(post: ReviewPost): boolean {
  return post.body === '' && post.comments.length === 0 && post.fileComments.length === 0;
}

function isApprovedAlready(
  { identity, commit }: ReviewSinkOptions,
  { review, post }: { readonly review: Review; readonly post: ReviewPost },
): boolean {
  if (post.event !== 'APPROVE') return false;
  const own = ownReviews(review.pullRequest?.reviews ?? [], identity.name);
  return own.some((earlier) => earlier.state === 'APPROVED' && earlier.commit === commit);
}

/** What stands there, or why it cannot be seen: then nothing is posted, because it might be there already. */
async function look({ look }: ReviewSinkOptions): Promise<Discussion | string> {
  try {
    return await look();
  } catch (error) {
    return `Could not read the existing comments (${messageOf(error)}). Posted nothing, to avoid duplicates.`;
  }
}

// Whether the head moved is worth a sentence, not the review: without an answer nothing is said.
async function newHead({ currentHead, commit }: ReviewSinkOptions): Promise<string | null> {
  const head = await currentHead().catch(() => null);
  return head === commit ? null : head;
}

function movedHead({ reviewed, movedTo }: { reviewed: string; movedTo: string }): string {
  return `The head moved to ${movedTo.slice(0, 12)} meanwhile; the comments are on ${reviewed.slice(0, 12)}, which was reviewed.`;
}

type Sending = { readonly review: Review; readonly post: ReviewPost; readonly discussion: Discussion };

async function send(options: ReviewSinkOptions, { review, post, discussion }: Sending): Promise<Result> {
  const { github, reference, identity } = options;
  const degraded: string[] = [];
  const own = ownReviews(discussion.reviews, identity.name);
  const sender = degradingEvent({
    send: reviewSender(github, reference),
    onDegrade: ({ reason }) => degraded.push(reason),
    isSaid: own.some(({ body }) => body.includes(degradedNote)),
  });
  const placed = await placeComments({ ...post, commit: options.commit }, sender);
  const files = await postFileComments(options, { post, placed });
  const inline = await inlineDeliveries(github, { reference, reviews: placed.reviews });
  const stop = placed.stop ?? files.stop;
  const posted = placed.reviews.length + files.delivered.length > 0;
  const doubled = posted ? await withdrawn(options, review) : null;
  const sentences = [
    ...degraded,
    ...inline.troubles,
    ...describeRefused(files.refused),
    ...(stop === null ? [] : [describeStop(stop, review.pullRequest)]),
    ...(doubled === null ? [] : [doubled.sentence]),
  ];
  return {
    status: posted ? 'delivered' : statusOf(stop),
    reason: sentences.length === 0 ? null : sentences.join(' '),
    delivered: [...inline.delivered, ...files.delivered, ...bodyDeliveries(post, placed)].map((one) =>
      doubled?.comments.has(one.url ?? '') === true ? { ...one, url: doubled.winner } : one,
    ),
    url: placed.reviews[0]?.review.url ?? files.delivered[0]?.url ?? null,
  };
}

async function withdrawn(options: ReviewSinkOptions, { pullRequest }: Review): Promise<Withdrawn | null> {
  const discussion = await look(options);
  if (typeof discussion === 'string' || pullRequest === null || options.github.signal.aborted) return null;
  return await withdrawDoubles({ ...options, pullRequest, discussion });
}

function bodyDeliveries({ bodyFindings }: ReviewPost, { bodyIn }: Placed): readonly Delivered[] {
  if (bodyIn === null) return [];
  return bodyFindings.map((findingId) => ({ findingId, place: 'body', url: bodyIn.url }));
}

function statusOf(stop: FileResults['stop']): Delivery['status'] {
  switch (stop?.kind) {
    case undefined:
    case 'anchor':
    case 'event':
    case 'permission':
    case 'pending':
      return 'refused';
    case 'cancelled':
      return 'skipped';
    case 'time':
    case 'uncertain':
    case 'other':
      return 'failed';
  }
}
