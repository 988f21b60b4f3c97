import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Checkout } from './find-checkout.ts';
import { findCheckouts } from './find-checkouts.ts';
import { type Environment, readingEnvironment } from './git-environment.ts';
import { createGit, type Git, GitError } from './run-git.ts';

/** What a repository in the workspace has of a pull request. */
export type CheckedOut = {
  /** Commits that its work trees stand on, with their parents: a pull request's merge commit has the head among them. */
  readonly commits: readonly { readonly commit: string; readonly parents: readonly string[] }[];
  /** Those of the commits asked for that it has at all, checked out or not. */
  readonly holds: readonly string[];
};

/**
 * The repositories in a workspace and in the folders of it: what they have checked out, and which of `commits` (full hashes) they hold. Empty
 * where there is none.
 */
export async function checkoutCommits(options: {
  readonly workspace: string;
  readonly commits: readonly string[];
  readonly environment: Environment;
  readonly signal: AbortSignal;
}): Promise<readonly CheckedOut[]> {
  const checkouts = await findCheckouts(options.workspace);
  const seen: CheckedOut[] = [];
  for (const checkout of checkouts) {
    const [heads, holds] = await Promise.all([headsOf(checkout, options), heldBy(checkout, options)]);
    seen.push({ commits: heads, holds });
  }
  return seen;
}

type Options = Parameters<typeof checkoutCommits>[0];

function gitAt(gitDirectory: string, options: Options): Git {
  const environment = readingEnvironment(options.environment, gitDirectory);
  return createGit({ directory: gitDirectory, environment, signal: options.signal });
}

/** Of the repository's own work tree and of those linked to it, which may lie outside of the workspace. */
async function headsOf({ gitDirectory, commonDirectory }: Checkout, options: Options): Promise<CheckedOut['commits']> {
  const linked = join(commonDirectory, 'worktrees');
  const names = await readdir(linked).catch(() => []);
  const directories = new Set([gitDirectory, commonDirectory, ...names.map((name) => join(linked, name))]);
  const heads = await Promise.all([...directories].map((directory) => headOf(gitAt(directory, options))));
  return heads.filter((head) => head !== null);
}

// Read from the raw commit, because a shallow clone hides its parents.
async function headOf(git: Git): Promise<CheckedOut['commits'][number] | null> {
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

async function heldBy({ gitDirectory }: Checkout, options: Options): Promise<readonly string[]> {
  const git = gitAt(gitDirectory, options);
  const held = await Promise.all(options.commits.map((commit) => isHeld(git, commit)));
  return options.commits.filter((_, index) => held[index] === true);
}

async function isHeld(git: Git, commit: string): Promise<boolean> {
  try {
    await git.run(['cat-file', '-e', `${commit}^{commit}`]);
    return true;
  } catch (error) {
    if (error instanceof GitError) return false;
    throw error;
  }
}
