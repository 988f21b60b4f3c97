import type { Checkout } from './find-checkout.ts';
import { findCheckouts } from './find-checkouts.ts';
import { type Environment, readingEnvironment } from './git-environment.ts';
import { createGit, GitError } from './run-git.ts';

/** A commit that is checked out. A pull request's merge commit has the head among its parents. */
export type CheckedOut = { readonly commit: string; readonly parents: readonly string[] };

/** What a workspace, and the folders in it, have checked out. Empty where nothing is. */
export async function checkoutCommits(options: {
  readonly workspace: string;
  readonly environment: Environment;
  readonly signal: AbortSignal;
}): Promise<readonly CheckedOut[]> {
  const checkouts = await findCheckouts(options.workspace);
  const commits = await Promise.all(checkouts.map((checkout) => commitOf(checkout, options)));
  return commits.filter((commit) => commit !== null);
}

// Read from the raw commit, because a shallow clone hides its parents.
async function commitOf(
  { gitDirectory }: Checkout,
  options: { readonly environment: Environment; readonly signal: AbortSignal },
): Promise<CheckedOut | null> {
  const environment = readingEnvironment(options.environment, gitDirectory);
  const git = createGit({ directory: gitDirectory, environment, signal: options.signal });
  try {
    const commit = (await git.run(['rev-parse', '--verify', '--quiet', 'HEAD'])).stdout.toString('utf8').trim();
    const raw = (await git.run(['cat-file', 'commit', commit])).stdout.toString('utf8');
    const [header = ''] = raw.split('\n\n');
    return { commit, parents: [...header.matchAll(/^parent ([0-9a-f]+)$/gm)].flatMap((match) => match[1] ?? []) };
  } catch (error) {
    // A checkout without a commit.
    if (error instanceof GitError) return null;
    throw error;
  }
}
