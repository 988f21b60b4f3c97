import { accessSync, constants, existsSync, readlinkSync, realpathSync, statSync } from 'node:fs';
import { lstat, mkdir, readdir, readFile, realpath, writeFile } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { UserError } from '../../core/errors.ts';
import type { Repository } from '../../core/repository/repository.ts';
import { memoryFile } from '../../core/team/learn.ts';

const folder = '.postil/rules';

/** The rule files of a working folder as they lie there, for whoever writes them: a review reads them at the base commit. */
export function folderRules(directory: string): Repository {
  return {
    listFiles: async () => {
      // No folder, no rules.
      const options = { withFileTypes: true, recursive: true } as const;
      const entries = (await isLink(directory)) ? [] : await readdir(join(directory, folder), options).catch(() => []);
      return entries
        .filter((entry) => entry.isFile())
        .map((entry) => relative(directory, join(entry.parentPath, entry.name)).split(sep).join('/'))
        .map((path) => ({ path, kind: 'file' as const, bytes: null }))
        .sort((one, other) => (one.path < other.path ? -1 : 1));
    },
    readFile: async (path) => {
      const text = await readFile(join(directory, path), 'utf8');
      return { kind: 'text', text, bytes: Buffer.byteLength(text) };
    },
  };
}

/** A review follows no link either, and this one might lead to the whole disk. */
async function isLink(directory: string): Promise<boolean> {
  const [root, real] = await Promise.all(
    [directory, join(directory, folder)].map((path) => realpath(path).catch(() => '')),
  );
  return real !== join(root ?? '', folder);
}

/** The standing answers of the work tree that a directory lies in, as they are there; null when there are none. @throws UserError */
export async function readMemoryFile(directory: string): Promise<string | null> {
  const path = join((await repositoryRoot(directory)) ?? resolve(directory), memoryFile);
  const stats = await lstat(path).catch(() => null);
  if (stats === null) return null;
  if (!stats.isFile()) throw unusable(path, 'it is no file');
  const text = decode(await readFile(path));
  if (text === null || text.includes('\0')) throw unusable(path, 'it is not text in UTF-8');
  return text;
}

function decode(bytes: Buffer): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}

function unusable(path: string, why: string): UserError {
  return new UserError(`${path} cannot be added to: ${why}.`, { hint: 'Make it a text file, or move it away.' });
}

/** The folder with `.git` in it at or above this one; null where there is none. */
export async function repositoryRoot(directory: string): Promise<string | null> {
  for (let current = resolve(directory); ; current = dirname(current)) {
    if ((await lstat(join(current, '.git')).catch(() => null)) !== null) return current;
    if (dirname(current) === current) return null;
  }
}

type Written = { readonly path: string; readonly written: boolean };

/** Writes files that are not there yet; one that is stays as it is. @throws Error when a folder cannot be written to */
export async function writeStarterFiles(
  directory: string,
  files: readonly { readonly path: string; readonly text: string }[],
): Promise<readonly Written[]> {
  const results: Written[] = [];
  for (const { path, text } of files) {
    const target = join(directory, path);
    requireOwnPath(target, directory);
    await mkdir(dirname(target), { recursive: true });
    results.push({ path, written: await writeNew(target, text) });
  }
  return results;
}

async function writeNew(path: string, text: string): Promise<boolean> {
  try {
    await writeFile(path, text, { flag: 'wx' });
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
}

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
