import type { Settings } from '../settings/settings.ts';
import { atLeast } from '../settings/severity.ts';
import { whyNotComplete } from './complete.ts';
import { countFindings } from './headline.ts';
import type { ReviewRecord } from './sink.ts';

/** What a run comes to for the one who started it: a job fails or warns, the command line exits with a code. */
export type Verdict =
  | { readonly kind: 'fine' }
  | { readonly kind: 'warn'; readonly message: string }
  | { readonly kind: 'findings'; readonly message: string }
  /** Something was not read or not reviewed, and `require-complete` asks for all. */
  | { readonly kind: 'incomplete'; readonly message: string }
  | { readonly kind: 'failed'; readonly message: string };

/** The settings that decide whether a job fails. */
export type Gate = Pick<Settings, 'failOn' | 'requireComplete' | 'reviewEvent'>;

/** The gate of a job that only hands over: the one that posts fails for both. */
export const openGate: Gate = { failOn: 'never', requireComplete: false, reviewEvent: 'comment' };

/** The name under which approvals of earlier runs are settled. */
export const approvalRecorder = 'approval';

/**
 * `failed`, an approval that should not stand and does, a finding at or above `fail-on`, and with `require-complete` whatever was not reviewed
 * fail the job; `partial` warns, unless all that is missing is known to be no code. Earlier findings that stand count, also when this run
 * reviewed nothing. Declined findings do not count.
 */
export function verdictOf({ review, deliveries }: Pick<ReviewRecord, 'review' | 'deliveries'>, gate: Gate): Verdict {
  if (review.outcome === 'failed') return { kind: 'failed', message: review.headline };
  const left = gate.reviewEvent === 'approve' ? standingApproval(deliveries) : null;
  if (left !== null) return { kind: 'failed', message: `${left} ${review.headline}` };
  const { failOn } = gate;
  const findings = review.placements.filter(({ place }) => place !== 'suppressed').map(({ finding }) => finding);
  const severe = failOn === 'never' ? [] : findings.filter((finding) => atLeast(finding.severity, failOn));
  if (severe.length > 0) {
    return {
      kind: 'findings',
      message: `${countFindings(severe)} at or above \`fail-on: ${failOn}\`. ${review.headline}`,
    };
  }
  const why = gate.requireComplete ? whyNotComplete(review) : null;
  if (why !== null) {
    const reason = review.headline.includes(why) ? review.headline : `${why} ${review.headline}`;
    return { kind: 'incomplete', message: `Not everything was reviewed, and \`require-complete\` is set. ${reason}` };
  }
  const { stop } = review;
  const isHarmless = stop.reason === 'unread' && !stop.files.some(({ code }) => code);
  return review.outcome === 'partial' && !isHarmless ? { kind: 'warn', message: review.headline } : { kind: 'fine' };
}

/** Why an approval that this run does not bear out could not be dismissed; null when none stands. */
function standingApproval(deliveries: ReviewRecord['deliveries']): string | null {
  const trouble = deliveries.find(({ sink, status }) => {
    return sink === approvalRecorder && (status === 'failed' || status === 'refused');
  });
  return trouble === undefined ? null : (trouble.reason ?? 'An earlier approval could not be dismissed.');
}
