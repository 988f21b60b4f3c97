import { type CommentFor, type IgnoredFinding, obeyComments } from '../rules/obey-comments.ts';
import type { BundleReview } from './review-bundle.ts';

/** Takes out of the bundles what the model found by name of a rule where a comment keeps that rule from being raised. */
export function obeyInBundles(
  reviews: readonly BundleReview[],
  commentFor: CommentFor,
): { readonly bundles: readonly BundleReview[]; readonly ignored: readonly IgnoredFinding[] } {
  const obeyed = reviews.map((bundle) => ({ bundle, ...obeyComments(bundle.findings, commentFor) }));
  return {
    bundles: obeyed.map(({ bundle, raised }) => ({ ...bundle, findings: raised })),
    ignored: obeyed.flatMap(({ ignored }) => ignored),
  };
}
