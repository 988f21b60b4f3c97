import { lstat, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { explain } from '../../core/errors.ts';
import type { FixedFile, WorkTreeFile } from '../../core/findings/fixes.ts';
import { checkPath } from '../../core/repository/path.ts';
import { decode } from './folder.ts';
import { writeWhole } from './write.ts';

/** A file below `root`, which no link leads to. Never throws: `problem` is the end of a sentence. */
export async function readWorkTreeFile(root: string, path: string): Promise<WorkTreeFile> {
  try {
    const problem = await whyNot(root, path);
    if (problem !== null) return { problem };
    const text = decode(await readFile(join(root, path)));
    return text === null || text.includes('\0') ? { problem: 'the file is not text in UTF-8' } : { text };
  } catch (error) {
    return { problem: `the file cannot be read: ${explain(error)}` };
  }
}

/** Writes it whole, with the mode that it had, unless it is no more as it was read. Null when that went well, else why not. */
export async function writeFixedFile(root: string, { path, before, after }: FixedFile): Promise<string | null> {
  const present = await readWorkTreeFile(root, path);
  if ('problem' in present) return present.problem;
  if (present.text !== before) return 'the file changed meanwhile';
  return await writeWhole(join(root, path), after).then(
    () => null,
    (error: unknown) => `the file cannot be written: ${explain(error)}`,
  );
}

/** Every folder on the way is looked at: one that is a link leads elsewhere. */
async function whyNot(root: string, path: string): Promise<string | null> {
  const checked = checkPath(path);
  if (!checked.ok || checked.path !== path) return 'its path leads out of the repository';
  const names = path.split('/');
  for (const [index] of names.entries()) {
    const stats = await lstat(join(root, ...names.slice(0, index + 1))).catch(() => null);
    if (stats === null) return 'the file is gone';
    if (stats.isSymbolicLink()) return 'a symbolic link leads to the file';
    const isLast = index === names.length - 1;
    if (isLast ? !stats.isFile() : !stats.isDirectory()) return 'there is no such file';
    // A copy by `cp -al`, or the store of a package manager.
    if (isLast && stats.nlink > 1) return 'a hard link: the file has another name that would change, too';
  }
  return null;
}
