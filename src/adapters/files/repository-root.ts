import { lstat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';

/** The folder with `.git` in it at or above this one; null where there is none. */
export async function repositoryRoot(directory: string): Promise<string | null> {
  for (let current = resolve(directory); ; current = dirname(current)) {
    if ((await lstat(join(current, '.git')).catch(() => null)) !== null) return current;
    if (dirname(current) === current) return null;
  }
}
