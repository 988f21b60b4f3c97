/** Takes in each hostile input at its full size, one after the other, and prints their names. `node __tests__/growth/all-at-once.ts` */
import { answers, changes } from './changes.ts';
import { findings } from './findings.ts';
import type { Growing } from './growing.ts';

export const allGrowing: readonly Growing[] = [...changes, ...findings, ...answers];

if (import.meta.main) {
  for (const { name, size, prepare } of allGrowing) {
    await prepare(size * 10)();
    console.log(name);
  }
}
