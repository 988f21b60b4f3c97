import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../../src/core/agent/clock.ts';

/** Runs this much faster than real time: waits of minutes are over in a second, and the requests between them are real. */
const speed = 200;

export function quickClock(): Clock {
  const start = performance.now();
  return {
    now: () => (performance.now() - start) * speed,
    wait: async (milliseconds, signal) => {
      await sleep(milliseconds / speed, undefined, { signal }).catch(() => undefined);
    },
  };
}
