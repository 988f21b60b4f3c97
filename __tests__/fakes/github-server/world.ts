import type { Outcome } from '../loopback.ts';

/** GitHub may still name the line of a thread that it calls outdated. */
export type Outdated = boolean | 'with its line';

export type Level = 'none' | 'read' | 'write';

export type Permissions = {
  readonly contents: Level;
  readonly 'pull-requests': Level;
  readonly issues: Level;
  readonly checks: Level;
  readonly actions: Level;
};

/**
 * `status N` answers N, `reset` breaks the connection, `hang` never answers. `rate limit of a minute` is 429 in words of
 * its own. A reply is given as it is.
 */
export type FaultAnswer = `status ${number}` | Outcome | 'secondary rate limit' | 'rate limit of a minute';

/**
 * `before`: nothing happens on the server. `after`: the request is carried out and its answer is lost. `meanwhile`: something happens between the
 * request and what it does.
 */
export type Fault = {
  /** `body` is looked for in the request's text. */
  readonly match: { readonly method?: string; readonly path: RegExp; readonly body?: RegExp };
  /** How many of these requests are answered as always before. */
  readonly spares?: number;
  readonly times: number;
} & (
  | { readonly before: FaultAnswer }
  | { readonly after: FaultAnswer }
  | { readonly meanwhile: () => Promise<unknown> }
);

export type WorldComment = { readonly author: string; readonly body: string; readonly date?: string };

export type WorldThread = {
  readonly path: string;
  readonly line: number;
  readonly startLine?: number;
  readonly side?: 'RIGHT' | 'LEFT';
  readonly resolved?: boolean;
  /** By the pull request's author unless told. */
  readonly resolvedBy?: string;
  readonly outdated?: Outdated;
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
  /** Id of the workflow run; 1 unless told. */
  readonly run?: number;
  readonly startedAt?: string;
  readonly conclusion: 'SUCCESS' | 'FAILURE' | 'TIMED_OUT' | 'SKIPPED' | null;
};

export type WorldPullRequest = {
  readonly number: number;
  readonly title: string;
  readonly body: string;
  readonly author: string;
  readonly state: 'open' | 'closed' | 'merged';
  readonly draft: boolean;
  /** Its conversation is. */
  readonly locked?: boolean;
  readonly labels: readonly string[];
  /** How many commits it is said to have; GitHub lists 250. */
  readonly commits?: number;
  readonly base: { readonly ref: string; readonly sha: string };
  /** Of a stack that GitHub keeps: what the pull request says of it. An older server says nothing. */
  readonly stack?: object;
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
  /** Other repositories: those that the token may read. */
  readonly others?: readonly { readonly name: string; readonly gitDirectory: string }[];
  /** Of the repository, beside those of its pull requests. */
  readonly labels?: readonly string[];
  readonly faults: readonly Fault[];
  /** An Enterprise Server: it names its version, and no rate limit, as those are off there unless somebody turns them on. */
  readonly isEnterprise?: boolean;
};

export const allPermissions: Permissions = {
  contents: 'read',
  'pull-requests': 'write',
  issues: 'write',
  checks: 'write',
  actions: 'none',
};

/** What a run for a fork's or Dependabot's pull request gets. */
export const readOnly: Permissions = {
  contents: 'read',
  'pull-requests': 'read',
  issues: 'read',
  checks: 'read',
  actions: 'read',
};

/** The repository and the forks that pull requests come from: they share their objects. */
export function repositoryNames(world: GitHubWorld): readonly string[] {
  const forks = world.pullRequests.flatMap((pull) => pull.head.repository ?? []);
  return [...new Set([`${world.owner}/${world.repository}`, ...forks])];
}
