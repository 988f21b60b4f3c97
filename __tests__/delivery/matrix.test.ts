import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { everyPair } from '../fakes/every-pair.ts';
import { type CellOptions, faults, playCell, type rights } from './cell.ts';
import { accounted, onWrongLines, told } from './judge.ts';
import { type Situation, situations, sizes } from './situations.ts';

const situationNames: readonly (keyof typeof situations)[] = [
  'a first run',
  'a run again',
  'a push that mends some',
  'a push after which all is said otherwise',
  'a force-push',
  'a push that renames the files',
  'two runs at once',
  'a push after a partial run',
];
const rightNames: readonly (keyof typeof rights)[] = ['full rights', 'a read-only token', 'no checks permission'];

const sizeNames: readonly (keyof typeof sizes)[] = ['clean', 'one finding', '40 findings'];

// Nothing found is nothing posted: what goes wrong with a review that is not written makes no other cell.
const unwritten = ['no fault', 'a head that moved'];

/** Sizes, situations, rights and faults: what must hold in every cell. */
const cells = sizeNames.flatMap((size) =>
  situationNames.flatMap((situation) =>
    rightNames.flatMap((right) =>
      Object.keys(faults)
        .filter((fault) => sizes[size] > 0 || unwritten.includes(fault))
        .map((fault) => [size, situation, right, fault] as const),
    ),
  ),
);

// Workflow commands go to this process's output, where nobody reads them.
beforeAll(() => {
  vi.spyOn(process.stdout, 'write').mockReturnValue(true);
});
afterAll(() => {
  vi.restoreAllMocks();
});

describe('what was found is told once and nothing is lost', () => {
  it.each(everyPair(cells))('%s in %s, with %s and %s', async (size, situation, right, fault) => {
    await judge({ count: sizes[size], situation, rights: right, fault });
  });
});

async function judge(options: CellOptions): Promise<void> {
  const { count, rights: right } = options;
  const { left }: Situation = situations[options.situation];
  const all = Array.from({ length: count }, (_, defect) => defect);
  const open = all.filter(left);
  const cell = await playCell(options);
  for (const record of cell.last) {
    expect(accounted(record)).toEqual(open);
    expect(record.review.outcome).toBe(open.length === 0 ? 'clean' : 'findings');
  }
  const said = told(cell.github);
  expect(said).toEqual([...new Set(said)]);
  expect(onWrongLines(cell)).toEqual([]);
  // Nothing is lost: what is open is told on the pull request, when the token may write there.
  expect(open.filter((defect) => !said.includes(defect))).toEqual(right === 'a read-only token' ? open : []);
}
