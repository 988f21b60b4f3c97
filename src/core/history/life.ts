import type { Message } from '../messages/message.ts';

/** What an earlier finding is at the present head. */
export const lives = ['open', 'changed', 'returned', 'fixed', 'gone', 'declined', 'withdrawn'] as const;
export type Life = (typeof lives)[number];

/** A life that ended: the finding no longer counts. */
export const ends = ['fixed', 'gone'] as const;

/** What a run found out about an earlier finding. The first one that holds decides. */
export const evidence = [
  /** Somebody who may write declined it. What is found again in other code than then is another finding: see `match.ts`. */
  'declined',
  /** An answer of ours names a line of source that excludes it, and the code around both is as it was then. */
  'withdrawn',
  /** This run found it, or found it still there. */
  'found',
  /** All of what ended it was taken back: its code is there as it was made. */
  'back',
  /** Its code changed, and code at head, its rule, or the word of somebody who may write proves that it is fixed. */
  'proven',
  /** Its file is deleted, or left the diff, and its lines are nowhere in the files of the diff. */
  'left',
  /** The code that proved its end changed. */
  'proof changed',
  /** Its lines, or those around them, changed, or nobody can tell. */
  'changed',
  'unchanged',
] as const;
export type Evidence = (typeof evidence)[number];

/**
 * State × evidence → next state: all that ever happens to a finding. Nothing is fixed without a proof, nothing that is open ends by not being
 * mentioned, and what ended comes back with its code.
 */
const next: Readonly<Record<Evidence, Readonly<Record<Life, Life>>>> = {
  declined: toAll('declined'),
  withdrawn: toAll('withdrawn'),
  found: { ...toAll('open'), returned: 'returned', fixed: 'returned', gone: 'returned' },
  back: { ...toAll('open'), returned: 'returned', fixed: 'returned', gone: 'returned' },
  proven: { ...toAll('fixed'), gone: 'gone' },
  left: { ...toAll('gone'), fixed: 'fixed' },
  'proof changed': { ...toAll('changed'), gone: 'gone' },
  changed: { ...toAll('changed'), fixed: 'fixed', gone: 'gone' },
  unchanged: { ...toAll('open'), returned: 'returned', fixed: 'fixed', gone: 'gone' },
};

function toAll(life: Life): Readonly<Record<Life, Life>> {
  return {
    ...{ open: life, changed: life, returned: life, fixed: life, gone: life, declined: life, withdrawn: life },
  };
}

export function nextState(before: Life, of: Evidence): Life {
  return next[of][before];
}

export function hasEnded(life: Life): boolean {
  return life === 'fixed' || life === 'gone';
}

/** It counts, and a comment on the pull request says so. */
export function isOpen(life: Life): boolean {
  return life === 'open' || life === 'changed' || life === 'returned';
}

/** The life of a finding with several places: it ends with the last of them. */
export function lifeOfAll(places: readonly Life[]): Life {
  const worstFirst: readonly Life[] = ['returned', 'open', 'changed', 'withdrawn', 'declined', 'fixed', 'gone'];
  return worstFirst.find((life) => places.includes(life)) ?? 'open';
}

/** Names the state of a finding, the same everywhere. */
export function lifeMessage(life: Life): Message {
  return { code: `state.${life}` };
}
