import { setImmediate } from 'node:timers/promises';
import type { Clock } from '../../core/agent/agent.ts';

type Timer = { readonly at: number; readonly ring: () => void };

/** Time that passes only while everybody waits for it: a run of minutes is over in a moment, and always in the same order. */
export class VirtualClock implements Clock {
  #now: number;
  readonly #timers = new Set<Timer>();

  /** Milliseconds at which it starts. */
  constructor(start: number) {
    this.#now = start;
  }

  readonly now = (): number => this.#now;

  wait(milliseconds: number, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const ring = () => {
        this.#timers.delete(timer);
        signal.removeEventListener('abort', ring);
        resolve();
      };
      const timer: Timer = { at: this.#now + Math.max(0, milliseconds), ring };
      this.#timers.add(timer);
      signal.addEventListener('abort', ring, { once: true });
    });
  }

  /** Lets time pass until the work is done. @throws Error when it waits for nothing that time could bring */
  async drive<T>(work: Promise<T>): Promise<T> {
    let done = false;
    const finished = work.finally(() => {
      done = true;
    });
    finished.catch(() => undefined);
    for (let idle = 0; ; ) {
      await setImmediate();
      if (done) return finished;
      const next = this.#next();
      if (next !== null) next.ring();
      // A file that is being written is no time of ours.
      idle = next === null ? idle + 1 : 0;
      if (idle > patience) throw new Error('The replay waits for something that the transcript does not hold.');
    }
  }

  #next(): Timer | null {
    let next: Timer | null = null;
    for (const timer of this.#timers) if (next === null || timer.at < next.at) next = timer;
    if (next !== null) this.#now = Math.max(this.#now, next.at);
    return next;
  }
}

/** Turns of the event loop without a timer: a few seconds. */
const patience = 1_000_000;
