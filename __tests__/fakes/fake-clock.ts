import { setImmediate } from 'node:timers/promises';
import type { Clock } from '../../src/core/agent/clock.ts';

type Timer = { readonly at: number; readonly ring: () => void };

/** Time that passes only when everybody waits for it. Milliseconds from 0. */
export class FakeClock implements Clock {
  #now = 0;
  readonly #timers = new Set<Timer>();

  readonly now = (): number => this.#now;

  wait(milliseconds: number, signal: AbortSignal): Promise<void> {
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
  }

  /** Timers that are set. */
  get waiting(): number {
    return this.#timers.size;
  }

  /** Lets time pass until the work is done. Throws when the work waits for nothing that time could bring. */
  async drive<T>(work: Promise<T>): Promise<T> {
    let done = false;
    const finished = work.finally(() => {
      done = true;
    });
    finished.catch(() => undefined);
    for (;;) {
      await setImmediate();
      if (done) return finished;
      const next = [...this.#timers].sort((one, other) => one.at - other.at)[0];
      if (next === undefined) throw new Error('The work is not done and nobody waits for a time.');
      this.#now = Math.max(this.#now, next.at);
      next.ring();
    }
  }
}
