import type { ChangedFile } from './changed-file.ts';
import type { PullRequest } from './pull-request.ts';

export type Changes = {
  readonly files: readonly ChangedFile[];
  /** What of the diff could not be read, one sentence each, shown in the coverage. */
  readonly missing: readonly string[];
};

/** Where a pull request comes from: GitHub, or two commits on a laptop. */
export interface PullRequestSource {
  read(): Promise<PullRequest>;
  changes(pullRequest: PullRequest): Promise<Changes>;
  /** The head as it is now; null where it cannot move. Compared again before posting (FAILURES P11). */
  currentHead(): Promise<string | null>;
}
