import type { Linked } from './linked.ts';

/** What is known of the change before its diff is read. All text in it is untrusted. */
export type PullRequest = {
  /** `owner/name`; null on a laptop. */
  readonly repository: string | null;
  /** Such as https://github.com; null on a laptop. */
  readonly serverUrl: string | null;
  readonly number: number | null;
  readonly title: string;
  readonly body: string;
  readonly author: string;
  readonly state: 'open' | 'closed' | 'merged';
  readonly draft: boolean;
  readonly labels: readonly string[];
  readonly base: CommitReference;
  readonly head: CommitReference;
  /** Full hash of the commit that the diff starts from. */
  readonly mergeBase: string;
  /** True when head lives in another repository than base, or in one that was deleted. */
  readonly fromFork: boolean;
  readonly commits: readonly CommitMessage[];
  /** How many commits GitHub counts: it lists 250 at most. Not known on a laptop. */
  readonly commitCount?: number;
  readonly linked: Linked;
  readonly conversation: readonly Comment[];
  readonly threads: readonly ReviewThread[];
  /** Reviews that were submitted, oldest first, their comments apart. */
  readonly reviews: readonly PostedReview[];
  /** False when threads, comments and reviews could not be read: what was said before is not known then. */
  readonly discussionRead: boolean;
  /** What could not be read (a missing permission, say), one sentence each. */
  readonly missing: readonly string[];
};

/** `ref` is a branch or revision as a person writes it, `sha` the full hash. */
export type CommitReference = { readonly ref: string; readonly sha: string };

export type CommitMessage = {
  readonly sha: string;
  readonly message: string;
  readonly author: string;
  readonly date: string;
  /** Whose accounts GitHub takes author and committer for, null for nobody's; not known on a laptop. */
  readonly identity?: CommitIdentity;
};

export type CommitIdentity = {
  readonly author: string | null;
  readonly committer: string | null;
  /** Whether the signature is good; null where the server does not say. */
  readonly verified: boolean | null;
};

export type Comment = {
  readonly id: string;
  readonly author: string;
  /** ISO 8601. */
  readonly date: string;
  readonly body: string;
  /** Written by the identity that this run posts as (GraphQL `viewerDidAuthor`). */
  readonly isSelf: boolean;
  readonly url: string | null;
  /** The number by which REST knows it; null on a laptop. */
  readonly restId: number | null;
  /** Logins of the people who gave it a 👎. */
  readonly thumbsDown: readonly string[];
  readonly isMinimized: boolean;
  readonly viewerCanMinimize: boolean;
  /** The signatures of marks in it that a run with our key made for this comment; left out where nobody looked. */
  readonly signed?: readonly string[];
};

/** A submitted review; `state` as GitHub names it. */
export type PostedReview = {
  readonly id: string;
  readonly restId: number | null;
  readonly author: string;
  readonly isSelf: boolean;
  readonly state: 'APPROVED' | 'CHANGES_REQUESTED' | 'COMMENTED' | 'DISMISSED' | 'PENDING';
  /** Full hash of the commit it is about; null when that is gone. */
  readonly commit: string | null;
  readonly body: string;
  readonly url: string | null;
  /** As with a comment. */
  readonly signed?: readonly string[];
};

export type ReviewThread = {
  readonly id: string;
  readonly path: string;
  /** 1-based line at head; null when outdated or file-level. */
  readonly line: number | null;
  readonly startLine: number | null;
  readonly side: 'RIGHT' | 'LEFT';
  /** 1-based lines of the commit that the thread was opened on; null for a thread on the whole file. */
  readonly originalLine: number | null;
  readonly originalStartLine: number | null;
  readonly subject: 'line' | 'file';
  readonly isOutdated: boolean;
  readonly isResolved: boolean;
  readonly resolvedBy: string | null;
  readonly viewerCanResolve: boolean;
  readonly comments: readonly Comment[];
};
