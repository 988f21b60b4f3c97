import { stopLabel } from '../agent/event.ts';
import type { Finding } from '../findings/finding.ts';
import { type Message, verbatim } from '../messages/message.ts';
import type { Selection, UnreadFile } from '../pull-request/select-files.ts';
import type { BatchReview } from '../review/draft.ts';
import type { Coverage, SkippedFile } from '../review/review.ts';
import { type CommentFor, obeyComments } from '../rules/obey-comments.ts';
import { english } from '../words/say.ts';
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
    if (file.hunks.length === 0 && file.incomplete !== null) gaps.set(file.path, verbatim(file.incomplete));
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
export function incompleteFiles(selection: Selection): readonly string[] {
  const sentences = selection.kept.flatMap((file) =>
    file.incomplete === null
      ? []
      : [english('The diff of {path} is incomplete: {why}.', { path: file.path, why: file.incomplete })],
  );
  const rest = sentences.length - named;
  if (rest <= 0) return sentences;
  return [
    ...sentences.slice(0, named),
    english.many(rest, 'The diff of {n} more file is incomplete.', 'The diffs of {n} more files are incomplete.'),
  ];
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
  readonly sentences: readonly string[];
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

function sentenceOfMissed(missed: readonly SkippedFile[]): readonly string[] {
  if (missed.length === 0) return [];
  const limits = [...new Set(missed.map(({ reason }) => english.t(reason)))];
  return [
    english.many(
      missed.length,
      '{n} changed image was not shown in full: {why}.',
      '{n} changed images were not shown in full: {why}.',
      { why: limits.join(', and ') },
    ),
  ];
}

function sentenceOfUnsent(count: number): readonly string[] {
  if (count === 0) return [];
  return [
    english.many(
      count,
      'The model was asked about {n} changed image without seeing them: its server takes no images, or its context had no room.',
      'The model was asked about {n} changed images without seeing them: its server takes no images, or its context had no room.',
    ),
  ];
}

/** States of shown files that are not shown themselves, one sentence each. */
export function visionNotes(vision: Vision | null): readonly string[] {
  if (vision === null) return [];
  return vision.unshown.flatMap(({ path, reason }) => (vision.changed.has(path) ? [`${path} ${reason}.`] : []));
}
