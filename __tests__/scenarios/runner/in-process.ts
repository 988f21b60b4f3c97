import { openSyntax } from '../../../src/adapters/syntax/open-syntax.ts';
import { runJob } from '../../../src/job.ts';
import { sourceImageFiles } from '../../fakes/source-image-files.ts';
import { sourceSyntaxFiles } from '../../fakes/source-syntax-files.ts';
import type { QuietTime } from '../../model-matrix/quiet-clock.ts';
import type { ChildOptions, ChildRun } from './child.ts';

// One parser for all runs of this process, which ends it: its thread takes longer to start than all the rest.
const syntax = openSyntax({
  files: sourceSyntaxFiles,
  onProblem: (text) => {
    throw new Error(text);
  },
});

let running = false;

/**
 * The job from `src`, in this process and without GitHub's pace of one write a second. For as long as it runs, environment,
 * folder, output and exit code of the process are the step's: so only one runs at a time.
 */
export async function runInProcess({
  environment,
  directory,
  time,
}: Pick<ChildOptions, 'environment' | 'directory'> & {
  readonly time: QuietTime | undefined;
}): Promise<ChildRun> {
  if (running) throw new Error("Two runs at once need a process each: set start: 'bundle'.");
  running = true;
  const started = performance.now();
  const before = { environment: { ...process.env }, directory: process.cwd(), code: process.exitCode };
  const written = { stdout: '', stderr: '' };
  const giveBack = [takeOutput('stdout', written), takeOutput('stderr', written)];
  replaceEnvironment(environment);
  process.chdir(directory);
  process.exitCode = undefined;
  try {
    const job = runJob({
      environment: process.env,
      startedAt: time?.clock.now() ?? Date.now(),
      ...(time === undefined ? {} : { clock: time.clock }),
      signal: new AbortController().signal,
      pace: 'none',
      syntax: { ...syntax, close: async () => undefined },
      imageFiles: sourceImageFiles,
    });
    await (time === undefined ? job : time.clock.drive(job, time.isQuiet));
    const code = Number(process.exitCode ?? 0);
    const log = `${written.stdout}${written.stderr}`.trimEnd();
    return { code, signal: null, log, ...written, milliseconds: performance.now() - started };
  } finally {
    for (const back of giveBack) back();
    process.exitCode = before.code;
    process.chdir(before.directory);
    replaceEnvironment(before.environment);
    running = false;
  }
}

function takeOutput(name: 'stdout' | 'stderr', written: Record<'stdout' | 'stderr', string>): () => void {
  const stream = process[name];
  const original = stream.write;
  stream.write = (chunk: string | Uint8Array): boolean => {
    written[name] += typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString('utf8');
    return true;
  };
  return () => {
    stream.write = original;
  };
}

function replaceEnvironment(environment: Readonly<Record<string, string | undefined>>): void {
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, environment);
}
