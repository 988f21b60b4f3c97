import { accessSync, constants, existsSync, readlinkSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';

/**
 * Refuses a file that is named inside `root`, or inside any work tree, and lies elsewhere, or in git's own folder. A folder with the reviewed code
 * may hold a symbolic link, which would let the pull request choose which file is overwritten.
 *
 * @throws Error that names both places.
 */
export function requireOwnPath(path: string, root: string): void {
  const named = resolve(root, path);
  const real = realPath(named);
  for (const folder of foldersAbove(named)) {
    if (folder !== resolve(root) && !existsSync(join(folder, '.git'))) continue;
    const realFolder = realPath(folder);
    if (isInside(real, realFolder) && !isInside(real, join(realFolder, '.git'))) continue;
    throw new Error(`${named} is in fact ${real}: a link of the reviewed code must not choose what is overwritten`);
  }
}

function foldersAbove(path: string): readonly string[] {
  const parent = dirname(path);
  return parent === path ? [] : [parent, ...foldersAbove(parent)];
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

/**
 * Why a file can never be written at a path, found before the work whose result it is to hold; null when it could be. A disk that is full or
 * read-only is none of it: that costs the file alone.
 */
export function pathProblem(path: string): string | null {
  const stat = entryAt(path);
  if (stat?.isDirectory()) return 'it is a folder';
  for (let folder = dirname(resolve(path)); ; folder = dirname(folder)) {
    const found = entryAt(folder);
    if (found === null) continue;
    if (!found.isDirectory()) return `${folder} is not a folder`;
    return mayWrite(stat === null ? folder : path) ? null : `there is no permission to write ${folder}`;
  }
}

/** Below a file there is nothing either, and the file is found next. */
function entryAt(path: string) {
  try {
    return statSync(path, { throwIfNoEntry: false }) ?? null;
  } catch {
    return null;
  }
}

function mayWrite(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EROFS';
  }
}

function isInside(path: string, root: string): boolean {
  const way = relative(root, path);
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}
