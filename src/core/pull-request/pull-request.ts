import type { Message } from '../messages/message.ts';
import type { ChangedFile } from './changed-file.ts';

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
  /** Left out where nothing unmerged is below it, and on a laptop. */
  readonly stack?: Stack;
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
  readonly missing: readonly Message[];
};

/** `ref` is a branch or revision as a person writes it, `sha` the full hash. */
export type CommitReference = { readonly ref: string; readonly sha: string };

/** The open pull requests that one stands on, each based on the branch of the one below. */
export type Stack = {
  /** What the lowest of them goes into. */
  readonly base: CommitReference;
  /** The lowest first. */
  readonly below: readonly { readonly number: number; readonly title: string }[];
};

/** The commits that a review reads, full hashes. In a stack `base` is the stack's: nobody has merged the layer below yet. */
export function pinnedCommits({ base, head, mergeBase, stack }: PinnedPullRequest) {
  return { base: (stack?.base ?? base).sha, head: head.sha, mergeBase };
}

type PinnedPullRequest = Pick<PullRequest, 'base' | 'head' | 'mergeBase' | 'stack'>;

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
  /** Its last edit and by whom, null for nobody known; left out where it was not edited, or that is not known. */
  readonly edited?: { readonly date: string; readonly by: string | null };
  /** Logins of the people who gave it a 👎. */
  readonly thumbsDown: readonly string[];
  /** When they did, in the same order, ISO 8601; left out where that is not known. */
  readonly thumbsDownDates?: readonly string[];
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

/** What GitHub links with a pull request. All text in it is untrusted. */
export type Linked = {
  /** Issues that merging closes, the first ten. */
  readonly issues: readonly LinkedIssue[];
  /** How many more it closes: beyond those, or not to be seen by the token. */
  readonly otherIssues: number;
  /** What CI says of the head. Null when that could not be read, and on a laptop. */
  readonly checks: readonly HeadCheck[] | null;
  /** Of a head with more checks than were read; absent when all were. */
  readonly unreadChecks?: UnreadChecks;
};

export type LinkedIssue = {
  /** `owner/name`: not always that of the pull request. */
  readonly repository: string;
  readonly number: number;
  readonly title: string;
  readonly body: string;
};

type UnreadChecks = {
  /** How many there are beside those that were read. */
  readonly count: number;
  /** What GitHub makes of all checks together, read or not. */
  readonly rollup: HeadCheck['state'];
};

/** A check run or a commit status. */
export type HeadCheck = {
  readonly name: string;
  /** Name of the workflow that it is a job of; null when it is none, or the token may not see it. */
  readonly workflow: string | null;
  /** Number of that workflow's run. */
  readonly run: string | null;
  readonly state: 'passed' | 'failed' | 'unfinished';
  /** As GitHub names how it ended, such as `timed out`. */
  readonly conclusion: string;
};

/** Where nothing is linked: a laptop. */
export const nothingLinked: Linked = { issues: [], otherIssues: 0, checks: null };

export type Changes = {
  readonly files: readonly ChangedFile[];
  /** What of the diff could not be read, one sentence each, shown in the coverage. */
  readonly missing: readonly Message[];
  /** Why there are no files, in a sentence, where the source knows more than that. */
  readonly nothing?: string;
};

/** Where a pull request comes from: GitHub, or two commits on a laptop. */
export interface PullRequestSource {
  read(): Promise<PullRequest>;
  changes(pullRequest: PullRequest): Promise<Changes>;
  /** The head as it is now; null where it cannot move. Compared again before posting. */
  currentHead(): Promise<string | null>;
}
