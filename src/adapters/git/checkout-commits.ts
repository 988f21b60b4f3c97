import { findCheckout } from './find-checkout.ts';
import { type Environment, readingEnvironment } from './git-environment.ts';
import { createGit, GitError } from './run-git.ts';

/**
 * The commit that a workspace has checked out, and its parents: a pull request's merge commit has the head as one. Read
 * from the raw commit, because a shallow clone hides its parents. Empty where nothing is checked out.
 */
export async function checkoutCommits(options: {
  readonly workspace: string;
  readonly environment: Environment;
  readonly signal: AbortSignal;
}): Promise<readonly string[]> {
  const checkout = await findCheckout(options.workspace);
  if (checkout === null) return [];
  const { gitDirectory } = checkout;
  const environment = readingEnvironment(options.environment, gitDirectory);
  const git = createGit({ directory: gitDirectory, environment, signal: options.signal });
  try {
    const head = (await git.run(['rev-parse', '--verify', '--quiet', 'HEAD'])).stdout.toString('utf8').trim();
    const commit = (await git.run(['cat-file', 'commit', head])).stdout.toString('utf8');
    const [header = ''] = commit.split('\n\n');
    return [head, ...[...header.matchAll(/^parent ([0-9a-f]+)$/gm)].flatMap((match) => match[1] ?? [])];
  } catch (error) {
    // A checkout without a commit.
    if (error instanceof GitError) return [];
    throw error;
  }
}
