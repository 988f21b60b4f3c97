import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../../src/core/agent/clock.ts';

type Timer = { readonly at: number; readonly ring: () => void };

/** Looks in a row, a millisecond apart, that find everybody waiting: what is on its way through a socket arrives meanwhile. */
const looks = 3;

/** Time that stands still while real requests are under way, and leaps to the next timer when nothing else can happen. From 0. */
export class QuietClock implements Clock {
  #now = 0;
  readonly #timers = new Set<Timer>();

  readonly now = (): number => this.#now;

  readonly wait = (milliseconds: number, signal: AbortSignal): Promise<void> => {
    if (signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const ring = () => {
        this.#timers.delete(timer);
        resolve();
      };
      const timer: Timer = { at: this.#now + Math.max(0, milliseconds), ring };
      this.#timers.add(timer);
      signal.addEventListener('abort', ring, { once: true });
    });
  };

  /** @param isQuiet true while nobody is expected to answer. */
  async drive<T>(work: Promise<T>, isQuiet: () => boolean): Promise<T> {
    let done = false;
    const finished = work.finally(() => {
      done = true;
    });
    finished.catch(() => undefined);
    for (let quiet = 0; !done; quiet = isQuiet() ? quiet + 1 : 0) {
      if (quiet >= looks) this.#leap();
      await sleep(1);
    }
    return finished;
  }

  #leap(): void {
    const [next] = [...this.#timers].sort((one, other) => one.at - other.at);
    if (next === undefined) return;
    this.#now = Math.max(this.#now, next.at);
    next.ring();
  }
}
