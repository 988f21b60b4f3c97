import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { temporaryFolder } from '../__tests__/fakes/memory-repository.ts';
import { childrenCpu } from './children-cpu.ts';
import { importCommits } from './import-commits.ts';
import { changedFiles, filesAfter, filesBefore, leastChangedLines } from './large-change.ts';
import { type Planned, parsePlanned } from './planned.ts';
import type { Row } from './row.ts';
import { median } from './sample.ts';

const runs = 3;

/** From two commits to the batches of a review, in a process of its own, for a change that no model could read whole. */
export async function plan(): Promise<readonly Row[]> {
  const directory = temporaryFolder();
  await importCommits(directory, [
    { branch: 'base', files: filesBefore() },
    { branch: 'head', files: filesAfter() },
  ]);
  const measured: (Planned & { readonly cpu: number | null })[] = [];
  for (let index = 0; index < runs; index += 1) measured.push(await planOnce(directory));
  return rowsOf(measured);
}

type Measured = Planned & { readonly cpu: number | null };

async function planOnce(directory: string): Promise<Measured> {
  const script = fileURLToPath(new URL('./plan-child.ts', import.meta.url));
  const before = childrenCpu();
  const { stdout } = await promisify(execFile)(process.execPath, [script, directory]);
  const after = childrenCpu();
  const planned = parsePlanned(stdout);
  if (planned.files !== changedFiles || planned.changedLines < leastChangedLines) {
    throw new Error(
      `The change has ${planned.files} files and ${planned.changedLines} lines, which is not the measure.`,
    );
  }
  return { ...planned, cpu: before === null || after === null ? null : (after - before) / 1_000 };
}

function rowsOf(measured: readonly Measured[]): readonly Row[] {
  const seconds = (of: (one: Planned) => number) => median(measured.map(of)) / 1_000;
  const cpus = measured.flatMap(({ cpu }) => cpu ?? []);
  const cpu = cpus.length === measured.length ? median(cpus) : null;
  const total = (one: Planned) => one.diff + one.rules + one.batches;
  const part = (measure: string, measured: number): Row => ({ measure, measured, unit: 's', promised: null });
  return [
    {
      measure: 'plan 3,000 files, 1,000,000 changed lines',
      measured: seconds(total),
      cpu,
      unit: 's',
      promised: { atMost: 10 },
    },
    part(
      '  of it: the diff read and parsed',
      seconds(({ diff }) => diff),
    ),
    part(
      '  of it: files selected, rules run',
      seconds(({ rules }) => rules),
    ),
    part(
      '  of it: batches planned',
      seconds(({ batches }) => batches),
    ),
    {
      measure: '  most memory of the process (git’s children apart)',
      measured: Math.max(...measured.map(({ peakMebibytes }) => peakMebibytes)),
      unit: 'MiB',
      promised: { atMost: 512 },
    },
  ];
}
