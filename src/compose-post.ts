import { readReviewFile } from './adapters/files/review-file.ts';
import { UserError } from './core/errors.ts';
import { parseReviewFile, type ReviewFile } from './core/review/review-file.ts';

/** What the job with `mode: review` wrote. Its form is checked, its content is not: it comes from beside a stranger's code. @throws UserError */
export async function openReviewFile(path: string): Promise<ReviewFile> {
  const parsed = parseReviewFile(await readReviewFile(path));
  if (parsed.ok) return parsed.value;
  throw new UserError(`The review file ${path} ('review-file') cannot be used: ${parsed.problems.join('; ')}.`, {
    hint: 'It must be what the job with `mode: review` wrote, and both jobs must use the same version of Postil.',
  });
}
