import type { ReviewEvent } from '../../core/review/review-post.ts';
import type { PostedReview } from './place-comments.ts';
import { NothingLeftToSay, refusalOf } from './refusal.ts';
import type { ReviewRequest } from './review-request.ts';

export type Degraded = { readonly reason: string };

/** By these words an earlier review of ours is known that said so already. */
export const degradedNote = 'so this review is a comment.';

type Sending = {
  readonly send: (request: ReviewRequest) => Promise<PostedReview>;
  readonly onDegrade: (degraded: Degraded) => void;
  /** True when a bare approval that became a comment has nothing new to say. */
  readonly isSaid: boolean;
};

/**
 * Sends a review, and as a comment when GitHub does not let this identity approve or ask for changes (FAILURES P4). The refused event is not
 * tried again.
 */
export function degradingEvent({
  send,
  onDegrade,
  isSaid,
}: Sending): (request: ReviewRequest) => Promise<PostedReview> {
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

const words: Readonly<Record<ReviewEvent, string>> = {
  APPROVE: 'approval',
  REQUEST_CHANGES: 'request for changes',
  COMMENT: 'comment',
};
