import { reasons, UserError } from '../errors.ts';
import type { RunStop } from './review.ts';

/** What an error that ended the run says to a person: what happened, why, and what to do next. */
export function failure(error: unknown): Extract<RunStop, { reason: 'failed' }> {
  const message = reasons(error).join(' ');
  if (error instanceof UserError) return { reason: 'failed', message, hint: error.hint };
  const hint = 'This is a defect of Postil. Run the job again with debug logging and report it with the log.';
  return { reason: 'failed', message, hint };
}
