import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { requireOwnPath } from './own-path.ts';

export type Written = { readonly path: string; readonly written: boolean };

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
