import { grouped } from '../grouped.ts';
import type { Selection, UnreadFile } from '../pull-request/select-files.ts';
import type { Coverage, SkippedFile } from './review.ts';
import type { BundleReview } from './review-bundle.ts';

type Looked = Pick<Coverage, 'missing' | 'earlier'> & {
  readonly selection: Selection;
  /** What of files that were kept no window showed. */
  readonly cut?: readonly UnreadFile[];
  /** Files whose bundle was reviewed without them, or that are in none. */
  readonly unseen?: readonly SkippedFile[];
};

/** A file is reviewed when every bundle that holds a part of it was; without bundles the rules looked at all. */
export function coverageOf(
  { selection, missing, earlier, cut = [], unseen = [] }: Looked,
  bundles: readonly BundleReview[],
): Coverage {
  const gaps = new Map(unseen.map(({ path, reason }) => [path, reason]));
  for (const { report } of bundles) {
    if (!report.reviewed) for (const path of report.paths) gaps.set(path, report.gap ?? 'not reviewed');
  }
  for (const file of selection.kept) {
    if (file.hunks.length === 0 && file.incomplete !== null) gaps.set(file.path, file.incomplete);
  }
  const paths = selection.kept.map((file) => file.path);
  const kept = new Set(paths);
  // A submodule is kept, and not read all the same.
  const partly = new Set([...cut, ...selection.unread].map(({ path }) => path));
  return {
    reviewed: paths.filter((path) => !gaps.has(path) && !partly.has(path)),
    skipped: selection.skipped,
    unread: [...selection.unread, ...cut].filter(({ path }) => !gaps.has(path)),
    unreviewed: [
      ...paths.flatMap((path) => (gaps.has(path) ? [{ path, reason: gaps.get(path) ?? '' }] : [])),
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
    file.incomplete === null ? [] : [`The diff of ${file.path} is incomplete: ${file.incomplete}.`],
  );
  const rest = sentences.length - named;
  if (rest <= 0) return sentences;
  return [...sentences.slice(0, named), `The diffs of ${grouped(rest)} more files are incomplete.`];
}
