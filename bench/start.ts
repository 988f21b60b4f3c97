import { tmpdir } from 'node:os';
import { builtFile, runAction } from '../__tests__/scenarios/harness.ts';
import { runNode } from '../__tests__/scenarios/runner/start.ts';
import type { Row } from './row.ts';
import { medianSample, type Sample, sampleChild } from './sample.ts';

const runs = 15;
const promised = { atMost: 250 } as const;

/** From the start of the process to its end, with as little to do as there is. */
export async function start(): Promise<readonly Row[]> {
  const commandLine = () => runScript([builtFile('dist/cli/index.js'), '--version']);
  return [
    { measure: 'cold start: postil --version', ...(await timed(commandLine)), promised },
    { measure: 'cold start: the action, skipping a push', ...(await timed(skipPush)), promised },
    // Tells how busy the machine is: 30 to 40 ms when it is not.
    {
      measure: '  Node itself, with nothing to do',
      ...(await timed(() => runScript(['--eval', '0']))),
      promised: null,
    },
  ];
}

type Timed = Pick<Row, 'measured' | 'cpu' | 'unit'>;

async function timed(run: () => Promise<{ readonly milliseconds: number }>): Promise<Timed> {
  const { wall, cpu } = await medianSample(runs, async (): Promise<Sample> => (await sampleChild(run)).sample);
  return { measured: wall, cpu, unit: 'ms' };
}

async function runScript(args: readonly string[]) {
  const child = await runNode({
    node: process.execPath,
    args,
    directory: tmpdir(),
    environment: { PATH: process.env['PATH'] ?? '' },
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
