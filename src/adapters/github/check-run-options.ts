import type { ReviewRecord, Sink } from '../../core/review/sink.ts';
import type { Gate } from '../../core/review/verdict.ts';
import type { GitHub } from './client.ts';
import type { PullRequestReference } from './get-pull.ts';

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
};
