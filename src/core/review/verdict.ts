import type { Settings } from '../settings/settings.ts';
import { atLeast } from '../settings/severity.ts';
import { countFindings } from './headline.ts';
import type { Review } from './review.ts';

/** What a run comes to for the one who started it: a job fails or warns, the command line exits with a code. */
export type Verdict =
  | { readonly kind: 'fine' }
  | { readonly kind: 'warn'; readonly message: string }
  | { readonly kind: 'findings'; readonly message: string }
  | { readonly kind: 'failed'; readonly message: string };

/** `failed`, and a finding at or above `fail-on`, fail the job; `partial` warns (DESIGN section 5). Refused findings do not count. */
export function verdictOf(review: Review, failOn: Settings['failOn']): Verdict {
  if (review.outcome === 'failed') return { kind: 'failed', message: review.headline };
  const findings = review.placements.filter(({ place }) => place !== 'suppressed').map(({ finding }) => finding);
  const severe = failOn === 'never' ? [] : findings.filter((finding) => atLeast(finding.severity, failOn));
  if (severe.length > 0) {
    return {
      kind: 'findings',
      message: `${countFindings(severe)} at or above \`fail-on: ${failOn}\`. ${review.headline}`,
    };
  }
  return review.outcome === 'partial' ? { kind: 'warn', message: review.headline } : { kind: 'fine' };
}
