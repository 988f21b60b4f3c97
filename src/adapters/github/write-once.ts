import { setTimeout } from 'node:timers/promises';
import { refusalOf } from './refusal.ts';

type Attempt<Written> = {
  readonly write: () => Promise<Written>;
  readonly look: () => Promise<Written | null>;
  /** How long to wait before the look. */
  readonly settleMilliseconds: number;
};

/**
 * Writes, and never twice (FAILURES P7). After an unclear answer it looks for what was written, and writes again, once,
 * only when two looks, some time apart, succeeded and found nothing: a list may lag behind. `look` answers null when nothing is there, and
 * throws when it cannot tell. What is not written then is left to the next run.
 */
export async function writeOnce<Written>(attempt: Attempt<Written>): Promise<Written> {
  try {
    return await attempt.write();
  } catch (error) {
    const written = await lookAfter(error, attempt);
    if (written !== null) return written;
  }
  try {
    return await attempt.write();
  } catch (error) {
    const written = await lookAfter(error, attempt);
    if (written !== null) return written;
    throw error;
  }
}

async function lookAfter<Written>(
  error: unknown,
  { look, settleMilliseconds }: Attempt<Written>,
): Promise<Written | null> {
  if (refusalOf(error)?.kind !== 'uncertain') throw error;
  try {
    await setTimeout(settleMilliseconds);
    const seen = await look();
    if (seen !== null) return seen;
    await setTimeout(2 * settleMilliseconds);
    return await look();
  } catch {
    // Unsure whether it was written: the first error tells more than that the look failed, too.
    throw error;
  }
}
