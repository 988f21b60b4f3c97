import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../../src/core/agent/clock.ts';

type Timer = { readonly at: number; readonly ring: () => void };

/** A clock, and whether nobody is expected to answer: then its time passes. */
export type QuietTime = { readonly clock: QuietClock; readonly isQuiet: () => boolean };

/** Looks in a row, a millisecond apart, that find everybody waiting: what is on its way through a socket arrives meanwhile. */
const looks = 3;

/** Time that stands still while real requests are under way, and leaps to the next timer when nothing else can happen. Milliseconds. */
export class QuietClock implements Clock {
  #now: number;
  #leaps = 0;
  readonly #timers = new Set<Timer>();

  constructor(start = 0) {
    this.#now = start;
  }

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

  get leaps(): number {
    return this.#leaps;
  }

  /**
   * Whether everybody who waits waits for one of the requests that were never answered, each of which ends by one leap: time may pass for
   * them, and nobody else is hurried.
   */
  isHanging(unanswered: number): boolean {
    return this.#timers.size > 0 && this.#timers.size === unanswered - this.#leaps;
  }

  async drive<T>(work: Promise<T>, isQuiet: QuietTime['isQuiet']): Promise<T> {
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
    this.#leaps += 1;
    next.ring();
  }
}
