import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Repository } from '../../core/repository/repository.ts';

const folder = '.postil/rules';

/** The rule files of a working folder as they lie there, for whoever writes them: a review reads them at the base commit. */
export function folderRules(directory: string): Repository {
  return {
    listFiles: async () => {
      // No folder, no rules.
      const entries = await readdir(join(directory, folder), { withFileTypes: true }).catch(() => []);
      return entries
        .filter((entry) => entry.isFile())
        .map((entry) => ({ path: `${folder}/${entry.name}`, kind: 'file' as const, bytes: null }))
        .sort((one, other) => (one.path < other.path ? -1 : 1));
    },
    readFile: async (path) => {
      const text = await readFile(join(directory, path), 'utf8');
      return { kind: 'text', text, bytes: Buffer.byteLength(text) };
    },
  };
}
