import type { Anchor } from '../findings/finding.ts';
import type { ChangedFile } from '../pull-request/changed-file.ts';
import type { Comment, PostedReview, ReviewThread } from '../pull-request/pull-request.ts';
import type { FindingMark, StickyMark } from './mark.ts';
import type { NewLines } from './new-lines.ts';

/** What of the past a run asks for beyond the pull request itself. Both commits are full hashes. */
export interface Past {
  /** Whether this person may write to the repository; false when that cannot be learnt. Asked once a login. */
  canWrite(login: string): Promise<boolean>;
  /** How an earlier head stands to the present one. */
  relationOf(earlierHead: string): Promise<'same' | 'ancestor' | 'diverged' | 'gone'>;
  /** The diff from one commit to the other; null when one of them is gone. */
  changesBetween(from: string, to: string): Promise<readonly ChangedFile[] | null>;
}

/** Somebody said no to a finding. Only people with write permission can refuse (FAILURES P18). */
export type Refusal = {
  readonly by: string;
  readonly how: 'resolved' | 'thumbs-down' | 'reply';
  readonly canWrite: boolean;
};

/** Where a comment of ours holds a finding. */
export type Held =
  | { readonly in: 'thread'; readonly thread: ReviewThread; readonly comment: Comment }
  | { readonly in: 'review'; readonly review: PostedReview }
  /** `deleted`: it had a comment, and somebody deleted that. */
  | { readonly in: 'sticky'; readonly deleted?: true };

/** Where a finding of an earlier run is at the present head. */
export type Present =
  | { readonly kind: 'here'; readonly path: string; readonly anchor: Anchor }
  /** Every line that it was about is gone, or the file is. */
  | { readonly kind: 'gone' }
  /** The old commit is gone: only the digests of its lines can know it again. */
  | { readonly kind: 'unmapped'; readonly path: string };

/** A finding of an earlier run, as our own comments hold it. */
export type PriorFinding = {
  /** Unique in the run, and the same in every run that reads the same mark, such as `p-3f09ab12`: the model names it in `same_as`. */
  readonly id: string;
  readonly mark: FindingMark;
  readonly held: Held;
  readonly url: string | null;
  /** Without a valid signature it only keeps the same finding from being posted again: it does not stand, and nobody declined it. */
  readonly signed: boolean;
  readonly present: Present;
  /** What changed in its file since it was made. */
  readonly newLines: NewLines;
  /** Everything that looks like a no, with and without weight. */
  readonly refusals: readonly Refusal[];
  /** True when one of the refusals has weight: the finding is not raised again. */
  readonly refused: boolean;
};

/** What this run looks at, and why. */
export type Scope =
  | { readonly kind: 'full'; readonly why: FullReason }
  | {
      readonly kind: 'incremental';
      /** Full hash of the last reviewed head. */
      readonly since: string;
      /** What changed since, by path at the present head. */
      readonly changed: readonly ChangedFile[];
      /** Paths that the earlier run left unreviewed. */
      readonly unreviewed: readonly string[];
    };

/** The scope as a review tells it, without the files. */
export type ReviewedScope =
  | { readonly kind: 'full'; readonly why: FullReason }
  | { readonly kind: 'incremental'; readonly since: string };

export type FullReason =
  | 'first review'
  | 'incremental is off'
  | 'history was rewritten'
  | 'the base changed'
  | 'the settings changed'
  | 'the earlier commit cannot be read'
  | 'the earlier state is not signed';

export type Memory = {
  readonly scope: Scope;
  /** The state of the earlier run; null when there is none. */
  readonly sticky: StickyMark | null;
  readonly prior: readonly PriorFinding[];
  /** How many runs of this name reviewed the pull request before. */
  readonly reviews: number;
};

/** Where nothing is remembered: a laptop. */
export const noMemory: Memory = { scope: { kind: 'full', why: 'first review' }, sticky: null, prior: [], reviews: 0 };
