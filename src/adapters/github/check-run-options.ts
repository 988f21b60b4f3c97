import type { ReviewRecord, Sink } from '../../core/review/sink.ts';
import type { Gate } from '../../core/review/verdict.ts';
import type { GitHub } from './client.ts';
import type { PullRequestReference } from './get-pull.ts';

export type CheckOutput = { readonly title: string; readonly summary: string };
export type Conclusion = 'success' | 'neutral' | 'failure' | 'skipped';

/** What somebody else needs to conclude a check that this process could not. */
export type OpenCheck = {
  readonly id: number;
  readonly end: (CheckOutput & { readonly conclusion: Conclusion }) | null;
};

export type CheckRunOptions = {
  readonly github: GitHub;
  readonly reference: PullRequestReference;
  /** Full hash of the reviewed head: the check belongs to it. */
  readonly headSha: string;
  /** As it is shown on the pull request. */
  readonly name: string;
  /** Address behind "Details"; null when it is not known. */
  readonly detailsUrl: string | null;
  readonly now: () => number;
  /** Takes the annotations when the token may not write checks. */
  readonly fallback: Sink;
  readonly gate: Gate;
  readonly render: (record: ReviewRecord) => string;
  readonly redact: (text: string) => string;
  /** Told when the check is open, how it is to end before that is asked for, and null once it is concluded. */
  readonly onCheck?: ((check: OpenCheck | null) => void) | undefined;
};
