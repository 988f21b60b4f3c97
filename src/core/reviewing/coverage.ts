import { stopLabel } from '../agent/event.ts';
import type { Finding } from '../findings/finding.ts';
import { distinctMessages, type Message } from '../messages/message.ts';
import type { Selection, UnreadFile } from '../pull-request/select-files.ts';
import type { BatchReview } from '../review/draft.ts';
import type { Coverage, SkippedFile } from '../review/review.ts';
import { type CommentFor, obeyComments } from '../rules/obey-comments.ts';
import type { Vision } from './vision.ts';

type Looked = Pick<Coverage, 'missing' | 'earlier'> & {
  readonly selection: Selection;
  /** What of files that were kept no window showed. */
  readonly cut?: readonly UnreadFile[];
  /** Files whose batch was reviewed without them, or that are in none. */
  readonly unseen?: readonly SkippedFile[];
};

/** A file is reviewed when every batch that holds a part of it was; without batches the rules looked at all. */
export function coverageOf(
  { selection, missing, earlier, cut = [], unseen = [] }: Looked,
  batches: readonly BatchReview[],
): Coverage {
  const gaps = new Map<string, Message>(unseen.map(({ path, reason }) => [path, reason]));
  for (const { report } of batches) {
    if (!report.reviewed) for (const path of report.paths) gaps.set(path, stopLabel(report.stop));
  }
  for (const file of selection.kept) {
    if (file.hunks.length === 0 && file.incomplete !== null) gaps.set(file.path, file.incomplete);
  }
  const paths = selection.kept.map((file) => file.path);
  const kept = new Set(paths);
  // A submodule is kept, yet not read.
  const partly = new Set([...cut, ...selection.unread].map(({ path }) => path));
  return {
    reviewed: paths.filter((path) => !gaps.has(path) && !partly.has(path)),
    skipped: selection.skipped,
    unread: [...selection.unread, ...cut].filter(({ path }) => !gaps.has(path)),
    unreviewed: [
      ...paths.flatMap((path) => {
        const reason = gaps.get(path);
        return reason === undefined ? [] : [{ path, reason }];
      }),
      ...unseen.filter(({ path }) => !kept.has(path)),
    ],
    earlier: earlier.filter((path) => !partly.has(path)),
    missing,
  };
}

/** Files that are named where each gets a sentence. */
const named = 20;

/** Files whose diff is not whole, one sentence each, and one for all beyond twenty. */
export function incompleteFiles(selection: Selection): readonly Message[] {
  const sentences = selection.kept.flatMap((file): readonly Message[] =>
    file.incomplete === null ? [] : [{ code: 'coverage.diff-incomplete', path: file.path, why: file.incomplete }],
  );
  const rest = sentences.length - named;
  if (rest <= 0) return sentences;
  return [...sentences.slice(0, named), { code: 'coverage.diff-incomplete-more', count: rest }];
}

/** Takes out of the batches what the model found by name of a rule where a comment keeps that rule from being raised. */
export function obeyInBatches(
  reviews: readonly BatchReview[],
  commentFor: CommentFor,
): { readonly batches: readonly BatchReview[]; readonly ignored: readonly Finding[] } {
  const obeyed = reviews.map((batch) => ({ batch, ...obeyComments(batch.findings, commentFor) }));
  return {
    batches: obeyed.map(({ batch, raised }) => ({ ...batch, findings: raised })),
    ignored: obeyed.flatMap(({ ignored }) => ignored),
  };
}

type UnseenImages = {
  /** Images that should have been looked at and were not. */
  readonly files: readonly SkippedFile[];
  /** The same for people, one for each cause; empty when there are none. */
  readonly sentences: readonly Message[];
};

/**
 * Images that no limit let through, and those of reviewed batches that no answered call had before it: a review that did not see them must not
 * count as theirs.
 */
export function unseenImages(vision: Vision | null, batches: readonly BatchReview[]): UnseenImages {
  if (vision === null) return { files: [], sentences: [] };
  const missed = new Map(vision.missed.map(({ path, reason }) => [path, { path, reason }]));
  const unreviewed = new Set(batches.flatMap(({ report }) => (report.reviewed ? [] : report.paths)));
  const unsent = vision.files.filter(
    ({ path }) => !missed.has(path) && !unreviewed.has(path) && !vision.changed.get(path)?.every(vision.wasSeen),
  );
  return {
    files: [
      ...missed.values(),
      ...unsent.map(({ path }): SkippedFile => ({ path, reason: { code: 'file.images-not-sent' } })),
    ],
    sentences: [...sentenceOfMissed([...missed.values()]), ...sentenceOfUnsent(unsent.length)],
  };
}

function sentenceOfMissed(missed: readonly SkippedFile[]): readonly Message[] {
  if (missed.length === 0) return [];
  return [
    { code: 'coverage.images-cut', count: missed.length, why: distinctMessages(missed.map(({ reason }) => reason)) },
  ];
}

function sentenceOfUnsent(count: number): readonly Message[] {
  if (count === 0) return [];
  return [{ code: 'coverage.images-unseen', count: count }];
}

/** States of shown files that are not shown themselves, one sentence each. */
export function visionNotes(vision: Vision | null): readonly Message[] {
  if (vision === null) return [];
  return vision.unshown.flatMap(({ path, reason }) =>
    vision.changed.has(path) ? [{ code: 'note.image', path, why: reason } as const] : [],
  );
}
