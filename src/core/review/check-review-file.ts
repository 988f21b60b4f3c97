import { UserError } from '../errors.ts';
import type { Finding } from '../findings/finding.ts';
import type { GroundSources } from '../findings/ground-sources.ts';
import type { ReviewDraft, ReviewedDraft, StoppedDraft } from './draft.ts';
import { recheckFinding } from './recheck-finding.ts';
import type { Coverage, RefusedFinding } from './review.ts';
import type { BundleReview } from './review-bundle.ts';
import type { ReviewFile } from './review-file.ts';

export type Posting = {
  /** `owner/name` and number of the pull request that this run is about. */
  readonly repository: string;
  readonly number: number;
  /** Full hashes, as they are now. */
  readonly head: string;
  readonly mergeBase: string;
  /** The source as it was shown; `files` is the whole diff. */
  readonly sources: GroundSources;
};

export type CheckedFile = {
  /** What may be posted: `stopped` when the file is of an older head. */
  readonly draft: ReviewDraft;
  /** Findings of the file that do not hold at this commit, with the reason. The draft holds them as refused. */
  readonly refused: readonly RefusedFinding[];
};

/**
 * Takes a review file for what it is, a claim: it must be of this pull request and of its present commits, and of its findings only those stay
 * that the source bears out.
 *
 * @throws UserError when it is of another repository or pull request.
 */
export async function checkReviewFile(file: ReviewFile, posting: Posting): Promise<CheckedFile> {
  if (file.repository !== posting.repository || file.number !== posting.number) throw foreign(file, posting);
  const superseded = whySuperseded(file, posting);
  if (superseded !== null) return { draft: stopped(file.draft, superseded), refused: [] };
  if (file.draft.kind === 'stopped') return { draft: file.draft, refused: [] };
  return await checkDraft(file.draft, posting.sources);
}

function foreign(file: ReviewFile, posting: Posting): UserError {
  return new UserError(
    `The review file is of ${file.repository}#${file.number}, and this run is about ${posting.repository}#${posting.number}.`,
    { hint: 'Let the job that posts download what the review job of the same workflow run has uploaded.' },
  );
}

function whySuperseded(file: ReviewFile, posting: Posting): string | null {
  const moved = (what: string, from: string, to: string) =>
    `The review is superseded: it is of ${what} ${from.slice(0, 12)}, and that is ${to.slice(0, 12)} by now.`;
  if (file.head !== posting.head) return moved('the head', file.head, posting.head);
  return file.mergeBase === posting.mergeBase ? null : moved('the merge base', file.mergeBase, posting.mergeBase);
}

function stopped({ milliseconds, limits }: ReviewDraft, why: string): StoppedDraft {
  return { kind: 'stopped', stop: { reason: 'skipped', why }, skipped: [], milliseconds, limits, notes: [] };
}

async function checkDraft(draft: ReviewedDraft, sources: GroundSources): Promise<CheckedFile> {
  const rules = await checkFindings(draft.ruleFindings, sources);
  const refused = [...rules.refused];
  const bundles: BundleReview[] = [];
  for (const bundle of draft.bundles) {
    const checked = await checkFindings(bundle.findings, sources);
    refused.push(...checked.refused);
    bundles.push({ ...bundle, findings: checked.held, refused: [...bundle.refused, ...checked.refused] });
  }
  const kept = { bundles, ruleFindings: rules.held, refused: [...draft.refused, ...rules.refused] };
  return { refused, draft: { ...draft, ...kept, coverage: withoutLost(draft.coverage, refused) } };
}

type Checked = { readonly held: readonly Finding[]; readonly refused: readonly RefusedFinding[] };

async function checkFindings(findings: readonly Finding[], sources: GroundSources): Promise<Checked> {
  const held: Finding[] = [];
  const refused: RefusedFinding[] = [];
  for (const finding of findings) {
    const checked = await recheckFinding(finding, sources);
    if (checked.ok) held.push(checked.finding);
    else refused.push({ title: finding.title, path: finding.path, reason: `not posted: ${checked.reason}` });
  }
  return { held, refused };
}

/** A review that lost findings on the way is not complete, and the next run looks at their files again. */
function withoutLost(coverage: Coverage, lost: readonly RefusedFinding[]): Coverage {
  if (lost.length === 0) return coverage;
  const paths = new Set(lost.map(({ path }) => path));
  const again = coverage.reviewed.filter((path) => paths.has(path));
  const count = lost.length === 1 ? '1 finding' : `${lost.length} findings`;
  return {
    ...coverage,
    reviewed: coverage.reviewed.filter((path) => !paths.has(path)),
    unreviewed: [
      ...coverage.unreviewed,
      ...again.map((path) => ({ path, reason: 'a finding about it did not hold when it was to be posted' })),
    ],
    missing: [...coverage.missing, `Of the review file ${count} did not hold at this commit: listed as unplaced.`],
  };
}
