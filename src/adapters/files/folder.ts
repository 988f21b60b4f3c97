import { readdirSync, statSync } from 'node:fs';
import { lstat, readdir, readFile, realpath, writeFile } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { UserError } from '../../core/errors.ts';
import type { Repository } from '../../core/repository/repository.ts';
import { nearest } from '../../core/settings/setting.ts';
import { memoryFile } from '../../core/team/learn.ts';
import { makeFolder, requireOwnPath } from './write.ts';

const folder = '.postil/rules';

const maxBytes = 1_000_000;

/**
 * A folder as it lies there, for whoever writes it: its rule files are listed, and a file that is asked for is read. A review reads both at the base
 * commit. No link is followed: it might lead to the whole disk.
 */
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
      const [root = '', real = ''] = await Promise.all(
        [directory, join(directory, path)].map((one) => realpath(one).catch(() => '')),
      );
      const missing = { kind: 'unreadable', reason: 'missing', bytes: null } as const;
      if (real !== join(root, path) || !real.startsWith(join(root, sep))) return missing;
      const stats = await lstat(real);
      if (!stats.isFile()) return missing;
      if (stats.size > maxBytes) return { kind: 'unreadable', reason: 'too-large', bytes: stats.size };
      const text = decode(await readFile(real));
      if (text === null) return { kind: 'unreadable', reason: 'binary', bytes: stats.size };
      return { kind: 'text', text, bytes: stats.size };
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
  const root = (await repositoryRoot(directory)) ?? resolve(directory);
  const path = join(root, memoryFile);
  const file = await folderRules(root).readFile(memoryFile, 'base');
  if (file.kind === 'text' && !file.text.includes('\0')) return file.text;
  const isMissing = file.kind === 'unreadable' && file.reason === 'missing';
  if (isMissing && (await lstat(path).catch(() => null)) === null) return null;
  const why = isMissing ? 'it is no file, or behind a link' : 'it is too large, or not text in UTF-8';
  throw new UserError(`${path} cannot be added to: ${why}.`, { hint: 'Make it a text file, or move it away.' });
}

/** Null for what is not UTF-8. */
export function decode(bytes: Buffer): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}

/** @throws UserError for what somebody named and is not there, with what stands beside it and was probably meant, and for what is of another kind. */
export function requireThere(path: string, wanted: 'folder' | 'file', hint = 'Check the path.'): void {
  const isFolder = folderAt(path);
  if (isFolder === (wanted === 'folder')) return;
  if (isFolder !== null) throw new UserError(`'${path}' is not a ${wanted}.`, { hint });
  const meant = nearest(basename(path), namesIn(dirname(path)));
  const guess = meant === null ? hint : `Did you mean '${join(dirname(path), meant)}'?`;
  throw new UserError(`There is no ${wanted} '${path}'.`, { hint: guess });
}

/** Null where there is nothing. What may not be looked at is for the one who reads it to report. */
function folderAt(path: string): boolean | null {
  try {
    return statSync(path).isDirectory();
  } catch (error) {
    const isMissing =
      error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR');
    return isMissing ? null : false;
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** The folder with `.git` in it at or above this one; null where there is none. */
export async function repositoryRoot(directory: string): Promise<string | null> {
  for (let current = resolve(directory); ; current = dirname(current)) {
    if ((await lstat(join(current, '.git')).catch(() => null)) !== null) return current;
    if (dirname(current) === current) return null;
  }
}

/** Files of a folder that are looked at. */
const mostListed = 100_000;

/** The files below a folder, whatever git ignores of them, and the first of them where there are very many. No link is followed. */
export async function listFolder(directory: string): Promise<readonly string[]> {
  const files: string[] = [];
  const folders = [''];
  for (let at = 0; at < folders.length && files.length < mostListed; at += 1) {
    const folder = folders[at] ?? '';
    const entries = await readdir(join(directory, folder), { withFileTypes: true }).catch(() => []);
    for (const entry of entries) {
      const path = `${folder}${entry.name}`;
      if (!entry.isDirectory()) files.push(path);
      else if (entry.name !== '.git') folders.push(`${path}/`);
    }
  }
  return files;
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
    makeFolder(dirname(target));
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
