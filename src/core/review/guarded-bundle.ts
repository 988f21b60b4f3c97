import type { Bundle } from '../bundles/bundle.ts';
import { explain } from '../errors.ts';
import { noMetrics } from './metrics.ts';
import type { BundleReview } from './review-bundle.ts';

/** A defect of ours in one bundle is told like a failure of the model's, and the other bundles go on. */
export async function guarded(bundle: Bundle, run: () => Promise<BundleReview>): Promise<BundleReview> {
  try {
    return await run();
  } catch (error) {
    const message = explain(error);
    return {
      report: {
        name: bundle.name,
        paths: bundle.files.map(({ file }) => file.path),
        stop: { reason: 'model-failed', message, hint: 'This is a defect of Postil; please report it.' },
        reviewed: false,
        gap: message,
        approval: null,
        nonSpecificReview: null,
        rawFreeText: null,
        followUp: null,
        metrics: noMetrics,
      },
      findings: [],
      refused: [],
      dismissed: [],
    };
  }
}
