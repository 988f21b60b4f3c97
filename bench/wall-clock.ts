import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../src/core/agent/agent.ts';

/** Real time. Waiting ends early, without an error, when the signal aborts. */
export const wallClock: Clock = {
  now: () => performance.now(),
  wait: async (milliseconds, signal) => {
    await sleep(milliseconds, undefined, { signal }).catch(() => undefined);
  },
};
