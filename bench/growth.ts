import { allGrowing } from '../__tests__/growth/all-at-once.ts';
import type { Growing } from '../__tests__/growth/changes.ts';
import { hostileRuns } from './hostile.ts';
import type { Row } from './row.ts';
import { rowsOf } from './scale.ts';

/** Ten times the input may take fifteen times the time. */
const promised = { atMost: 15 } as const;
const runs = 3;
/** Below this a measure says more of the machine than of the work, in milliseconds. */
const least = 2;

/**
 * How the time of pure functions grows with what a pull request, or the model that reads it, can multiply; only their own CPU time counts.
 * Then the built action over the worst of it. `POSTIL_BENCH_CASES=1,3` plays some of those runs, and no functions.
 */
export async function growth(): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for (const each of process.env['POSTIL_BENCH_CASES'] === undefined ? allGrowing : []) rows.push(await rowOf(each));
  return [...rows, ...(await rowsOf(hostileRuns))];
}

async function rowOf({ name, size, prepare }: Growing): Promise<Row> {
  const small = await quickest(() => prepare(size));
  const large = await quickest(() => prepare(size * 10));
  const took = `${small.toFixed(1)} → ${large.toFixed(1)} ms`;
  const measure = `${name}: ${(size * 10).toLocaleString('en-US')} take (${took})`;
  return { measure, measured: large / Math.max(small, least), unit: 'times', promised };
}

/** Milliseconds of CPU; each run has an input of its own, as what was seen before is remembered. */
async function quickest(prepare: () => () => unknown): Promise<number> {
  const times: number[] = [];
  for (let index = 0; index < runs; index += 1) {
    const run = prepare();
    const before = process.cpuUsage();
    await run();
    const { user, system } = process.cpuUsage(before);
    times.push((user + system) / 1_000);
    // What took so long once is slow enough to be known.
    if (times[0] !== undefined && times[0] > 1_000) break;
  }
  return Math.min(...times);
}
