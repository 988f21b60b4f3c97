import type { Message } from '../messages/message.ts';

/** What an earlier finding is at the present head: see `nextState`. */
export const lives = ['open', 'changed', 'returned', 'fixed', 'gone', 'declined', 'withdrawn'] as const;
export type Life = (typeof lives)[number];

/** A life that ended: the finding no longer counts. */
export const ends = ['fixed', 'gone'] as const;

/** What a run found out about an earlier finding. */
export type LifeFacts = {
  /**
   * What became of its lines and of those around them since it was made: `left` when its file is deleted, or the pull request no longer
   * changes it and its lines are not there; `unknown` when its commit is gone.
   */
  readonly code: 'same' | 'changed' | 'left' | 'unknown';
  /** All of what ended with it is there again. */
  readonly isBack: boolean;
  /** `fixed` is proven: by code at head, by the rule itself, or in the word of somebody who may write. `still there`: it was found again, too. */
  readonly answer: 'fixed' | 'still there' | null;
  /** `evidence`: by our own answer alone, which names a line of source. */
  readonly declined: 'people' | 'evidence' | null;
  /** Its comment is still closed: nobody sees yet that it came back. */
  readonly isClosed: boolean;
};

/**
 * The life of a finding, one run on. Nothing is fixed without an answer, nothing that is open ends by not being mentioned, and what ended comes
 * back with its code.
 */
export function nextState(before: Life, { code, isBack, answer, declined, isClosed }: LifeFacts): Life {
  if (declined !== null) return declined === 'people' ? 'declined' : 'withdrawn';
  const hadEnded = before === 'fixed' || before === 'gone';
  if (answer === 'still there' || (hadEnded && isBack)) {
    return hadEnded || (before === 'returned' && isClosed) ? 'returned' : 'open';
  }
  if (hadEnded) return before;
  if (code === 'left') return 'gone';
  if (code === 'same') return before === 'returned' && isClosed ? 'returned' : 'open';
  return answer === 'fixed' ? 'fixed' : 'changed';
}

/** Names the state of a finding, the same everywhere. */
export function lifeMessage(life: Life): Message {
  return { code: `state.${life}` };
}
