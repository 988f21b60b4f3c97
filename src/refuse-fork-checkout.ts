import { checkoutCommits } from './adapters/git/checkout-commits.ts';
import { UserError } from './core/errors.ts';
import type { PullRequest } from './core/pull-request/pull-request.ts';

/**
 * `pull_request_target` has the key and a token that writes. With a fork's head in the workspace, any later step that runs
 * something of it hands both over (FAILURES, security 7). Postil needs no checkout there.
 *
 * @throws UserError with the safe recipe.
 */
export async function refuseForkCheckout(job: {
  readonly event: string;
  readonly pullRequest: PullRequest;
  readonly environment: NodeJS.ProcessEnv;
  readonly signal: AbortSignal;
}): Promise<void> {
  const privileged = job.event === 'pull_request_target' || job.event === 'workflow_run';
  const workspace = job.environment['GITHUB_WORKSPACE'] ?? '';
  if (!privileged || !job.pullRequest.fromFork || workspace === '') return;
  const commits = await checkoutCommits({ ...job, workspace });
  if (!commits.includes(job.pullRequest.head.sha)) return;
  throw new UserError(
    `The workflow runs on ${job.event} and has checked out the head of a fork, code that strangers wrote, beside your secrets.`,
    {
      hint: 'Remove the checkout step: Postil reads the commits itself and needs none. Or run on pull_request, where forks get no secrets.',
    },
  );
}
