import { lstat, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { UserError } from '../../core/errors.ts';
import { memoryFile } from '../../core/memory/memory-patch.ts';
import { repositoryRoot } from './repository-root.ts';

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
