import { readdir, readFile, realpath, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { type Environment, readingEnvironment } from './environment.ts';
import { createGit, type Git, GitError } from './git.ts';

/** A repository on the disk whose objects can be borrowed. It is found and read by files alone: no git runs in it. */
export type Checkout = {
  /** Where its HEAD is; of a linked work tree its own folder under `worktrees`. */
  readonly gitDirectory: string;
  /** Where its objects, refs and configuration are; the same unless it is a linked work tree. */
  readonly commonDirectory: string;
};

/**
 * The repository that a directory lies in: a work tree, a linked one, or a bare repository. Null when there is none. A work tree above goes before
 * a bare repository inside it: whoever wrote a commit may have put one there, with a configuration and an address of their own.
 */
export async function findCheckout(directory: string): Promise<Checkout | null> {
  const folders = foldersAbove(await realpath(directory).catch(() => null));
  const gitDirectory = (await firstOf(folders.map(dotGitOf))) ?? (await firstOf(folders));
  return gitDirectory === null ? null : { gitDirectory, commonDirectory: await commonDirectoryOf(gitDirectory) };
}

/** The root of the work tree that a directory lies in; null for a bare repository. What `core.worktree` says is not believed. */
export async function findWorkTree(directory: string): Promise<string | null> {
  for (const folder of foldersAbove(await realpath(directory).catch(() => null))) {
    if (await isGitDirectory(await dotGitOf(folder))) return folder;
  }
  return null;
}

/** The folder itself and those above it, the nearest first. */
function foldersAbove(directory: string | null): readonly string[] {
  if (directory === null) return [];
  const parent = dirname(directory);
  return [directory, ...(parent === directory ? [] : foldersAbove(parent))];
}

async function firstOf(candidates: readonly (string | Promise<string>)[]): Promise<string | null> {
  for (const candidate of candidates) {
    if (await isGitDirectory(await candidate)) return await candidate;
  }
  return null;
}

/** Of a linked work tree and of a submodule `.git` is a file that names the folder. */
async function dotGitOf(directory: string): Promise<string> {
  const dotGit = join(directory, '.git');
  const pointer = await textOf(dotGit);
  return pointer?.startsWith('gitdir: ') ? resolve(directory, pointer.slice(8).trim()) : dotGit;
}

async function isGitDirectory(directory: string): Promise<boolean> {
  if ((await textOf(join(directory, 'HEAD'))) === null) return false;
  const common = await commonDirectoryOf(directory);
  return (await isDirectory(join(common, 'objects'))) && (await isDirectory(join(common, 'refs')));
}

async function commonDirectoryOf(gitDirectory: string): Promise<string> {
  const pointer = await textOf(join(gitDirectory, 'commondir'));
  return pointer === null ? gitDirectory : resolve(gitDirectory, pointer.trim());
}

async function isDirectory(path: string): Promise<boolean> {
  const stats = await stat(path).catch(() => null);
  return stats?.isDirectory() ?? false;
}

// Absent, a directory, or not readable for this user: nothing to borrow from, which is an answer and no error.
async function textOf(path: string): Promise<string | null> {
  return readFile(path, 'utf8').catch(() => null);
}

/** Folders below the workspace: the `path` input of actions/checkout seldom has more than two names, submodules add theirs. */
const maxDepth = 8;
const maxFolders = 20_000;
const atOnce = 64;

/** The repository that a workspace lies in, and those in folders of it: clones, bare ones, submodules, linked work trees. */
async function findCheckouts(workspace: string): Promise<readonly Checkout[]> {
  const roots = [workspace];
  const bare: string[] = [];
  let level = [workspace];
  let left = maxFolders;
  for (let depth = 0; depth <= maxDepth && level.length > 0 && left > 0; depth += 1) {
    const folders = await lookIntoAll(level.slice(0, left));
    left -= folders.length;
    roots.push(...folders.flatMap(({ path, isRoot }) => (isRoot ? [path] : [])));
    bare.push(...folders.flatMap(({ path, isBare }) => (isBare ? [path] : [])));
    level = folders.flatMap(({ below }) => below);
  }
  const found = (await Promise.all(roots.map((root) => findCheckout(root)))).filter((checkout) => checkout !== null);
  const all = [...found, ...bare.map((path) => ({ gitDirectory: path, commonDirectory: path }))];
  return [...new Map(all.map((checkout) => [checkout.gitDirectory, checkout])).values()];
}

type Folder = {
  readonly path: string;
  readonly isRoot: boolean;
  readonly isBare: boolean;
  readonly below: readonly string[];
};

async function lookIntoAll(paths: readonly string[]): Promise<readonly Folder[]> {
  const folders: Folder[] = [];
  for (let start = 0; start < paths.length; start += atOnce) {
    folders.push(...(await Promise.all(paths.slice(start, start + atOnce).map(lookInto))));
  }
  return folders;
}

async function lookInto(path: string): Promise<Folder> {
  const entries = await readdir(path, { withFileTypes: true }).catch(() => []);
  return {
    path,
    // A folder, or in a submodule and a linked work tree a file.
    isRoot: entries.some((entry) => entry.name === '.git'),
    isBare: entries.some((entry) => entry.name === 'HEAD') && (await isGitDirectory(path)),
    below: entries.filter((entry) => entry.isDirectory() && entry.name !== '.git').map(({ name }) => join(path, name)),
  };
}

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
  workspace: string;
  commits: readonly string[];
  environment: Environment;
  signal: AbortSignal;
}): Promise<readonly CheckedOut[]> {
  const checkouts = await findCheckouts(options.workspace);
  const seen: CheckedOut[] = [];
  for (const checkout of checkouts) {
    const git = gitAt(checkout.gitDirectory, options);
    const [heads, holds] = await Promise.all([headsOf(checkout, options), heldOf(git, options.commits)]);
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

async function headOf(git: Git): Promise<CheckedOut['commits'][number] | null> {
  try {
    const commit = await git.line(['rev-parse', '--verify', '--quiet', 'HEAD']);
    return { commit, parents: await parentsOf(git, commit) };
  } catch (error) {
    // A checkout without a commit.
    if (error instanceof GitError) return null;
    throw error;
  }
}

/** Read from the raw commit, because a shallow clone hides its parents. */
export async function parentsOf(git: Git, commit: string): Promise<readonly string[]> {
  const raw = (await git.read(['cat-file', 'commit', commit])).toString('utf8');
  const [header = ''] = raw.split('\n\n');
  return [...header.matchAll(/^parent ([0-9a-f]+)$/gm)].flatMap((match) => match[1] ?? []);
}

/** Those of the commits that are here. */
export async function heldOf(git: Git, commits: readonly string[]): Promise<readonly string[]> {
  const held = await Promise.all(commits.map((commit) => isHeld(git, commit)));
  return commits.filter((_, index) => held[index] === true);
}

async function isHeld(git: Git, commit: string): Promise<boolean> {
  try {
    await git.read(['cat-file', '-e', `${commit}^{commit}`]);
    return true;
  } catch (error) {
    if (error instanceof GitError) return false;
    throw error;
  }
}
