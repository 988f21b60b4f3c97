import type { Clock } from './clock.ts';

export type Timed<T> =
  | { readonly ended: 'done'; readonly value: T }
  | { readonly ended: 'time' }
  | { readonly ended: 'cancelled' };

export type TimeLimit = {
  readonly clock: Clock;
  readonly milliseconds: number;
  /** Cancels from outside. */
  readonly signal: AbortSignal;
};

/** Timers of JavaScript overflow beyond this, and then fire at once. */
const longestTimer = 2 ** 31 - 1;

/**
 * Does `work` until it is done, the time is over or the signal aborts, whichever is first; the signal that `work` gets
 * is aborted then. It does not wait for work that ignores its signal (FAILURES M19). What `work` throws is thrown.
 */
export async function withTimeLimit<T>(limit: TimeLimit, work: (signal: AbortSignal) => Promise<T>): Promise<Timed<T>> {
  if (limit.signal.aborted) return { ended: 'cancelled' };
  if (limit.milliseconds <= 0) return { ended: 'time' };
  const ending = new AbortController();
  const done = async (): Promise<Timed<T>> => ({ ended: 'done', value: await work(ending.signal) });
  const time = async (): Promise<Timed<T>> => {
    await limit.clock.wait(Math.min(limit.milliseconds, longestTimer), ending.signal);
    return { ended: 'time' };
  };
  const cancelled = new Promise<Timed<T>>((resolve) => {
    const cancel = () => resolve({ ended: 'cancelled' });
    limit.signal.addEventListener('abort', cancel, { once: true, signal: ending.signal });
  });
  try {
    return await Promise.race([done(), time(), cancelled]);
  } finally {
    ending.abort();
  }
}
