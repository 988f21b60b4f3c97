import type { Batch } from '../batches/batch.ts';
import { oneForEach } from '../findings/earlier.ts';
import type { Finding } from '../findings/finding.ts';
import { mergePasses } from '../findings/merge.ts';
import { allWords } from '../findings/read-submission.ts';
import { worstApproval } from '../findings/submission.ts';
import { eachFileOnce } from '../findings/walkthrough.ts';
import type { UnbilledReview } from './review-batch.ts';

export type Pass = { readonly number: number; readonly of: number; readonly batch: Batch };

export type PassedReview = {
  readonly review: UnbilledReview;
  /** Findings that only one of several passes made: they are kept when they are confirmed. */
  readonly once: ReadonlySet<string>;
  /** Passes that gave a review. */
  readonly reviewed: number;
};

/**
 * Independent reviews of one batch, its files in another order each time, merged by agreement. A pass that could not be made is no gap
 * when another one reviewed the batch.
 */
export async function reviewInPasses(
  batch: Batch,
  { passes, review }: { passes: number; review: (pass: Pass) => Promise<UnbilledReview> },
): Promise<PassedReview> {
  const made = await Promise.all(
    Array.from({ length: passes }, (_, index) =>
      review({ number: index + 1, of: passes, batch: { ...batch, files: ordered(batch.files, index) } }),
    ),
  );
  const reviewed = made.filter(({ report }) => report.reviewed);
  const first = reviewed.find(({ report }) => report.gap === null) ?? reviewed[0] ?? made[0];
  if (first === undefined) throw new Error(`${passes} passes were asked for, and there must be one`);
  if (made.length === 1) return { review: first, once: new Set(), reviewed: reviewed.length };
  return { ...merged(made, first), reviewed: reviewed.length };
}

/** As planned, then backwards, then from the middle on: what is read last gets less attention. */
function ordered<T>(files: readonly T[], index: number): readonly T[] {
  if (index % 3 === 1) return files.toReversed();
  const middle = index % 3 === 2 ? Math.floor(files.length / 2) : 0;
  return [...files.slice(middle), ...files.slice(0, middle)];
}

function merged(made: readonly UnbilledReview[], first: UnbilledReview): Omit<PassedReview, 'reviewed'> {
  const reviewed = made.filter(({ report }) => report.reviewed);
  const found = (reviewed.length === 0 ? made : reviewed).map(({ findings }) => findings);
  // A pass that had nobody to agree with is believed as it would be alone.
  const { findings, once } =
    found.length > 1 ? mergePasses(found) : { findings: found.flat(), once: new Set<string>() };
  const reports = reviewed.map(({ report }) => report);
  // A pass that was cut was made again by another; what could not be read is known to nobody.
  const unread = reports.find(({ stop, gap }) => stop.reason === 'submitted' && gap !== null);
  const report = {
    ...first.report,
    gap: first.report.gap ?? unread?.gap ?? null,
    nonSpecificReview: allWords(reports),
    walkthrough: eachFileOnce(reports.flatMap(({ walkthrough }) => walkthrough)),
    approval: worstApproval(reports.flatMap(({ approval }) => approval ?? [])),
  };
  const earlier = oneForEach(made.flatMap((one) => one.earlier ?? []));
  const disproved = made.flatMap((one) => one.disproved);
  return { review: { report, findings: inOrder(findings), earlier, disproved }, once };
}

function inOrder(findings: readonly Finding[]): readonly Finding[] {
  return findings.toSorted((one, other) => one.path.localeCompare(other.path, 'en'));
}
