import { describe, expect, it } from 'vitest';
import { everyPair, full } from './every-pair.ts';

const cells = ['a', 'b', 'c'].flatMap((one) =>
  ['1', '2', '3'].flatMap((two) => ['x', 'y'].map((three) => [one, two, three] as const)),
);

describe.skipIf(full)('a selection of cells', () => {
  it('holds every pair of values in half as many cells', () => {
    const chosen = everyPair(cells);
    const missing = cells.filter(
      ([one, two, three]) =>
        !chosen.some((cell) => cell[0] === one && cell[1] === two) ||
        !chosen.some((cell) => cell[0] === one && cell[2] === three) ||
        !chosen.some((cell) => cell[1] === two && cell[2] === three),
    );
    expect([missing, chosen.length]).toEqual([[], 9]);
  });

  it('leaves out what is known', () => {
    expect(everyPair(cells, cells)).toEqual([]);
  });
});
