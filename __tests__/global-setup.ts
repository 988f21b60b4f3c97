import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { distProblem } from '../scripts/sources-digest.ts';

/** Before the first test of a run; whoever names the files to run is told by the tests that start `dist/`, and by no other. */
export function setup(): void {
  const folder = mkdtempSync(join(tmpdir(), 'postil-run-'));
  process.env['TMPDIR'] = folder;
  process.once('exit', () => {
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
    tellSeconds();
  });
  const named = process.argv.slice(2).some((argument) => argument !== 'run' && !argument.startsWith('-'));
  const problem = named ? null : distProblem(fileURLToPath(new URL('..', import.meta.url)));
  if (problem === null) return;
  console.error(problem);
  process.exit(1);
}

function tellSeconds(): void {
  const seconds = Math.round(cpuSeconds());
  console.log(`CPU: ${seconds} s, with all that was started.`);
}

/** Of this process and every child that has ended, theirs included. Only Linux tells of children. */
function cpuSeconds(): number {
  const { user, system } = process.cpuUsage();
  const own = (user + system) / 1e6;
  if (process.platform !== 'linux') return own;
  // Behind the name in parentheses; the 14th and 15th field of children are in hundredths of a second.
  const fields = readFileSync('/proc/self/stat', 'utf8').split(') ').at(-1)?.split(' ') ?? [];
  return own + (Number(fields[13]) + Number(fields[14])) / 100;
}
