import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Files of a diff from which on memory counts for more than the last second. */
const manyFiles = 1_000;

/**
 * Gives back what reading a very large diff left, and has the collector keep less from then on: by itself Node takes from the system as long as
 * it gets more, 770 MiB where 300 are in use, and a small runner kills the job. Does nothing where the collector cannot be reached.
 */
export function freeMemoryAfter(files: number): void {
  if (files < manyFiles) return;
  try {
    setFlagsFromString('--optimize-for-size');
    setFlagsFromString('--heap-growing-percent=10');
    setFlagsFromString('--expose-gc');
    const collect: unknown = runInNewContext('gc');
    if (typeof collect === 'function') collect({ type: 'major', execution: 'sync', flavor: 'last-resort' });
  } catch {
    // It is no more than a help.
  }
}
