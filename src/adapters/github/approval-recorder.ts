import { distinctMessages, type Message } from '../../core/messages/message.ts';
import type { Translator } from '../../core/messages/translator.ts';
import type { PostedReview } from '../../core/pull-request/pull-request.ts';
import { bearsOutApproval, standingApprovals } from '../../core/review/approval.ts';
import type { Review } from '../../core/review/review.ts';
import { type Delivery, type Destination, deliveryOf } from '../../core/review/sink.ts';
import { capitalised } from '../../core/text.ts';
import { messageOf } from './answers.ts';
import { dismiss } from './own-reviews.ts';
import type { GitHubSession } from './pull.ts';

export type ApprovalOptions = {
  /** Null where the settings could not be read. */
  readonly name: string | null;
  /** This run, as our marks name it. */
  readonly run: string;
  /** The reviews as this run began; null when they could not be read. */
  readonly known: readonly PostedReview[] | null;
  /** Whether this run may approve: then others of its kind may have done so meanwhile. */
  readonly mayApprove: boolean;
  /** The reviews as they are now. */
  readonly look: () => Promise<readonly PostedReview[]>;
  /** In the language of the pull request. */
  readonly t: Translator;
  /** Why what was reviewed may no longer be approved; null when it may. */
  readonly whyNotApprove: () => Promise<Message | null>;
};

type ApprovalWork = GitHubSession & ApprovalOptions;

/**
 * An approval of ours holds for one head and for all of it. It runs on every way out of a job, after what was posted and before what tells of it:
 * when the run did not end in an approval, or the pull request changed in between, the approvals of ours that stand are dismissed.
 */
export function keptApproval(session: GitHubSession, given: ApprovalOptions): Destination {
  const options = { ...session, ...given };
  return { name: 'approval', deliver: ({ review }) => settle(options, review) };
}

async function settle(options: ApprovalWork, review: Review): Promise<Delivery> {
  const { github, known, mayApprove, reference } = options;
  const before = standingApprovals(known ?? [], options);
  if (known !== null && before.length === 0 && !mayApprove) return deliveryOf(sink, 'skipped');
  const now = github.signal.aborted ? before : await standingNow(options, before);
  if ('unknown' in now) return deliveryOf(sink, mayApprove ? 'failed' : 'skipped', now.unknown);
  const why = github.signal.aborted ? notApproved : await whyDismissed(options, { review, standing: now });
  if (why === null || now.length === 0) return deliveryOf(sink, 'skipped');
  const message = capitalised(options.t(why));
  const troubles: Message[] = [];
  if (github.signal.aborted) {
    // All at once: the files are still to be written.
    const all = now
      .slice(0, atOnceWhenCancelled)
      .map((review) => dismiss({ github: options.lastWords(), reference }, { review, message }));
    troubles.push(...(await Promise.all(all)).flat());
  } else {
    for (const one of now) troubles.push(...(await dismiss(options, { review: one, message })));
  }
  if (troubles.length > 0) return deliveryOf(sink, 'refused', [...distinctMessages(troubles), byHand(now)]);
  return deliveryOf(sink, 'delivered', { code: 'delivery.approval-dismissed', why });
}

/** A cancelled run has seconds: the latest approval is the one that counts. */
const atOnceWhenCancelled = 3;
const notApproved = { code: 'approval.not-approved-later' } as const;
const sink = 'approval';

/** What stands now, or why that cannot be found out. What stood as the run began is dismissed without another look. */
async function standingNow(
  options: ApprovalWork,
  before: readonly PostedReview[],
): Promise<readonly PostedReview[] | { readonly unknown: readonly Message[] }> {
  try {
    return standingApprovals(await options.look(), options);
  } catch (error) {
    if (before.length > 0) return before;
    const why = messageOf(error);
    return { unknown: [{ code: 'delivery.approval-unknown', why }, { code: 'delivery.look-and-dismiss' }] };
  }
}

/** Null when the approval on the reviewed head holds. */
async function whyDismissed(
  { whyNotApprove, mayApprove }: ApprovalWork,
  { review, standing }: { review: Review; standing: readonly PostedReview[] },
): Promise<Message | null> {
  const head = review.pullRequest?.head.sha;
  if (!mayApprove || !bearsOutApproval(review) || !standing.some(({ commit }) => commit === head)) return notApproved;
  return await whyNotApprove();
}

function byHand(standing: readonly PostedReview[]): Message {
  const urls = standing.flatMap(({ url }) => url ?? []).slice(0, 3);
  if (urls.length === 0) return { code: 'delivery.dismiss-it' };
  return { code: 'delivery.dismiss-them', urls: urls.join(', ') };
}
