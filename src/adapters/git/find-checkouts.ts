import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type Checkout, findCheckout } from './find-checkout.ts';

/** Folders below the workspace: the `path` input of actions/checkout seldom has more than two names. */
const maxDepth = 3;
const maxFoldersALevel = 2_000;

/** The repository that a workspace lies in, and those checked out into folders of it. */
export async function findCheckouts(workspace: string): Promise<readonly Checkout[]> {
  const roots = [workspace];
  let level = [workspace];
  for (let depth = 0; depth <= maxDepth; depth += 1) {
    const folders = await Promise.all(level.slice(0, maxFoldersALevel).map(lookInto));
    roots.push(...folders.flatMap(({ path, isRoot }) => (isRoot ? [path] : [])));
    level = folders.flatMap(({ below }) => below);
  }
  const found = await Promise.all(roots.map((root) => findCheckout(root)));
  const checkouts = found.flatMap((checkout) =>
    checkout === null ? [] : [[checkout.gitDirectory, checkout] as const],
  );
  return [...new Map(checkouts).values()];
}

type Folder = { readonly path: string; readonly isRoot: boolean; readonly below: string[] };

const notBelow: readonly string[] = ['.git', 'node_modules'];

async function lookInto(path: string): Promise<Folder> {
  const entries = await readdir(path, { withFileTypes: true }).catch(() => []);
  return {
    path,
    // A folder, or in a linked work tree a file.
    isRoot: entries.some((entry) => entry.name === '.git'),
    below: entries
      .filter((entry) => entry.isDirectory() && !notBelow.includes(entry.name))
      .map((entry) => join(path, entry.name)),
  };
}
