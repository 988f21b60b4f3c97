import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createRepository } from '../__tests__/fakes/git-fixture.ts';
import { temporaryFolder } from '../__tests__/fakes/memory-repository.ts';
import { submit } from '../__tests__/fakes/model-server/script.ts';
import { startModel } from '../__tests__/fakes/model-server/start-model.ts';
import { builtFile, runAction } from '../__tests__/scenarios/harness.ts';
import { runNode } from '../__tests__/scenarios/runner/start.ts';
import { review } from './review.ts';
import type { Row } from './row.ts';
import { median, medianSample, type Sample, sampleChild } from './sample.ts';

const runs = 15;
const promised = { atMost: 250 } as const;
const promisedVersion = { atMost: 100 } as const;

/** From the start of the process to its end, with as little to do as there is. */
export async function start(): Promise<readonly Row[]> {
  const home = temporaryFolder();
  const commandLine = () => runScript([builtFile('dist/cli/index.js'), '--version'], home);
  return [
    { measure: 'cold start: postil --version', ...(await timed(commandLine)), promised: promisedVersion },
    { measure: 'cold start: the action, skipping a push', ...(await timed(skipPush)), promised },
    // Tells how busy the machine is: 30 to 40 ms when it is not.
    {
      measure: '  Node itself, with nothing to do',
      ...(await timed(() => runScript(['--eval', '0']))),
      promised: null,
    },
    ...(await reviewOfOneFile()),
    { measure: 'hook: ten staged files, rules only', ...(await timed(hook())), promised: { atMost: 1_000 } },
    ...(await review()),
  ];
}

/** What ends each part of a review: the first event of its kind in the progress file. */
const parts: readonly (readonly [event: string, part: string])[] = [
  ['note', 'start, and the commits found'],
  ['review-start', 'configuration, and the model’s client'],
  ['files-select', 'the diff'],
  ['batches-plan', 'rules and the plan'],
  ['batch-start', 'guidance, tools and the estimate'],
  ['agent-event', 'what the model is shown'],
  ['review-end', 'calls of the model'],
];

/** The command line over one changed file, with a model that answers at once. */
async function reviewOfOneFile(): Promise<readonly Row[]> {
  const fixture = createRepository();
  const lines = Array.from({ length: 200 }, (_, line) => `export const value${line} = (n: number) => n + ${line};`);
  fixture.commit({ files: { 'src/values.ts': lines.join('\n') } });
  fixture.commit({ files: { 'src/values.ts': [...lines, 'export const more = value1(2);'].join('\n') } });
  const model = await startModel({ answers: () => submit([]) });
  const home = temporaryFolder();
  const durations = new Map<string, number[]>(parts.map(([, part]) => [part, []]));
  const once = async (script = 'dist/cli/index.js') => {
    const progress = join(temporaryFolder(), 'progress.jsonl');
    const args = ['review', '--base', 'HEAD~1', '--base-url', model.url, '--api', 'chat', '--model', 'any'];
    let last = Date.now();
    const child = await runNode({
      node: process.execPath,
      args: [builtFile(script), ...args, '--progress-file', progress],
      directory: fixture.directory,
      environment: { PATH: process.env['PATH'] ?? '', HOME: home, POSTIL_API_KEY: model.apiKey },
      timeout: 60_000,
    });
    if (child.code !== 0) throw new Error(`The review ended with ${child.code}:\n${child.log}`);
    const events = readFileSync(progress, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    for (const [type, part] of parts) {
      const time = Date.parse(events.find((event) => event.type === type)?.time ?? '') || last;
      durations.get(part)?.push(time - last);
      last = time;
    }
    return child;
  };
  try {
    const alone = await timed(() => once('dist/cli/start.js'));
    for (const each of durations.values()) each.length = 0;
    const whole = await timed(() => once());
    const watching = whole.measured - alone.measured;
    const rows = [...durations].map(([part, milliseconds]): Row => {
      return { measure: `  ${part}`, measured: median(milliseconds), unit: 'ms', promised: null };
    });
    return [
      { measure: 'review of one file, answered at once', ...whole, promised: { atMost: 400 } },
      { measure: '  the process that watches', measured: watching, unit: 'ms', promised: { atMost: 50 } },
      ...rows,
    ];
  } finally {
    await model.close();
  }
}

/** As docs/hooks.md has it. */
function hook() {
  const fixture = createRepository();
  const text = (changed: boolean) =>
    Array.from({ length: 200 }, (_, line) => `export const value${line} = ${changed && line % 10 === 0 ? 1 : line};`);
  const files = (changed: boolean) =>
    Object.fromEntries(Array.from({ length: 10 }, (_, file) => [`src/part${file}.ts`, text(changed).join('\n')]));
  fixture.commit({ files: files(false) });
  for (const [path, content] of Object.entries(files(true))) writeFileSync(join(fixture.directory, path), content);
  fixture.git('add', '--all');
  const home = temporaryFolder();
  const args = ['review', '--staged', '--profile', 'offline', '--fail-on', 'warning'];
  return () => runScript([builtFile('dist/cli/index.js'), ...args], home, fixture.directory);
}

type Timed = Pick<Row, 'measured' | 'cpu' | 'unit'>;

async function timed(run: () => Promise<{ readonly milliseconds: number }>): Promise<Timed> {
  const { wall, cpu } = await medianSample(runs, async (): Promise<Sample> => (await sampleChild(run)).sample);
  return { measured: wall, cpu, unit: 'ms' };
}

/** `home` is where what was compiled is kept. */
async function runScript(args: readonly string[], home = '', directory = temporaryFolder()) {
  const child = await runNode({
    node: process.execPath,
    args,
    // The command line keeps no code below the current folder.
    directory,
    environment: { PATH: process.env['PATH'] ?? '', HOME: home },
    timeout: 25_000,
  });
  if (child.code !== 0) throw new Error(`node ${args.join(' ')} ended with ${child.code}:\n${child.log}`);
  return child;
}

async function skipPush() {
  const run = await runAction({ event: { name: 'push', payload: { ref: 'refs/heads/main' } }, start: 'bundle' });
  if (run.code !== 0 || run.outputs['outcome'] !== 'skipped') throw new Error(`A push was not skipped:\n${run.log}`);
  return run;
}
