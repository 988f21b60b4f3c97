import type { Review } from '../../core/review/review.ts';
import type { ReviewPost } from '../../core/review/review-post.ts';
import type { Delivered, Delivery, Sink } from '../../core/review/sink.ts';
import type { GitHub } from './client.ts';
import { type FileResults, postFileComments } from './file-comments.ts';
import type { PullRequestReference } from './get-pull.ts';
import { type Placed, placeComments } from './place-comments.ts';
import { reviewSender } from './post-review.ts';
import { inlineDeliveries } from './reconcile.ts';
import { describeRefused, describeStop } from './review-troubles.ts';

export type ReviewSinkOptions = {
  readonly github: GitHub;
  readonly reference: PullRequestReference;
  /** Full hash of the reviewed head: comments anchor to it. */
  readonly commit: string;
  /** Null when the review has nothing to say to the pull request. */
  readonly render: (review: Review) => ReviewPost | null;
  readonly currentHead: () => Promise<string | null>;
};

/**
 * Posts one pull request review, once: inline comments, and comments on files. What GitHub refuses is left to the other
 * sinks and explained in the delivery's reason; the rest is still posted.
 */
export function reviewSink(options: ReviewSinkOptions): Sink {
  const name = 'pull request review';
  const nothing = (reason: string): Delivery => ({ sink: name, status: 'skipped', reason, delivered: [], url: null });
  let started = false;
  return {
    name,
    deliver: async (review) => {
      if (started) return nothing('It was posted in this run already.');
      const post = options.render(review);
      if (post === null || isEmpty(post)) return nothing('There is nothing to post.');
      if (options.github.signal.aborted) return nothing('The run was cancelled before anything was posted.');
      started = true;
      return { sink: name, ...(await deliverPost(options, { review, post })) };
    },
  };
}

function isEmpty(post: ReviewPost): boolean {
  return post.body === '' && post.comments.length === 0 && post.fileComments.length === 0;
}

type Work = { readonly review: Review; readonly post: ReviewPost };

async function deliverPost(options: ReviewSinkOptions, { review, post }: Work): Promise<Omit<Delivery, 'sink'>> {
  const { github, reference } = options;
  const movedTo = await newHead(options);
  const placed = await placeComments({ ...post, commit: options.commit }, reviewSender(github, reference));
  const files = await postFileComments(options, { post, placed });
  const inline = await inlineDeliveries(github, { reference, reviews: placed.reviews });
  const delivered = [...inline.delivered, ...files.delivered, ...bodyDeliveries({ review, placed })];
  const stop = placed.stop ?? files.stop;
  const sentences = [
    ...(movedTo === null ? [] : [movedHead({ reviewed: options.commit, movedTo })]),
    ...inline.troubles,
    ...describeRefused(files.refused),
    ...(stop === null ? [] : [describeStop(stop, review.pullRequest)]),
  ];
  return {
    status: statusOf({ placed, files, stop }),
    reason: sentences.length === 0 ? null : sentences.join(' '),
    delivered,
    url: placed.reviews[0]?.review.url ?? files.delivered[0]?.url ?? null,
  };
}

// Whether the head moved is worth a sentence, not the review: without an answer nothing is said.
async function newHead({ currentHead, commit }: ReviewSinkOptions): Promise<string | null> {
  const head = await currentHead().catch(() => null);
  return head === commit ? null : head;
}

function movedHead({ reviewed, movedTo }: { reviewed: string; movedTo: string }): string {
  return `The head moved to ${movedTo.slice(0, 12)} meanwhile; the comments are on ${reviewed.slice(0, 12)}, which was reviewed.`;
}

function bodyDeliveries({ review, placed }: { review: Review; placed: Placed }): readonly Delivered[] {
  const { bodyIn } = placed;
  if (bodyIn === null) return [];
  return review.placements
    .filter(({ place }) => place === 'body')
    .map(({ finding }) => ({ findingId: finding.id, place: 'body', url: bodyIn.url }));
}

function statusOf({
  placed,
  files,
  stop,
}: {
  placed: Placed;
  files: FileResults;
  stop: Placed['stop'];
}): Delivery['status'] {
  if (placed.reviews.length > 0 || files.delivered.length > 0) return 'delivered';
  switch (stop?.kind) {
    case undefined:
    case 'anchor':
    case 'permission':
    case 'pending':
      return 'refused';
    case 'cancelled':
      return 'skipped';
    case 'uncertain':
    case 'other':
      return 'failed';
  }
}
