import { constants } from 'node:fs';
import { type FileHandle, glob, open } from 'node:fs/promises';
import { UserError } from '../../core/errors.ts';

type Handed = {
  /** The input that names it. */
  readonly input: 'review-file' | 'plan-file';
  /** At most. */
  readonly bytes: number;
};

/**
 * The text of a file that another job wrote: of a regular file, not through a link.
 *
 * @throws UserError that names the input.
 */
export async function readHandedFile(path: string, { input, bytes }: Handed): Promise<string> {
  const file = await opened(path, input);
  try {
    const stats = await file.stat();
    if (!stats.isFile()) throw unusable({ path, input }, 'is not a file');
    if (stats.size > bytes) throw unusable({ path, input }, `is larger than ${bytes / 1_000_000} MB`);
    return (await readWhole(file, { path, input, bytes: stats.size })).toString('utf8');
  } finally {
    await file.close();
  }
}

async function opened(path: string, input: Handed['input']): Promise<FileHandle> {
  try {
    // Without waiting: nobody may ever write to a pipe that stands in its place. Windows knows neither flag.
    return await open(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? cause.code : null;
    if (code === 'ENOENT')
      throw unusable({ path, input }, 'does not exist', 'Did the other job upload it, and this one download it?');
    if (code === 'ELOOP') throw unusable({ path, input }, 'is a symbolic link');
    throw new UserError(`The file ${path} ('${input}') cannot be read.`, {
      hint: 'Check the path and its permissions.',
      cause,
    });
  }
}

/** Not more is read than it had, however the file grows meanwhile. */
async function readWhole(file: FileHandle, { path, input, bytes }: Handed & { path: string }): Promise<Buffer> {
  const buffer = Buffer.alloc(bytes + 1);
  let length = 0;
  while (length < buffer.length) {
    const { bytesRead } = await file.read(buffer, length, buffer.length - length);
    if (bytesRead === 0) return buffer.subarray(0, length);
    length += bytesRead;
  }
  throw unusable({ path, input }, 'grew while it was read');
}

const writers = { 'review-file': 'review', 'plan-file': 'plan' } as const;

function unusable({ path, input }: { path: string; input: Handed['input'] }, why: string, hint?: string): UserError {
  return new UserError(`The file ${path} ('${input}') ${why}.`, {
    hint: hint ?? `It must be what the job with \`mode: ${writers[input]}\` wrote.`,
  });
}

/** One matrix has 256 jobs, and each may have run again. */
const mostFiles = 1_000;

/** The paths that a glob names, in their order. @throws UserError when there are too many. */
export async function filesOfGlob(pattern: string): Promise<readonly string[]> {
  const paths: string[] = [];
  for await (const path of glob(process.platform === 'win32' ? pattern.replaceAll('\\', '/') : pattern)) {
    paths.push(path);
    if (paths.length > mostFiles) {
      throw new UserError(`'review-file' names more than ${mostFiles} files: ${pattern}`, {
        hint: 'Name only what the jobs with a `shard` wrote.',
      });
    }
  }
  return paths.sort();
}
