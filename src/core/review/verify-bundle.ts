import type { ReviewEvent } from '../reporter.ts';
import type { BundlesContext } from './bundles-context.ts';
import { groundSources } from './ground-sources.ts';
import { addMetrics } from './metrics.ts';
import type { DismissedFinding } from './review.ts';
import type { BundleReview } from './review-bundle.ts';
import type { PassedReview } from './review-in-passes.ts';
import { onlyOnce, verifyFindings } from './verify-findings.ts';

type Checked = { readonly review: BundleReview; readonly note: string | null };

/** The bundle's review with what a verification makes of its findings. Without a verifier the passes' agreement alone decides. */
export async function verifyBundle({ review, once }: PassedReview, context: BundlesContext): Promise<Checked> {
  const { verifier, report } = context;
  const bundle = review.report.name;
  const dismiss = (dismissed: readonly DismissedFinding[]) => reportDismissed(dismissed, { bundle, report });
  if (verifier === null) {
    const dismissed = review.findings
      .filter(({ id }) => once.has(id))
      .map((finding) => ({ finding, reason: onlyOnce, by: 'verification' }) as const);
    dismiss(dismissed);
    const findings = review.findings.filter(({ id }) => !once.has(id));
    return { review: { ...review, findings, dismissed: [...review.dismissed, ...dismissed] }, note: null };
  }
  if (review.findings.length === 0) return { review, note: null };
  // What a verifier sees, the review did not see.
  const { onImagesSeen: _onImagesSeen, ...agent } = context.agent;
  const { findings, dismissed, metrics, ...verified } = await verifyFindings(review.findings, {
    agent: {
      ...agent,
      ...verifier,
      emit: (event) => report({ type: 'agent-event', bundle, event }),
    },
    sources: groundSources(context.repository, context),
    imagesOf: (path) => context.vision?.changed.get(path) ?? [],
    head: context.pullRequest.head.sha,
    language: context.language,
    mustConfirm: once,
  });
  dismiss(dismissed);
  report({ type: 'verification-end', bundle, ...verified, dismissed: dismissed.length });
  const withMetrics = { ...review.report, metrics: addMetrics(review.report.metrics, metrics) };
  const all = [...review.dismissed, ...dismissed];
  return { review: { ...review, report: withMetrics, findings, dismissed: all }, note: verified.note };
}

/** Each is reported where it happens. */
export function reportDismissed(
  dismissed: readonly DismissedFinding[],
  { bundle, report }: { readonly bundle: string; readonly report: (event: ReviewEvent) => void },
): void {
  for (const { finding, reason } of dismissed) {
    report({ type: 'finding-dismiss', bundle, title: finding.title, place: placeOf(finding), reason });
  }
}

function placeOf({ path, anchor }: DismissedFinding['finding']): string {
  return anchor.kind === 'lines' ? `${path}:${anchor.startLine}` : path;
}
