import type { Delivered } from '../../core/review/sink.ts';
import type { GitHub } from './client.ts';
import type { PullRequestReference } from './get-pull.ts';
import type { Placed } from './place-comments.ts';
import { newestComments, type PostedComment, pairUp } from './posted-comments.ts';

export type InlineDeliveries = { readonly delivered: readonly Delivered[]; readonly troubles: readonly string[] };

/** Which of the posted comments GitHub really shows, and where. Without a list, what it accepted counts as delivered. */
export async function inlineDeliveries(
  github: GitHub,
  { reference, reviews }: { readonly reference: PullRequestReference; readonly reviews: Placed['reviews'] },
): Promise<InlineDeliveries> {
  const sent = reviews.reduce((sum, { request }) => sum + request.comments.length, 0);
  if (sent === 0) return { delivered: [], troubles: [] };
  const listed = await newestComments(github, { reference, atLeast: sent }).catch(() => []);
  const results = reviews.map((posted) => deliveriesOf(posted, listed));
  const missing = results.reduce((sum, result) => sum + result.missing, 0);
  return {
    delivered: results.flatMap((result) => result.delivered),
    troubles: missing === 0 ? [] : [`GitHub accepted ${sent} comments and does not show ${missing} of them.`],
  };
}

function deliveriesOf({ review, request }: Placed['reviews'][number], listed: readonly PostedComment[]) {
  const own = listed.filter((comment) => comment.pull_request_review_id === review.id);
  const pairs = pairUp(request.comments, own);
  // GitHub may alter a text: only when the number is short, too, is a comment without its twin really missing.
  const allThere = own.length === 0 || own.length >= request.comments.length;
  const there = request.comments.filter((comment) => allThere || pairs.has(comment));
  return {
    delivered: there.flatMap((comment) =>
      comment.findingIds.map(
        (findingId): Delivered => ({
          findingId,
          place: 'inline',
          url: pairs.get(comment)?.html_url ?? review.url,
        }),
      ),
    ),
    missing: request.comments.length - there.length,
  };
}
