import type { JobEvent } from './adapters/actions/event.ts';
import { checkoutCommits } from './adapters/git/checkout-commits.ts';
import { UserError } from './core/errors.ts';
import type { PullRequest } from './core/pull-request/pull-request.ts';

/**
 * Outside of `pull_request`, a job has the key and a token that writes. With a fork's commits in the workspace, any later step
 * that runs something of them hands both over (FAILURES, security 7). Postil needs no checkout there.
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
  const checkouts = await checkoutCommits({ ...job, workspace });
  if (!checkouts.some((checkout) => holdsFork(checkout, job))) return;
  throw new UserError(
    `The workflow runs on ${event.name} and has checked out commits of a fork, code that strangers wrote, beside your secrets.`,
    {
      hint: 'Remove the checkout step: Postil reads the commits itself and needs none. Or run on pull_request, where forks get no secrets.',
    },
  );
}

/** Events whose runs for forks get neither secrets nor a token that writes. */
const withoutSecrets: readonly string[] = ['pull_request', 'pull_request_review', 'pull_request_review_comment'];

type Checkout = Awaited<ReturnType<typeof checkoutCommits>>[number];

/** The head may have moved between the event, the checkout and now, so each of the fork's commits counts. */
function holdsFork({ commit, parents }: Checkout, { event, pullRequest }: Parameters<typeof refuseForkCheckout>[0]) {
  const heads = [pullRequest.head.sha, ...('headSha' in event.subject ? [event.subject.headSha] : [])];
  const commits = [...heads, ...pullRequest.commits.map(({ sha }) => sha)];
  return commits.includes(commit) || parents.some((parent) => heads.includes(parent));
}
