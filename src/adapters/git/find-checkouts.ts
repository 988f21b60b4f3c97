import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type Checkout, findCheckout, isGitDirectory } from './find-checkout.ts';

/** Folders below the workspace: the `path` input of actions/checkout seldom has more than two names, submodules add theirs. */
const maxDepth = 8;
const maxFolders = 20_000;
const atOnce = 64;

/** The repository that a workspace lies in, and those in folders of it: clones, bare ones, submodules, linked work trees. */
export async function findCheckouts(workspace: string): Promise<readonly Checkout[]> {
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
  const found = await Promise.all(roots.map((root) => findCheckout(root)));
  const all = [...found, ...bare.map((path) => ({ gitDirectory: path, commonDirectory: path }))];
  const checkouts = all.flatMap((checkout) => (checkout === null ? [] : [[checkout.gitDirectory, checkout] as const]));
  return [...new Map(checkouts).values()];
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
