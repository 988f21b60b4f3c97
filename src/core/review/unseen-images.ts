import type { SkippedFile } from './review.ts';
import type { BundleReview } from './review-bundle.ts';
import type { Vision } from './vision.ts';

export type UnseenImages = {
  /** Images that should have been looked at and were not. */
  readonly files: readonly SkippedFile[];
  /** The same for people, one for each cause; empty when there are none. */
  readonly sentences: readonly string[];
};

/**
 * Images that no limit let through, and those of reviewed bundles that no answered call had before it: a review that did not see them must not
 * count as theirs.
 */
export function unseenImages(vision: Vision | null, bundles: readonly BundleReview[]): UnseenImages {
  if (vision === null) return { files: [], sentences: [] };
  const missed = new Map(vision.missed.map(({ path, reason }) => [path, { path, reason }]));
  const unreviewed = new Set(bundles.flatMap(({ report }) => (report.reviewed ? [] : report.paths)));
  const unsent = vision.files.filter(
    ({ path }) => !missed.has(path) && !unreviewed.has(path) && !vision.changed.get(path)?.every(vision.wasSeen),
  );
  return {
    files: [...missed.values(), ...unsent.map(({ path }) => ({ path, reason: 'its images did not reach the model' }))],
    sentences: [...sentenceOfMissed([...missed.values()]), ...sentenceOfUnsent(unsent.length)],
  };
}

function sentenceOfMissed(missed: readonly SkippedFile[]): readonly string[] {
  if (missed.length === 0) return [];
  const limits = [...new Set(missed.map(({ reason }) => reason))];
  return [
    `${counted(missed.length)} ${missed.length === 1 ? 'was' : 'were'} not shown in full: ${limits.join(', and ')}.`,
  ];
}

function sentenceOfUnsent(count: number): readonly string[] {
  if (count === 0) return [];
  return [
    `The model was asked about ${counted(count)} without seeing them: its server takes no images, or its context had no room.`,
  ];
}

function counted(images: number): string {
  return images === 1 ? '1 changed image' : `${images} changed images`;
}

/** States of shown files that are not shown themselves, one sentence each. */
export function visionNotes(vision: Vision | null): readonly string[] {
  if (vision === null) return [];
  return vision.unshown.flatMap(({ path, reason }) => (vision.changed.has(path) ? [`${path} ${reason}.`] : []));
}
