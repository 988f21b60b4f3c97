import { childrenCpu } from './children-cpu.ts';

/** Milliseconds. `cpu` is user and system time of the child and its children; null where the system does not tell it. */
export type Sample = { readonly wall: number; readonly cpu: number | null };

/** What a child process takes. `run` ends with it and tells its wall time. */
export async function sampleChild<T extends { readonly milliseconds: number }>(
  run: () => Promise<T>,
): Promise<{ readonly result: T; readonly sample: Sample }> {
  const before = childrenCpu();
  const result = await run();
  const after = childrenCpu();
  const cpu = before === null || after === null ? null : after - before;
  return { result, sample: { wall: result.milliseconds, cpu } };
}

/** The medians of several samples, after one that fills the caches and is not counted. */
export async function medianSample(times: number, take: () => Promise<Sample>): Promise<Sample> {
  await take();
  const samples: Sample[] = [];
  for (let index = 0; index < times; index += 1) samples.push(await take());
  const cpus = samples.flatMap(({ cpu }) => cpu ?? []);
  return { wall: median(samples.map(({ wall }) => wall)), cpu: cpus.length === times ? median(cpus) : null };
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}
