import { readFile, realpath, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';

/** A repository on the disk whose objects can be borrowed. It is found and read by files alone: no git runs in it. */
export type Checkout = {
  /** Where its HEAD is; of a linked work tree its own folder under `worktrees`. */
  readonly gitDirectory: string;
  /** Where its objects, refs and configuration are; the same unless it is a linked work tree. */
  readonly commonDirectory: string;
};

/** The repository that a directory lies in: a work tree, a linked one, or a bare repository. Null when there is none. */
export async function findCheckout(directory: string): Promise<Checkout | null> {
  let current = await realpath(directory).catch(() => null);
  while (current !== null) {
    const gitDirectory = await gitDirectoryOf(current);
    if (gitDirectory !== null) return { gitDirectory, commonDirectory: await commonDirectoryOf(gitDirectory) };
    const parent = dirname(current);
    current = parent === current ? null : parent;
  }
  return null;
}

async function gitDirectoryOf(directory: string): Promise<string | null> {
  const dotGit = join(directory, '.git');
  const pointer = await textOf(dotGit);
  const candidates = [
    pointer?.startsWith('gitdir: ') ? resolve(directory, pointer.slice(8).trim()) : dotGit,
    directory,
  ];
  for (const candidate of candidates) {
    if (await isGitDirectory(candidate)) return candidate;
  }
  return null;
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
  return stat(path).then(
    (stats) => stats.isDirectory(),
    () => false,
  );
}

// Absent, a directory, or not readable for this user: nothing to borrow from, which is an answer and no error.
async function textOf(path: string): Promise<string | null> {
  return readFile(path, 'utf8').catch(() => null);
}
