import { readdir, readFile, realpath } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import type { Repository } from '../../core/repository/repository.ts';

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
