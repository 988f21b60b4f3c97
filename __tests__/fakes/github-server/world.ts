export type Level = 'none' | 'read' | 'write';

export type Permissions = {
  readonly contents: Level;
  readonly 'pull-requests': Level;
  readonly issues: Level;
  readonly checks: Level;
};

/**
 * `status N` answers N, `reset` breaks the connection, `hang` never answers. `rate limit of a minute` is 429 in words of its own. `cut` is 200 and the beginning of a JSON text, `empty` is 200 and
 * nothing.
 */
export type FaultAnswer =
  | `status ${number}`
  | 'reset'
  | 'hang'
  | 'cut'
  | 'empty'
  | 'secondary rate limit'
  | 'rate limit of a minute';

/** `before`: nothing happens on the server. `after`: the request is carried out and its answer is lost (FAILURES P7). */
export type Fault = {
  /** `body` is looked for in the request's text. */
  readonly match: { readonly method: string; readonly path: RegExp; readonly body?: RegExp };
  readonly times: number;
} & ({ readonly before: FaultAnswer } | { readonly after: FaultAnswer });

export type WorldComment = { readonly author: string; readonly body: string; readonly date?: string };

export type WorldThread = {
  readonly path: string;
  readonly line: number;
  readonly startLine?: number;
  readonly side?: 'RIGHT' | 'LEFT';
  readonly resolved?: boolean;
  /** By the pull request's author unless told. */
  readonly resolvedBy?: string;
  readonly outdated?: boolean;
  readonly comments: readonly WorldComment[];
};

export type WorldIssue = {
  readonly number: number;
  readonly title: string;
  readonly body: string;
  /** `owner/name`; the pull request's own when left out. */
  readonly repository?: string;
  readonly isPrivate?: boolean;
};

/** With a workflow a check run, without one a commit status. Null: not finished yet. */
export type WorldCheck = {
  readonly name: string;
  readonly workflow?: string;
  readonly run?: number;
  readonly conclusion: 'SUCCESS' | 'FAILURE' | 'TIMED_OUT' | 'SKIPPED' | null;
};

export type WorldPullRequest = {
  readonly number: number;
  readonly title: string;
  readonly body: string;
  readonly author: string;
  readonly state: 'open' | 'closed' | 'merged';
  readonly draft: boolean;
  readonly labels: readonly string[];
  readonly base: { readonly ref: string; readonly sha: string };
  /** `repository` is `owner/name`; null when the fork was deleted. */
  readonly head: { readonly ref: string; readonly sha: string; readonly repository: string | null };
  readonly conversation: readonly WorldComment[];
  readonly threads: readonly WorldThread[];
  readonly closes?: readonly WorldIssue[];
  readonly checks?: readonly WorldCheck[];
};

export type GitHubWorld = {
  readonly owner: string;
  readonly repository: string;
  /** A bare repository with all commits; files, diffs and hunks are read from it. */
  readonly gitDirectory: string;
  readonly token: string;
  /** Login of the token's identity, such as `github-actions[bot]`. */
  readonly viewer: string;
  readonly permissions: Permissions;
  /** Permission of people on the repository: who is not listed has `none`. */
  readonly collaborators: Readonly<Record<string, 'admin' | 'write' | 'read' | 'none'>>;
  readonly pullRequests: readonly WorldPullRequest[];
  readonly faults: readonly Fault[];
};

export const allPermissions: Permissions = {
  contents: 'read',
  'pull-requests': 'write',
  issues: 'write',
  checks: 'write',
};

/** What a run for a fork's or Dependabot's pull request gets. */
export const readOnly: Permissions = { contents: 'read', 'pull-requests': 'read', issues: 'read', checks: 'read' };

/** The repository and the forks that pull requests come from: they share their objects. */
export function repositoryNames(world: GitHubWorld): readonly string[] {
  const forks = world.pullRequests.flatMap((pull) => pull.head.repository ?? []);
  return [...new Set([`${world.owner}/${world.repository}`, ...forks])];
}
