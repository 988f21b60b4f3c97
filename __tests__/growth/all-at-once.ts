/** Takes in each hostile input at its full size, one after the other, and prints their names. `node __tests__/growth/all-at-once.ts` */
import { allGrowing } from './all.ts';

for (const { name, size, prepare } of allGrowing) {
  await prepare(size * 10)();
  console.log(name);
}
