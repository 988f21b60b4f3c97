import type { GitHub } from './client.ts';
import { gitHubError } from './github-error.ts';
import type { RepositoryName } from './trees.ts';

/** What `workflow_run` tells of the run that was completed. */
export type WorkflowRun = {
  readonly headSha: string;
  /** Null when the run was not for a branch. */
  readonly headBranch: string | null;
  /** `owner/name`; null when the fork was deleted. */
  readonly headRepository: string | null;
};

export type FoundPullRequest =
  | {
      readonly found: true;
      readonly number: number /** Others with the same head. */;
      readonly others: readonly number[];
    }
  | { readonly found: false; readonly reason: string };

/**
 * The open pull request that a completed workflow run was for. The event's own list is empty for forks, so the branch is
 * asked first and the commit after it. Of several with the same head, into different branches, it is the first.
 *
 * @throws UserError when GitHub refuses to list pull requests.
 */
export async function findPullRequest(
  github: GitHub,
  repository: RepositoryName,
  run: WorkflowRun,
): Promise<FoundPullRequest> {
  try {
    const ofBranch = await listOfBranch(github, { repository, run });
    const exact = ofBranch.filter((pull) => isHeadOf(pull, run));
    if (exact.length > 0) return found(exact);
    const ofCommit = await listOfCommit(github, { repository, run });
    const open = ofCommit.filter((pull) => pull.state === 'open' && isHeadOf(pull, run));
    if (open.length > 0) return found(open);
    return { found: false, reason: notFound(run, [...ofBranch, ...ofCommit]) };
  } catch (error) {
    const subject = `pull requests of ${repository.owner}/${repository.repository}`;
    throw gitHubError(error, { subject, permission: 'pull-requests: read' });
  }
}

type Search = { readonly repository: RepositoryName; readonly run: WorkflowRun };
type ListedPull = Awaited<ReturnType<GitHub['rest']['pulls']['list']>>['data'][number];

async function listOfBranch(github: GitHub, { repository, run }: Search): Promise<readonly ListedPull[]> {
  const headOwner = run.headRepository?.split('/')[0];
  if (headOwner === undefined || run.headBranch === null) return [];
  return await github.paginate(github.rest.pulls.list, {
    owner: repository.owner,
    repo: repository.repository,
    state: 'open',
    head: `${headOwner}:${run.headBranch}`,
    per_page: 100,
  });
}

async function listOfCommit(github: GitHub, { repository, run }: Search): Promise<readonly ListedPull[]> {
  return await github.paginate(github.rest.repos.listPullRequestsAssociatedWithCommit, {
    owner: repository.owner,
    repo: repository.repository,
    commit_sha: run.headSha,
    per_page: 100,
  });
}

function isHeadOf(pull: ListedPull, run: WorkflowRun): boolean {
  if (pull.head.sha !== run.headSha) return false;
  // The official type does not know that a deleted fork leaves null behind (FAILURES D6).
  const head: { readonly full_name: string } | null = pull.head.repo;
  return head === null || run.headRepository === null || head.full_name === run.headRepository;
}

function found(pulls: readonly ListedPull[]): FoundPullRequest {
  const [first = 0, ...others] = pulls.map((pull) => pull.number).sort((one, other) => one - other);
  return { found: true, number: first, others };
}

function notFound(run: WorkflowRun, candidates: readonly ListedPull[]): string {
  const commit = run.headSha.slice(0, 12);
  const [moved] = candidates.filter((pull) => pull.state === 'open' && pull.head.sha !== run.headSha);
  if (moved !== undefined) {
    return `Pull request #${moved.number} has moved on from ${commit} to ${moved.head.sha.slice(0, 12)}.`;
  }
  const [closed] = candidates.filter((pull) => pull.state !== 'open');
  if (closed !== undefined) return `Pull request #${closed.number}, which has ${commit}, is closed.`;
  return `No pull request has ${commit} as its head.`;
}
