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

export type UnreadChecks = {
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

/** Where nothing is linked: a laptop, or a recording of an older version. */
export const nothingLinked: Linked = { issues: [], otherIssues: 0, checks: null };
