import { join } from 'node:path';
import pLimit from 'p-limit';
import { openFixture } from '../__tests__/fakes/git-fixture.ts';
import { startGitHub } from '../__tests__/fakes/github-server/start-github.ts';
import { changedFile, FakeClock, MemoryRepository, temporaryFolder } from '../__tests__/fakes/memory-repository.ts';
import { submit } from '../__tests__/fakes/model-server/script.ts';
import { startModel } from '../__tests__/fakes/model-server/start-model.ts';
import { type FlatParts, reviewParts } from '../__tests__/fakes/rich-record.ts';
import { worldOver } from '../__tests__/fakes/world/create-world.ts';
import { eventOf } from '../__tests__/fakes/world/event.ts';
import { runAction } from '../__tests__/scenarios/harness.ts';
import { noMemory } from '../src/core/history/memory.ts';
import { draftReview } from '../src/core/reviewing/draft-review.ts';
import { codeLines } from './code-text.ts';
import { importCommits } from './import-commits.ts';
import { filesAfter, filesBefore } from './large-change.ts';
import { PatientModel } from './latency.ts';
import type { Row } from './row.ts';
import { nodeOptions, usageOf } from './usage.ts';

const files = 3_000;
const lines = 340;
const shards = 8;
/** Counting them would take longer than everything else. */
const charactersPerToken = 3.5;

/**
 * The wait for one review of 3,000 files and 1,020,000 changed lines with a server as in `latency`, in one job and in eight. The time is the
 * server's alone: it passes by the clock of the test. What the run may take is no limit here.
 */
export async function waitInShards(): Promise<readonly Row[]> {
  const paths = Array.from({ length: files }, (_, at) => `src/part-${Math.floor(at / 5)}/file-${at + 10}.ts`);
  const textOf = (at: number) => codeLines({ seed: at, count: lines });
  const changed = paths.map((path, at) =>
    changedFile(path, { additions: lines, lines: textOf(at).map((line) => `+${line}`) }),
  );
  const repository = new MemoryRepository(
    Object.fromEntries(paths.map((path, at) => [path, `${textOf(at).join('\n')}\n`])),
  );
  const run = async (values: Readonly<Record<string, string>>, changes: Partial<FlatParts> = {}) => {
    const clock = new FakeClock();
    const model = new PatientModel(clock, paths, (text) => Math.round(text.length / charactersPerToken));
    const given = { repository, clock, model, changes: async () => ({ files: changed, missing: [] }), ...changes };
    const parts = reviewParts(given, { profile: 'quick', 'max-total-tokens': '1000000000', ...values });
    const endless = { ...parts, settings: { ...parts.settings, timeoutMinutes: 100_000 } };
    const { draft } = await clock.drive(draftReview(endless, noMemory));
    if (draft.kind === 'stopped') throw new Error('Nothing was reviewed.');
    return { draft, seconds: clock.now() / 1_000, reviewed: draft.coverage.reviewed.length };
  };
  const { plan } = (await run({ mode: 'plan', 'max-shards': String(shards), 'shard-tokens': '1000' })).draft;
  if (plan === undefined) throw new Error('Nothing was planned.');
  const alone = await run({});
  const waits: number[] = [];
  let reviewed = 0;
  for (const number of plan.shards.keys()) {
    const one = await run({}, { shard: { number: number + 1, plan, stop: null } });
    waits.push(one.seconds);
    reviewed += one.reviewed;
  }
  if (alone.reviewed !== files || reviewed < files) throw new Error(`${alone.reviewed} and ${reviewed} were reviewed.`);
  return [
    {
      measure: `${files} files, ${plan.batches.length} batches: wait in one job`,
      measured: alone.seconds / 60,
      unit: 'min',
      promised: null,
    },
    row('four at a time', { wait: inTurns(waits, 4), alone: alone.seconds, atMost: 33.3 }),
    row('eight at a time', { wait: inTurns(waits, 8), alone: alone.seconds, atMost: 14.3 }),
    {
      measure: '  the longest to the shortest',
      measured: Math.max(...waits) / Math.min(...waits),
      unit: 'times',
      promised: null,
    },
  ];
}

/** The built action over the same change as the first case of `scale`: the plan, its shards four at a time, and the job that posts. */
export async function jobsOfShards(): Promise<readonly Row[]> {
  const directory = temporaryFolder();
  await importCommits(directory, [
    { branch: 'main', files: filesBefore() },
    { branch: 'feature', files: filesAfter() },
  ]);
  const made = worldOver(openFixture(directory));
  const github = await startGitHub(made.github);
  const model = await startModel({ answers: () => submit([]) });
  const folder = temporaryFolder();
  const common = {
    ...{ model: 'scripted', profile: 'quick', 'max-total-tokens': '1000000000', 'timeout-minutes': '360' },
    ...{
      'max-shards': String(shards),
      'plan-file': join(folder, 'plan.json'),
      'state-key': 'a-key-of-the-bench-0123456789',
    },
  };
  const job = async (name: string, inputs: Readonly<Record<string, string>>, isAsked = false) => {
    const usage = join(folder, `${name}.usage.json`);
    const run = await runAction({
      ...{ event: eventOf(made), github, timeout: 3_600_000, start: 'bundle' },
      ...(isAsked ? { model } : {}),
      inputs: { ...(isAsked ? { api: 'chat' } : {}), ...common, ...inputs },
      environment: { BENCH_USAGE_FILE: usage, NODE_OPTIONS: nodeOptions() },
    });
    if (process.env['POSTIL_BENCH_LOG'] !== undefined) console.error(run.log, run.outputs);
    const { cpu, kibibytes } = usageOf(usage);
    return { run, seconds: run.milliseconds / 1_000, cpu: cpu / 1_000, mebibytes: kibibytes / 1_024 };
  };
  try {
    const plan = await job('plan', { mode: 'plan' });
    const fourAtATime = pLimit(4);
    const names: readonly string[] = JSON.parse(plan.run.outputs['shards'] ?? '[]');
    const reviews = await Promise.all(
      names.map((shard, at) =>
        fourAtATime(() =>
          job(`shard-${at}`, { mode: 'review', shard, 'review-file': join(folder, `shard-${at}.json`) }, true),
        ),
      ),
    );
    const post = await job('post', { mode: 'post', 'review-file': join(folder, 'shard-*.json') });
    if (post.run.outputs['outcome'] !== 'clean') throw new Error(`The review was ${post.run.outputs['outcome']}.`);
    const memory = (what: string, jobs: readonly { readonly mebibytes: number }[]): Row => ({
      measure: `  most memory of ${what}`,
      measured: Math.max(...jobs.map(({ mebibytes }) => mebibytes)),
      unit: 'MiB',
      promised: { atMost: 512 },
    });
    const time = (measure: string, { seconds, cpu }: typeof plan, atMost: number | null): Row => ({
      ...{ measure, measured: seconds, cpu, unit: 's' },
      promised: atMost === null ? null : { atMost },
    });
    return [
      time(`3,000 files in ${names.length} shards: the plan`, plan, 10),
      memory('the plan', [plan]),
      memory('a shard, four at a time', reviews),
      { measure: '  model calls', measured: model.requests.length, unit: 'calls', promised: null },
      time('  the job that posts', post, 60),
      memory('it', [post]),
    ];
  } finally {
    await Promise.all([github.close(), model.close()]);
  }
}

function row(how: string, { wait, alone, atMost }: { wait: number; alone: number; atMost: number }): Row {
  return {
    measure: `  in ${shards} shards, ${how}: of that`,
    measured: (100 * wait) / alone,
    unit: '%',
    promised: { atMost },
  };
}

/** The time until all have ended, when so many run at once: the next one begins where one has ended. */
function inTurns(waits: readonly number[], atOnce: number): number {
  const ends = Array.from({ length: atOnce }, () => 0);
  for (const wait of waits) {
    const next = ends.indexOf(Math.min(...ends));
    ends[next] = (ends[next] ?? 0) + wait;
  }
  return Math.max(...ends);
}
