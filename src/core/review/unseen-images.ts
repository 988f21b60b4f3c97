import type { SkippedFile } from './review.ts';
import type { BundleReview } from './review-bundle.ts';
import type { Vision } from './vision.ts';

export type UnseenImages = {
  /** Images that should have been looked at and were not. */
  readonly files: readonly SkippedFile[];
  /** The same for people, in one sentence; empty when there are none. */
  readonly sentences: readonly string[];
};

/** Images of reviewed bundles that no answered call had before it: a review that did not see them must not count as theirs. */
export function unseenImages(vision: Vision | null, bundles: readonly BundleReview[]): UnseenImages {
  if (vision === null) return { files: [], sentences: [] };
  const unreviewed = new Set(bundles.flatMap(({ report }) => (report.reviewed ? [] : report.paths)));
  const unseen = vision.files.filter(
    ({ path }) => !unreviewed.has(path) && !vision.changed.get(path)?.every(vision.wasSeen),
  );
  if (unseen.length === 0) return { files: [], sentences: [] };
  const count = unseen.length === 1 ? '1 changed image' : `${unseen.length} changed images`;
  return {
    files: unseen.map(({ path }) => ({ path, reason: 'its images did not reach the model' })),
    sentences: [
      `The model was asked about ${count} without seeing them: its server takes no images, or its context had no room.`,
    ],
  };
}

/** States of shown files that are not shown themselves, one sentence each. */
export function visionNotes(vision: Vision | null): readonly string[] {
  if (vision === null) return [];
  return vision.unshown.flatMap(({ path, reason }) => (vision.changed.has(path) ? [`${path} ${reason}.`] : []));
}
