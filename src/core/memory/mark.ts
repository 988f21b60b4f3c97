import type { Category } from '../findings/finding.ts';
import type { Side } from '../repository/repository.ts';
import type { Severity } from '../settings/severity.ts';

/** What a hidden marker in a comment of ours says of one finding: enough to know it again, nothing to act on. */
export type FindingMark = {
  readonly kind: 'finding';
  readonly name: string;
  readonly run: string;
  /** Full hash of the head that was reviewed; RIGHT lines are counted there. */
  readonly commit: string;
  /** Full hash of the merge base then; LEFT lines are counted there. */
  readonly mergeBase: string;
  /** As the diff of that commit knew it. */
  readonly path: string;
  /** Null for a matter of the whole file. */
  readonly lines: MarkedLines | null;
  readonly title: string;
  readonly severity: Severity;
  readonly category: Category;
  readonly ruleId: string | null;
};

/** A finding, and the number of the comment or review that holds it; null when that is not known. */
export type OpenMark = FindingMark & { readonly comment: number | null };

/** 1-based, inclusive. */
export type MarkedLines = {
  readonly side: Side;
  readonly startLine: number;
  readonly endLine: number;
  /** Short digests of the lines without their white space, blank lines left out, 40 at most: known again when the commit is gone. */
  readonly digests: readonly string[];
};

/** In the body of every review of ours. */
export type ReviewMark = {
  readonly kind: 'review';
  readonly name: string;
  readonly run: string;
  readonly commit: string;
  readonly settings: string;
  /** With which it was sent; older versions did not say. */
  readonly event?: 'COMMENT' | 'REQUEST_CHANGES' | 'APPROVE';
};

/** In the one summary comment that is updated in place: where the next run goes on. */
export type StickyMark = {
  readonly kind: 'sticky';
  readonly name: string;
  readonly run: string;
  /** Full hash of the last reviewed head. */
  readonly head: string;
  readonly mergeBase: string;
  /** Name of the base branch, whose rules and guidance it was reviewed by; older versions did not keep it. */
  readonly base?: string;
  readonly settings: string;
  /** Paths that should have been reviewed and were not, or whose findings could not be delivered: the next run adds them. */
  readonly unreviewed: readonly string[];
  /** Findings that no comment of ours holds: below the limits, or told as annotations only. */
  readonly others: readonly FindingMark[];
  /** Open findings that comments of ours hold, as many as fit: they stand when somebody deletes the comment. Older versions did not keep them. */
  readonly open?: readonly OpenMark[];
  /** How many runs of this name have reviewed the pull request; older versions did not count. */
  readonly reviews?: number;
};

export type Mark = FindingMark | ReviewMark | StickyMark;
