import { join } from 'node:path';
import { openFixture } from '../__tests__/fakes/git-fixture.ts';
import { startGitHub } from '../__tests__/fakes/github-server/start-github.ts';
import { temporaryFolder } from '../__tests__/fakes/memory-repository.ts';
import { type Answer, submit } from '../__tests__/fakes/model-server/script.ts';
import { startModel } from '../__tests__/fakes/model-server/start-model.ts';
import { worldOver } from '../__tests__/fakes/world/create-world.ts';
import { eventOf } from '../__tests__/fakes/world/event.ts';
import { runAction } from '../__tests__/scenarios/harness.ts';
import { codeLines, rewritten } from './code-text.ts';
import { type ImportedFile, importCommits } from './import-commits.ts';
import { filesAfter, filesBefore } from './large-change.ts';
import type { Row } from './row.ts';
import { jobsOfShards, waitInShards } from './shards.ts';
import { nodeOptions, usageOf } from './usage.ts';

export type Case = {
  readonly name: string;
  readonly before: () => Iterable<ImportedFile>;
  readonly after: () => Iterable<ImportedFile>;
  /** Milliseconds that the model takes for an answer. */
  readonly latency?: number;
  /** Without any it finds nothing. */
  readonly answers?: (turn: number) => Answer;
  readonly minutes: number;
};

const cases: readonly Case[] = [
  { name: '3,000 files, 1,020,000 changed lines, 3 minutes', before: filesBefore, after: filesAfter, minutes: 3 },
  {
    name: '5,000 small files',
    before: () => smallFiles({ count: 5_000, lines: 30, changed: null }),
    after: () => smallFiles({ count: 5_000, lines: 30, changed: [10, 13] }),
    minutes: 15,
  },
  { name: 'one file of 200,000 lines', before: () => oneFile(0), after: () => oneFile(10), minutes: 15 },
  {
    name: '100,000 changed files',
    before: () => smallFiles({ count: 100_000, lines: 5, changed: null }),
    after: () => smallFiles({ count: 100_000, lines: 5, changed: [2, 3] }),
    minutes: 15,
  },
  {
    name: '3,000 files, a model that takes 20 s, 1 minute',
    before: filesBefore,
    after: filesAfter,
    latency: 20_000,
    minutes: 1,
  },
];

/** The built action over changes that no model could read whole. */
export async function scale(): Promise<readonly Row[]> {
  return [...(await rowsOf(cases)), ...(await inShards())];
}

/** `POSTIL_BENCH_CASES=6` plays the jobs of a review in shards, and 7 what a person waits for it. */
async function inShards(): Promise<readonly Row[]> {
  const chosen = process.env['POSTIL_BENCH_CASES']?.split(',').map(Number);
  const rows: Row[] = [];
  for (const [index, measure] of [jobsOfShards, waitInShards].entries()) {
    if (chosen === undefined || chosen.includes(cases.length + index + 1)) rows.push(...(await measure()));
  }
  return rows;
}

/** A run of the built action each. `POSTIL_BENCH_CASES=1,3` plays some of them. */
export async function rowsOf(all: readonly Case[]): Promise<readonly Row[]> {
  const chosen = process.env['POSTIL_BENCH_CASES']?.split(',').map(Number);
  const rows: Row[] = [];
  for (const [index, one] of all.entries()) {
    if (chosen === undefined || chosen.includes(index + 1)) rows.push(...(await measure(one)));
  }
  return rows;
}

async function measure({ name, before, after, latency = 0, answers, minutes }: Case): Promise<readonly Row[]> {
  const directory = temporaryFolder();
  await importCommits(directory, [
    { branch: 'main', files: before() },
    { branch: 'feature', files: after() },
  ]);
  const made = worldOver(openFixture(directory));
  const github = await startGitHub(made.github);
  const model = await startModel({
    answers: (_request, turn) => answers?.(turn) ?? submit([]),
    latency,
    ignoresStream: answers !== undefined,
  });
  const usage = join(directory, 'usage.json');
  try {
    const run = await runAction({
      event: eventOf(made),
      github,
      model,
      inputs: { api: 'chat', 'timeout-minutes': String(minutes) },
      environment: {
        BENCH_USAGE_FILE: usage,
        NODE_OPTIONS: nodeOptions(),
      },
      timeout: 3_600_000,
      start: 'bundle',
    });
    if (process.env['POSTIL_BENCH_LOG'] !== undefined) console.error(run.log, run.outputs);
    const { cpu, kibibytes } = usageOf(usage);
    return [
      {
        measure: `${name}: the whole run`,
        measured: run.milliseconds / 1_000,
        cpu: cpu / 1_000,
        unit: 's',
        promised: { atMost: latency === 0 ? 60 : minutes * 60 + 5 },
      },
      { measure: '  most memory of the process', measured: kibibytes / 1_024, unit: 'MiB', promised: { atMost: 512 } },
      { measure: '  lines of output', measured: run.log.split('\n').length, unit: 'lines', promised: { atMost: 150 } },
      { measure: '  model calls', measured: model.requests.length, unit: 'calls', promised: null },
      {
        measure: '  summary',
        measured: Buffer.byteLength(run.summary) / 1_024,
        unit: 'KiB',
        promised: { atMost: 1_024 },
      },
    ];
  } finally {
    await Promise.all([github.close(), model.close()]);
  }
}

type Small = { readonly count: number; readonly lines: number; readonly changed: readonly [number, number] | null };

function* smallFiles({ count, lines, changed }: Small): Generator<ImportedFile> {
  for (let index = 0; index < count; index += 1) {
    const text = codeLines({ seed: index, count: lines });
    const places = changed === null ? [] : [changed];
    const changedText = rewritten(text, { seed: count + index, places });
    const path = `area-${index % 40}/part-${index % 400}/file-${index}${index % 5 === 0 ? '.test.ts' : '.ts'}`;
    yield { path, text: `${changedText.join('\n')}\n` };
  }
}

/** So many of every fifteen lines are others. */
function* oneFile(count: number): Generator<ImportedFile> {
  const lines = codeLines({ seed: 1, count: 200_000 });
  const others = codeLines({ seed: 2, count: 200_000 });
  const text = lines.map((line, index) => (index % 15 < count ? (others[index] ?? line) : line));
  yield { path: 'src/large.ts', text: `${text.join('\n')}\n` };
}
