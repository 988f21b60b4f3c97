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
  readonly conversation: readonly Comment[];
  readonly threads: readonly ReviewThread[];
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
};

export type ReviewThread = {
  readonly id: string;
  readonly path: string;
  /** 1-based line at head; null when outdated or file-level. */
  readonly line: number | null;
  readonly startLine: number | null;
  readonly side: 'RIGHT' | 'LEFT';
  readonly isOutdated: boolean;
  readonly isResolved: boolean;
  readonly comments: readonly Comment[];
};
