/**
 * Puts every fault of `faults.json` in and tells which tests notice: `node scripts/faults/run.ts FOLDER`. FOLDER gets a copy of the project with all
 * faults asleep, its build, and what was found, so it can be stopped and begun again. Each test file that runs has one fault awake, so many are
 * tried at once; of the files that reach a fault the quickest come first, `mostSeconds` of them together.
 *
 * `--room core/history` takes the faults of one room and the tests that import it (`room-tests.ts`), without a build, in minutes, and begins anew each
 * time: what it does not notice, only whole runs could. `--tests PATH`, also several times, are tried instead of the room's, and need `--build` where they
 * start `dist/`; `--fault ID` is one fault.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, cpSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { isInRoom, placeOf, readFaults, readSources, root, withFaults } from './fault.ts';
import { testsOf } from './room-tests.ts';

/** Of tests as they took without a fault. */
const mostSeconds = 60;
/** Without a word from any test, a fault is taken to have no end. */
const longestSilence = 240_000;

const { values: chosen, positionals } = parseArgs({
  options: {
    room: { type: 'string' },
    tests: { type: 'string', multiple: true },
    fault: { type: 'string', multiple: true },
    build: { type: 'boolean' },
  },
  allowPositionals: true,
});
const { room, fault: ids } = chosen;
const isWhole = Object.keys(chosen).length === 0;
/** None are all of them. */
const tests = chosen.tests ?? (room === undefined ? [] : testsOf(room));

const folder = resolve(positionals[0] ?? 'faults');
const copy = join(folder, 'copy');
const files = {
  awake: join(folder, 'awake.json'),
  hits: join(folder, 'hits'),
  told: join(folder, 'told'),
  report: join(folder, 'asleep.json'),
};
const results = join(folder, 'results.jsonl');
const setupFile = `import { appendFileSync } from 'node:fs';
import { afterEach, expect } from 'vitest';
const { testPath } = expect.getState();
globalThis.faultsOf = testPath;
appendFileSync('${files.told}', 'begun\\t' + testPath + '\\n');
afterEach(({ task }) => {
  const { state } = task.result ?? {};
  appendFileSync('${files.told}', (state === 'fail' ? 'failed' : 'passed') + '\\t' + testPath + '\\t' + task.name + '\\n');
});
`;
const sources = readSources();
const faults = readFaults().filter((fault) => {
  const place = placeOf(fault, sources);
  return (ids?.includes(fault.id) ?? true) && (room === undefined || (place !== null && isInRoom(place.path, room)));
});
const { edited, gone } = withFaults(faults, sources);

if (!isWhole || !existsSync(files.report)) await prepare();
const seconds = secondsOfFiles();
const known = new Map(
  lines(results).map((line): [string, string | null] => [JSON.parse(line).id, JSON.parse(line).noticed]),
);
const open = untried();
for (let round = 1; open.length > 0; round += 1) await tryRound(round);
tell();

/** Copies, builds the faults in, and runs the tests once: they must be green, and say which test files reach which fault. */
async function prepare(): Promise<void> {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  // The build reads sources, too.
  writeFileSync(files.awake, '{}');
  execFileSync('git', ['clone', '--quiet', '--local', root, copy]);
  // What is not committed yet counts, too.
  for (const path of ['src', 'eval', '__tests__', 'scripts', 'docs']) {
    cpSync(join(root, path), join(copy, path), { recursive: true });
  }
  for (const path of ['node_modules', '__tests__/oldest-node/node_modules', '__tests__/newest-node/node_modules']) {
    if (existsSync(join(root, path))) execFileSync('cp', ['-al', join(root, path), join(copy, path)]);
  }
  const switchFile = join(copy, 'scripts/faults/switch.ts');
  writeFileSync(switchFile, switchOf());
  for (const [path, text] of edited) {
    const [first = ''] = /^(?:#!.*\n)?/.exec(text) ?? [];
    writeFileSync(join(copy, path), `${first}import '${switchFile}';\n${text.slice(first.length)}`);
  }
  writeFileSync(join(copy, 'scripts/faults/setup.ts'), setupFile);
  change('vitest.config.ts', 'setupFiles: [', "setupFiles: ['scripts/faults/setup.ts', ");
  const spawner = '__tests__/fakes/spawner/spawn-elsewhere.ts';
  change(spawner, /env: \{ \.\.\.\(env/g, 'env: { FAULTS_OF: globalThis.faultsOf, ...(env');
  if (isWhole || chosen.build === true)
    execFileSync('npm', ['run', '--silent', 'build'], { cwd: copy, stdio: 'inherit' });
  await vitest(tests, ['--reporter=json', `--outputFile=${files.report}`]);
}

function change(path: string, from: string | RegExp, to: string): void {
  const text = readFileSync(join(copy, path), 'utf8');
  const changed = text.replace(from, to);
  if (changed === text) throw new Error(`${path} has no ${from}`);
  writeFileSync(join(copy, path), changed);
}

/** Which fault is awake stands in a file: whole runs get an environment of their own. Where none is, what is reached is written down. */
function switchOf(): string {
  return `import { appendFileSync, readFileSync } from 'node:fs';
const awake = JSON.parse(readFileSync('${files.awake}', 'utf8'));
const isRecording = Object.keys(awake).length === 0;
const hits = new Set();
globalThis.postilFault ??= (number) => {
  const path = globalThis.faultsOf ?? process.env.FAULTS_OF ?? '';
  if (!isRecording) return awake[path] === number;
  const hit = number + ' ' + path + '\\n';
  if (!hits.has(hit)) appendFileSync('${files.hits}', hit);
  hits.add(hit);
  return false;
};
`;
}

/** Ends what nothing is heard of any more. */
async function vitest(paths: readonly string[], flags: readonly string[]): Promise<void> {
  writeFileSync(files.told, '');
  const args = ['node_modules/vitest/vitest.mjs', 'run', ...flags, ...paths];
  const child = spawn(process.execPath, args, { cwd: copy, stdio: 'ignore', detached: true });
  const end = once(child, 'exit');
  while ((await Promise.race([end, sleep(5_000)])) === undefined) {
    if (Date.now() - statSync(files.told).mtimeMs < longestSilence || child.pid === undefined) continue;
    process.kill(-child.pid, 'SIGKILL');
  }
}

type Report = {
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly startTime: number;
    readonly endTime: number;
  }[];
};

/** Of the files that are green without a fault. The floors are red: every source imports the switch. */
function secondsOfFiles(): ReadonlyMap<string, number> {
  const { testResults }: Report = JSON.parse(readFileSync(files.report, 'utf8'));
  const red = testResults.filter(({ status }) => status !== 'passed');
  for (const { name } of red)
    process.stdout.write(`Red without a fault, and left out: ${name.slice(copy.length + 1)}\n`);
  const green = testResults.filter((one) => !red.includes(one));
  return new Map(green.map(({ name, startTime, endTime }) => [name, (endTime - startTime) / 1_000]));
}

type Open = { readonly id: string; readonly number: number; readonly paths: string[] };

/** The faults that nothing is known of yet, each with the test files that are to be tried. */
function untried(): Open[] {
  const reached = new Map<number, Set<string>>();
  for (const line of lines(files.hits)) {
    const [number = '', ...path] = line.split(' ');
    reached.set(Number(number), (reached.get(Number(number)) ?? new Set()).add(path.join(' ')));
  }
  const took = (path: string) => seconds.get(path) ?? 0;
  return faults.flatMap(({ id }, number) => {
    if (gone.includes(id) || known.has(id)) return [];
    const paths = [...(reached.get(number) ?? [])].filter((path) => seconds.has(path));
    let sum = 0;
    const quickest = paths
      .toSorted((one, other) => took(one) - took(other))
      .filter((path) => {
        sum += took(path);
        return sum <= mostSeconds;
      });
    return [{ id, number, paths: quickest }];
  });
}

/** Gives each open fault the next of its test files that is free, more of them the later the round. */
async function tryRound(round: number): Promise<void> {
  const owner = new Map<string, Open>();
  for (let turn = 0; turn < round * round; turn += 1) {
    for (const one of open) {
      const path = one.paths.find((path) => !owner.has(path));
      if (path === undefined) continue;
      one.paths.splice(one.paths.indexOf(path), 1);
      owner.set(path, one);
    }
  }
  if (owner.size > 0) {
    writeFileSync(
      files.awake,
      JSON.stringify(Object.fromEntries([...owner].map(([path, { number }]) => [path, number]))),
    );
    await vitest([...owner.keys()], ['--reporter=dot']);
  }
  const told = lines(files.told).map((line) => line.split('\t'));
  const heard = new Set(told.map(([, path]) => path));
  for (const [path, one] of owner) {
    const failed = told.find(([word, of]) => word === 'failed' && of === path);
    const ended = told.some(([word, of]) => word === 'passed' && of === path);
    if (failed !== undefined) end(one, `${path.slice(copy.length + 1)}: ${failed[2]}`);
    // A file that fell before its first test, or that never ended.
    else if (!heard.has(path)) one.paths.unshift(path);
    else if (!ended) end(one, `${path.slice(copy.length + 1)} did not run to its end`);
  }
  for (const one of [...open]) if (one.paths.length === 0) end(one, null);
  process.stdout.write(`Round ${round}: ${owner.size} test files, ${open.length} faults left\n`);
}

function end(one: Open, noticed: string | null): void {
  const index = open.indexOf(one);
  if (index === -1) return;
  open.splice(index, 1);
  known.set(one.id, noticed);
  appendFileSync(results, `${JSON.stringify({ id: one.id, noticed })}\n`);
}

function lines(path: string): readonly string[] {
  return existsSync(path)
    ? readFileSync(path, 'utf8')
        .split('\n')
        .filter((line) => line !== '')
    : [];
}

function tell(): void {
  const by = isWhole ? '' : chosen.tests === undefined ? ' by the tests of the room' : ' by these tests';
  for (const [id, noticed] of known) if (noticed === null) process.stdout.write(`Not noticed${by}: ${id}\n`);
  const noticed = [...known.values()].filter((one) => one !== null);
  process.stdout.write(`${noticed.length} of ${known.size} noticed; the code of ${gone.length} is gone\n`);
}
