import type { Bundle } from '../bundles/bundle.ts';
import { halveBundle } from '../bundles/halve-bundle.ts';
import { addMetrics } from './metrics.ts';
import type { BundleReview } from './review-bundle.ts';

/** An eighth of a batch that does not fit is mostly instructions: smaller ones would not fit either. */
const maxHalvings = 3;

/**
 * Reviews a batch whole or, when the model's context cannot hold it, in halves, and these again: three times at most (FAILURES
 * M6). What the attempts took is counted with the first half.
 */
export async function reviewInHalves(
  bundle: Bundle,
  {
    review,
    halvings = maxHalvings,
  }: { readonly review: (bundle: Bundle) => Promise<BundleReview>; readonly halvings?: number },
): Promise<readonly BundleReview[]> {
  const whole = await review(bundle);
  const overflowed = !whole.report.reviewed && whole.report.stop.reason === 'context-overflow';
  const halves = overflowed && halvings > 0 ? halveBundle(bundle) : null;
  if (halves === null) return [whole];
  const parts: BundleReview[] = [];
  for (const half of halves) parts.push(...(await reviewInHalves(half, { review, halvings: halvings - 1 })));
  return parts.map((part, index) => (index === 0 ? withMetricsOf(whole, part) : part));
}

function withMetricsOf(whole: BundleReview, part: BundleReview): BundleReview {
  return { ...part, report: { ...part.report, metrics: addMetrics(whole.report.metrics, part.report.metrics) } };
}
