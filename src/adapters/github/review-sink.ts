import { readMarks } from '../../core/history/mark.ts';
import type { RunIdentity } from '../../core/history/memory.ts';
import type { Message } from '../../core/messages/message.ts';
import type { Translator } from '../../core/messages/translator.ts';
import type { PostedReview, PullRequest } from '../../core/pull-request/pull-request.ts';
import type { Review, ReviewPost } from '../../core/review/review.ts';
import { type Delivered, type Delivery, type Destination, messagesOf } from '../../core/review/sink.ts';
import { messageOf } from './answers.ts';
import type { GitHub, Refusal } from './client.ts';
import type { Discussion } from './discussion.ts';
import { ownReviews, settleRequests, type Withdrawn, withdrawDoubles, withoutPosted } from './own-reviews.ts';
import { type Demoted, type FileResults, type Placed, placeComments, postFileComments } from './place-comments.ts';
import { degradingEvent, newestComments, type PostedComment, pairUp, reviewSender } from './posted.ts';
import type { GitHubSession, PullRequestReference } from './pull.ts';
import { reopenReturned } from './threads.ts';

type PostOptions = {
  readonly identity: RunIdentity;
  /** Full hash of the reviewed head: comments anchor to it. */
  readonly commit: string;
  /** Whether this run has a key: see `MarkKeys`. */
  readonly signs: boolean;
  /** Null when the review has nothing to say to the pull request. */
  readonly render: (review: Review) => ReviewPost | null;
  readonly currentHead: () => Promise<string | null>;
  /** Why what was reviewed may no longer be approved, asked right before it is; null when it may. */
  readonly whyNotApprove: () => Promise<Message | null>;
  /** What stands on the pull request now. */
  readonly look: () => Promise<Discussion>;
  /** Whether an earlier request for changes still has a reason. */
  readonly blocking: (review: Review) => boolean;
  /** In the language of the pull request. */
  readonly t: Translator;
};

type PostWork = GitHubSession & PostOptions;

type Result = Omit<Delivery, 'sink'>;

/**
 * Posts one pull request review, once: inline comments, and comments on files. What GitHub refuses is left to the other
 * destinations and explained in the delivery's reason; the rest is still posted.
 */
export function pullRequestReview(session: GitHubSession, given: PostOptions): Destination {
  const options = { ...session, ...given };
  const name = 'pull request review';
  let started = false;
  return {
    name,
    deliver: async ({ review: composed }) => {
      if (started) return { sink: name, ...nothing({ code: 'delivery.posted-already' }) };
      if (options.github.signal.aborted) {
        return { sink: name, ...nothing({ code: 'delivery.cancelled-before' }) };
      }
      started = true;
      const { review, trouble } = await reopenReturned(composed, options);
      const settled = await settleRequests(options, review);
      const result = await deliverPost(options, review);
      return { sink: name, ...result, reason: messagesOf(result.reason, trouble, settled) };
    },
  };
}

function nothing(reason: Message, delivered: readonly Delivered[] = []): Result {
  const status = delivered.length === 0 ? 'skipped' : 'delivered';
  return { status, reason: [reason], delivered, url: null };
}

async function deliverPost(options: PostWork, review: Review): Promise<Result> {
  const whole = options.render(review);
  if (whole === null || isEmpty(whole)) return nothing({ code: 'delivery.nothing' });
  const held = whole.event === 'APPROVE' ? await options.whyNotApprove() : null;
  const rendered = held === null ? whole : unapproved(whole, { why: held, t: options.t });
  const { pullRequest } = review;
  if (pullRequest === null || isApprovedAlready(options, { review, post: rendered })) {
    return { ...nothing({ code: 'delivery.approved-already' }), approved: true };
  }
  const [discussion, movedTo] = await Promise.all([look(options), newHead(options)]);
  if ('code' in discussion) return { ...nothing(discussion), status: 'failed' };
  const { signs, identity } = options;
  const now = { pullRequest, discussion, name: identity.name, signs, findings: review.findings };
  const { post, delivered } = withoutPosted(rendered, now);
  const comments = post.comments.length + post.fileComments.length;
  if (delivered.length > 0 && comments + post.bodyFindings.length === 0) {
    return nothing({ code: 'delivery.posted-by-other' }, delivered);
  }
  const result = await send(options, { review, post, discussion });
  const moved = movedTo === null ? null : movedHead({ reviewed: options.commit, movedTo });
  return {
    ...result,
    delivered: [...delivered, ...result.delivered],
    reason: messagesOf(held === null ? moved : { code: 'approval.withheld', why: held }, result.reason),
    ...(held === null ? {} : { withheld: true }),
  };
}

/** What was found is said, and approved is nothing: the pull request is not the one that was reviewed. */
function unapproved(post: ReviewPost, { why, t }: { why: Message; t: Translator }): ReviewPost {
  return { ...post, event: 'COMMENT', body: `> ${t({ code: 'approval.withheld', why })}\n\n${post.body}` };
}

function isEmpty(post: ReviewPost): boolean {
  return post.body === '' && post.comments.length === 0 && post.fileComments.length === 0;
}

function isApprovedAlready(
  { identity, commit }: PostWork,
  { review, post }: { review: Review; post: ReviewPost },
): boolean {
  if (post.event !== 'APPROVE') return false;
  const own = ownReviews(review.pullRequest?.reviews ?? [], identity.name);
  return own.some((earlier) => earlier.state === 'APPROVED' && earlier.commit === commit);
}

/** What stands there, or why it cannot be seen: then nothing is posted, because it might be there already. */
async function look({ look }: PostWork): Promise<Discussion | Message> {
  try {
    return await look();
  } catch (error) {
    return { code: 'delivery.unreadable-comments-because', why: messageOf(error) };
  }
}

// Whether the head moved is worth a sentence, not the review: without an answer nothing is said.
async function newHead({ currentHead, commit }: PostWork): Promise<string | null> {
  const head = await currentHead().catch(() => null);
  return head === commit ? null : head;
}

function movedHead({ reviewed, movedTo }: { reviewed: string; movedTo: string }): Message {
  return { code: 'delivery.head-moved', now: movedTo.slice(0, 12), commit: reviewed.slice(0, 12) };
}

async function send(
  options: PostWork,
  { review, post, discussion }: { review: Review; post: ReviewPost; discussion: Discussion },
): Promise<Result> {
  const { github, reference, identity } = options;
  const degraded: Message[] = [];
  const own = ownReviews(discussion.reviews, identity.name);
  const sender = degradingEvent(reviewSender(github, reference), {
    onDegrade: (reason) => degraded.push(reason),
    isSaid: own.some(wasDegraded),
    t: options.t,
  });
  const placed = await placeComments({ ...post, commit: options.commit }, { send: sender, t: options.t });
  const files = await postFileComments(options, { post, placed });
  const inline = await inlineDeliveries(github, { reference, reviews: placed.reviews });
  const stop = placed.stop ?? files.stop;
  const posted = placed.reviews.length + files.delivered.length > 0;
  const doubled = posted ? await withdrawn(options, review) : null;
  const stopped = stop === null ? null : describeStop(stop, review.pullRequest);
  return {
    status: posted ? 'delivered' : statusOf(stop),
    ...(post.event === 'APPROVE' && placed.reviews.length > 0 && degraded.length === 0 ? { approved: true } : {}),
    reason: messagesOf(degraded, inline.trouble, describeRefused(files.refused), stopped, doubled?.sentence ?? null),
    delivered: [...inline.delivered, ...files.delivered, ...bodyDeliveries(post, placed)].map((one) =>
      doubled?.comments.has(one.url ?? '') === true ? { ...one, url: doubled.winner } : one,
    ),
    url: placed.reviews[0]?.review.url ?? files.delivered[0]?.url ?? null,
  };
}

/** Its mark says more than GitHub took. */
function wasDegraded({ state, body }: PostedReview): boolean {
  return state === 'COMMENTED' && readMarks(body).some((mark) => mark.kind === 'review' && mark.event !== 'COMMENT');
}

async function withdrawn(options: PostWork, { pullRequest }: Review): Promise<Withdrawn | null> {
  const discussion = await look(options);
  if ('code' in discussion || pullRequest === null || options.github.signal.aborted) return null;
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

const namedAtMost = 5;

/** The comments that GitHub did not take where they belong, in one sentence. */
function describeRefused(refused: readonly Demoted[]): Message | null {
  if (refused.length === 0) return null;
  const named = refused.slice(0, namedAtMost).map(({ path, line, reason, onFile }): Message => {
    const place = line === null ? path : `${path}:${line}`;
    return { code: onFile ? 'delivery.place-on-file' : 'delivery.place', place, why: reason };
  });
  const rest = refused.length - namedAtMost;
  const more: readonly Message[] = rest > 0 ? [{ code: 'list.and-more', count: rest }] : [];
  return { code: 'delivery.comments-refused', count: refused.length, places: [...named, ...more] };
}

/** Why writing ended early, and what to do about it. */
export function describeStop({ kind, reason }: Refusal, pullRequest: PullRequest | null): readonly Message[] {
  switch (kind) {
    case 'permission':
      return [{ code: 'delivery.not-permitted', why: reason }, permissionHint(pullRequest)];
    case 'pending':
      return [{ code: 'delivery.pending-review', why: reason }];
    case 'cancelled':
      return [{ code: 'delivery.cancelled' }];
    case 'time':
      return [{ code: 'delivery.not-posted', why: reason }];
    case 'uncertain':
      return [{ code: 'delivery.no-clear-answer', why: reason }];
    case 'anchor':
    case 'event':
    case 'other':
      return [{ code: 'delivery.review-refused', why: reason }];
  }
}

function permissionHint(pullRequest: PullRequest | null): Message {
  if (pullRequest?.author === 'dependabot[bot]') {
    return { code: 'delivery.dependabot-token' };
  }
  if (pullRequest?.fromFork === true) {
    return { code: 'delivery.fork-token' };
  }
  return { code: 'grant.pull-requests' };
}

/** Which of the posted comments GitHub really shows, and where. Without a list, what it accepted counts as delivered. */
async function inlineDeliveries(
  github: GitHub,
  { reference, reviews }: { reference: PullRequestReference; reviews: Placed['reviews'] },
): Promise<{ delivered: readonly Delivered[]; trouble: Message | null }> {
  const sent = reviews.reduce((sum, { request }) => sum + request.comments.length, 0);
  if (sent === 0) return { delivered: [], trouble: null };
  const listed = await newestComments(github, { reference, atLeast: sent }).catch(() => []);
  const results = reviews.map((posted) => deliveriesOf(posted, listed));
  const missing = results.reduce((sum, result) => sum + result.missing, 0);
  return {
    delivered: results.flatMap((result) => result.delivered),
    trouble: missing === 0 ? null : { code: 'delivery.comments-missing', sent: sent, missing: missing },
  };
}

function deliveriesOf({ review, request }: Placed['reviews'][number], listed: readonly PostedComment[]) {
  const own = listed.filter((comment) => comment.pull_request_review_id === review.id);
  const pairs = pairUp(request.comments, own);
  // GitHub may alter a text: only when the number is short, too, is a comment without its twin really missing.
  const allThere = own.length === 0 || own.length >= request.comments.length;
  const there = request.comments.filter((comment) => allThere || pairs.has(comment));
  const delivered = there.flatMap((comment) => {
    const url = pairs.get(comment)?.html_url ?? review.url;
    return comment.findingIds.map((findingId): Delivered => ({ findingId, place: 'inline', url }));
  });
  return { delivered, missing: request.comments.length - there.length };
}
