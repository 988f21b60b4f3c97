import { readFile, realpath, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';

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

export async function isGitDirectory(directory: string): Promise<boolean> {
  if ((await textOf(join(directory, 'HEAD'))) === null) return false;
  const common = await commonDirectoryOf(directory);
  return (await isDirectory(join(common, 'objects'))) && (await isDirectory(join(common, 'refs')));
}

async function commonDirectoryOf(gitDirectory: string): Promise<string> {
  const pointer = await textOf(join(gitDirectory, 'commondir'));
  return pointer === null ? gitDirectory : resolve(gitDirectory, pointer.trim());
}

async function isDirectory(path: string): Promise<boolean> {
  return stat(path).then(
    (stats) => stats.isDirectory(),
    () => false,
  );
}

// Absent, a directory, or not readable for this user: nothing to borrow from, which is an answer and no error.
async function textOf(path: string): Promise<string | null> {
  return readFile(path, 'utf8').catch(() => null);
}
