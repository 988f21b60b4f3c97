import type { JobEvent } from './adapters/actions/event.ts';
import { type CheckedOut, checkoutCommits } from './adapters/git/checkout-commits.ts';
import { UserError } from './core/errors.ts';
import type { PullRequest } from './core/pull-request/pull-request.ts';

/**
 * Outside of `pull_request`, a job has the key and a token that writes. With a fork's code in the workspace, any later step that runs
 * something of it hands both over. Postil needs no checkout there, and itself runs nothing of what it reads. So it refuses when a repository in
 * the workspace holds the fork's head, whatever stands in the work tree: it may have been merged, picked or copied from there. See docs/decisions.
 *
 * @throws UserError with the safe recipe.
 */
export async function refuseForkCheckout(job: {
  readonly event: Pick<JobEvent, 'name' | 'subject'>;
  readonly pullRequest: PullRequest;
  readonly environment: NodeJS.ProcessEnv;
  readonly signal: AbortSignal;
}): Promise<void> {
  const { event, pullRequest } = job;
  const workspace = job.environment['GITHUB_WORKSPACE'] ?? '';
  if (withoutSecrets.includes(event.name) || !pullRequest.fromFork || workspace === '') return;
  // What was merged is the project's own by now.
  if (pullRequest.state === 'merged') return;
  const heads = [...new Set([pullRequest.head.sha, ...('headSha' in event.subject ? [event.subject.headSha] : [])])];
  const checkouts = await checkoutCommits({ ...job, workspace, commits: heads });
  if (!checkouts.some((checkout) => holdsFork(checkout, { heads, pullRequest }))) return;
  throw new UserError(
    `The workflow runs on ${event.name} and has fetched commits of a fork into the workspace: code that strangers wrote, beside your secrets.`,
    {
      hint: 'Remove the checkout step, and any other that fetches the pull request: Postil reads the commits itself and needs none. For forks use two jobs (https://github.com/postil/postil/blob/v0/docs/forks.md), or run on pull_request, where forks get no secrets.',
    },
  );
}

/** Events whose runs for forks get neither secrets nor a token that writes. */
const withoutSecrets: readonly string[] = ['pull_request', 'pull_request_review', 'pull_request_review_comment'];

type Held = { readonly heads: readonly string[]; readonly pullRequest: PullRequest };

/** The head may have moved between the event, the checkout and now, so each of the fork's commits counts where it is checked out. */
function holdsFork({ commits, holds }: CheckedOut, { heads, pullRequest }: Held): boolean {
  if (holds.length > 0) return true;
  const theirs = new Set([...heads, ...pullRequest.commits.map(({ sha }) => sha)]);
  return commits.some(({ commit, parents }) => theirs.has(commit) || parents.some((parent) => theirs.has(parent)));
}
