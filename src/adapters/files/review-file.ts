import { constants } from 'node:fs';
import { type FileHandle, mkdir, open, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { explain, UserError } from '../../core/errors.ts';
import { reviewFileLimits } from '../../core/handover/schema.ts';
import type { ReviewDraft } from '../../core/review/draft.ts';
import type { Delivery } from '../../core/review/sink.ts';
import { requireOwnPath } from './own-path.ts';

/** The name under which the review file is delivered. */
const sink = 'review-file';

/** Writes the review for the job that posts it. Without the file that job has nothing, so a failed delivery must fail this one. */
export function reviewFileWriter(
  path: string,
  render: (draft: ReviewDraft) => string,
): (draft: ReviewDraft) => Promise<Delivery> {
  return async (draft) => {
    try {
      requireOwnPath(path, process.cwd());
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, render(draft), 'utf8');
      return { sink, status: 'delivered', reason: null, delivered: [], url: path };
    } catch (error) {
      const reason = `The review could not be written to ${path}, so no other job can post it. ${explain(error)}`;
      return { sink, status: 'failed', reason, delivered: [], url: null };
    }
  };
}

/**
 * The text of a review file: of a regular file, not through a link, of at most 5,000,000 bytes.
 *
 * @throws UserError that names `review-file`.
 */
export async function readReviewFile(path: string): Promise<string> {
  const file = await opened(path);
  try {
    if (!(await file.stat()).isFile()) throw unusable(path, 'is not a file');
    return (await readAtMost(file, { path, bytes: reviewFileLimits.bytes })).toString('utf8');
  } finally {
    await file.close();
  }
}

async function opened(path: string): Promise<FileHandle> {
  try {
    // Without waiting: nobody may ever write to a pipe that stands in its place. Windows knows neither flag.
    return await open(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? cause.code : null;
    if (code === 'ENOENT')
      throw unusable(path, 'does not exist', 'Did the review job upload it, and this one download it?');
    if (code === 'ELOOP') throw unusable(path, 'is a symbolic link');
    throw new UserError(`The review file ${path} ('review-file') cannot be read.`, {
      hint: 'Check the path and its permissions.',
      cause,
    });
  }
}

/** Not more is read than allowed, however the file grows meanwhile. */
async function readAtMost(file: FileHandle, { path, bytes }: { path: string; bytes: number }): Promise<Buffer> {
  const buffer = Buffer.alloc(bytes + 1);
  let length = 0;
  while (length < buffer.length) {
    const { bytesRead } = await file.read(buffer, length, buffer.length - length);
    if (bytesRead === 0) return buffer.subarray(0, length);
    length += bytesRead;
  }
  throw unusable(path, `is larger than ${bytes / 1_000_000} MB`);
}

function unusable(path: string, why: string, hint = 'It must be what the job with `mode: review` wrote.'): UserError {
  return new UserError(`The review file ${path} ('review-file') ${why}.`, { hint });
}
