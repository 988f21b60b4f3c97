import type { StopReason } from '../agent/event.ts';
import { sentenceFor } from '../agent/stop-reason.ts';
import type { Bundle } from '../bundles/bundle.ts';
import { explain } from '../errors.ts';
import { noMetrics } from './metrics.ts';
import type { BundleReport } from './review.ts';
import type { BundleReview } from './review-bundle.ts';

/** A defect of ours in one batch is reported like a failure of the model's, and the other batches go on. */
export async function guarded(bundle: Bundle, run: () => Promise<BundleReview>): Promise<BundleReview> {
  try {
    return await run();
  } catch (error) {
    const message = explain(error);
    const stop = { reason: 'model-failed', message, hint: 'This is a defect of Postil; please report it.' } as const;
    return unreviewed(bundle, { stop, gap: message });
  }
}

/** A batch that a limit left out, or that came after a cancel. */
export function notStarted(bundle: Bundle, stop: StopReason): BundleReview {
  return unreviewed(bundle, { stop, gap: sentenceFor(stop) });
}

function unreviewed(bundle: Bundle, { stop, gap }: Pick<BundleReport, 'stop' | 'gap'>): BundleReview {
  return {
    report: {
      name: bundle.name,
      paths: bundle.files.map(({ file }) => file.path),
      stop,
      reviewed: false,
      gap,
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
