import { NotSent } from './attempts.ts';
import { answerOf, isRateLimit, messageOf } from './github-answer.ts';

/**
 * Why a write did not happen. `anchor`: one of the comments may be at fault, the others can still be written. `event`: this identity may not approve, or ask for changes (FAILURES P4). `pending`: an
 * unfinished review is in the way. `time`: none was left. `uncertain`: no clear answer, it may have been written all the same (FAILURES P7).
 */
export type Refusal = {
  readonly kind: 'anchor' | 'event' | 'pending' | 'permission' | 'cancelled' | 'time' | 'uncertain' | 'other';
  /** One sentence, without a full stop. */
  readonly reason: string;
};

/** An approval that was refused, and that says nothing which an earlier review did not say. */
export class NothingLeftToSay extends Error {
  override readonly name = 'NothingLeftToSay';
}

/** Null when GitHub has nothing to do with the error. */
export function refusalOf(error: unknown): Refusal | null {
  if (error instanceof NotSent) return { kind: error.why, reason: error.message };
  if (error instanceof NothingLeftToSay) return { kind: 'event', reason: error.message };
  if (!(error instanceof Error) || !('status' in error)) return null;
  const answer = answerOf(error);
  const reason = messageOf(error);
  if (answer === null || answer.status >= 500) return { kind: 'uncertain', reason };
  if (isRateLimit(answer)) return { kind: 'other', reason };
  if (answer.status === 403 || answer.status === 404) return { kind: 'permission', reason };
  if (answer.status === 422) return { kind: kindOfInvalid(reason), reason };
  return { kind: 'other', reason };
}

// The reviews API answers in sentences and does not say which comment it means.
function kindOfInvalid(reason: string): Refusal['kind'] {
  if (/(?:can ?not|not permitted to) (?:approve|request changes)/i.test(reason)) return 'event';
  if (/one pending review/i.test(reason)) return 'pending';
  if (/too quickly|\bcommit(_id)?\b/i.test(reason)) return 'other';
  return 'anchor';
}
