import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import type { TestProject } from 'vitest/node';
import { distProblem } from '../scripts/sources-digest.ts';
import { lacks } from './fakes/platform.ts';

/** Before the first test of a run; whoever names the files to run is told by the tests that start `dist/`, and by no other. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  // By its own name: macOS has it behind a link, Windows calls it RUNNER~1.
  const folder = mkdtempSync(join(realpathSync.native(tmpdir()), 'postil-run-'));
  process.env[process.platform === 'win32' ? 'TEMP' : 'TMPDIR'] = folder;
  process.once('exit', () => {
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
    tellSeconds();
  });
  const named = process.argv.slice(2).some((argument) => argument !== 'run' && !argument.startsWith('-'));
  const problem = named ? null : distProblem(fileURLToPath(new URL('..', import.meta.url)));
  if (problem !== null) {
    console.error(problem);
    process.exit(1);
  }
  await bundleThreads(join(folder, 'threads'));
  return lacks.linux ? async () => undefined : startSpawner(project, join(folder, 'spawner'));
}

/** Each image has a thread of its own: one file is loaded in half the time of twelve whose types are taken out first. */
async function bundleThreads(folder: string): Promise<void> {
  for (const name of ['images', 'syntax']) {
    const input = fileURLToPath(new URL(`../src/adapters/${name}/worker.ts`, import.meta.url));
    const bundle = await rolldown({ input, platform: 'node', logLevel: 'silent' });
    await bundle.write({ file: join(folder, `${name}.mjs`), codeSplitting: false });
    await bundle.close();
  }
}

async function startSpawner(project: TestProject, path: string): Promise<() => Promise<void>> {
  const script = fileURLToPath(new URL('fakes/spawner/spawner.ts', import.meta.url));
  const options = ['--no-warnings', '--max-semi-space-size=1'];
  const spawner = spawn(process.execPath, [...options, script, path], { stdio: ['pipe', 'pipe', 'inherit'] });
  await once(spawner.stdout, 'data');
  project.provide('spawner', path);
  const fail = () => {
    console.error('The process that starts the children of the tests has ended, so nothing would start any more.');
    process.exit(1);
  };
  spawner.once('exit', fail);
  return async () => {
    spawner.off('exit', fail).stdin.end();
    // Waited for, so that its seconds are counted.
    await once(spawner, 'exit');
  };
}

function tellSeconds(): void {
  const seconds = Math.round(cpuSeconds());
  console.log(`CPU: ${seconds} s, with all that was started.`);
}

/** Of this process and every child that has ended, theirs included. Only Linux tells of children. */
function cpuSeconds(): number {
  const { user, system } = process.cpuUsage();
  const own = (user + system) / 1e6;
  if (lacks.linux) return own;
  // Behind the name in parentheses; the 14th and 15th field of children are in hundredths of a second.
  const fields = readFileSync('/proc/self/stat', 'utf8').split(') ').at(-1)?.split(' ') ?? [];
  return own + (Number(fields[13]) + Number(fields[14])) / 100;
}
