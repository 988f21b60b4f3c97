import { readlinkSync, realpathSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';

/**
 * Refuses a file that is named inside `root` and lies elsewhere, or in git's own folder. The folder that a job or a person works
 * in holds the reviewed code, and a symbolic link in it would let the pull request choose which file is overwritten.
 *
 * @throws Error that names both places.
 */
export function requireOwnPath(path: string, root: string): void {
  const named = resolve(root, path);
  if (!isInside(named, resolve(root))) return;
  const real = realPath(named);
  const realRoot = realPath(resolve(root));
  if (isInside(real, realRoot) && !isInside(real, join(realRoot, '.git'))) return;
  throw new Error(`${named} is in fact ${real}: a link of the reviewed code must not choose what is overwritten`);
}

const maxLinks = 40;

/** Where a write would go: the end of the path need not exist yet, and a link may point to what does not exist. */
function realPath(path: string, links = 0): string {
  try {
    return realpathSync.native(path);
  } catch (cause) {
    if (links > maxLinks) throw new Error(`${path} leads in a circle`, { cause });
    const parent = dirname(path);
    if (parent === path) return path;
    const folder = realPath(parent, links + 1);
    const target = linkTarget(join(folder, basename(path)));
    return target === null ? join(folder, basename(path)) : realPath(resolve(folder, target), links + 1);
  }
}

function linkTarget(path: string): string | null {
  try {
    return readlinkSync(path);
  } catch {
    return null; // Absent, or no link.
  }
}

function isInside(path: string, root: string): boolean {
  const way = relative(root, path);
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}
