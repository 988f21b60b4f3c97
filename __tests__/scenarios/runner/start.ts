import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';
import { openSyntax } from '../../../src/adapters/syntax/syntax.ts';
import { runJob } from '../../../src/run/job/job.ts';
import { systemClock } from '../../../src/run/machine.ts';
import { at, isObject } from '../../fakes/every-pair.ts';
import { sourceImageFiles } from '../../fakes/images.ts';
import { type QuietTime, sourceSyntaxFiles } from '../../fakes/memory-repository.ts';
import { surfaces } from '../../fakes/surfaces/surfaces.ts';

/**
 * The INPUT_ variables that the runner sets for a step: every input of action.yml, with its default where the workflow
 * says nothing. Names are upper-cased and spaces become underscores; hyphens stay.
 */
export async function inputVariables(
  inputs: Readonly<Record<string, string>>,
  context: { readonly token: string; readonly workflow: string },
): Promise<Readonly<Record<string, string>>> {
  const declared = at(await actionMetadata(), 'inputs');
  if (!isObject(declared)) throw new Error('action.yml has no inputs.');
  const unknown = Object.keys(inputs).find((name) => !(name in declared));
  if (unknown !== undefined) throw new Error(`action.yml has no input ${unknown}: the runner would only warn.`);
  const values = Object.keys(declared).map((name): [string, string] => {
    const given = inputs[name] ?? evaluate(String(at(declared, name, 'default') ?? ''), context);
    return [`INPUT_${name.replaceAll(' ', '_').toUpperCase()}`, given];
  });
  return Object.fromEntries(values);
}

let metadata: Promise<unknown> | undefined;

function actionMetadata(): Promise<unknown> {
  metadata ??= readFile(new URL('../../../action.yml', import.meta.url), 'utf8').then((text) => parse(text));
  return metadata;
}

function evaluate(text: string, context: { readonly token: string; readonly workflow: string }): string {
  return text.replace(/\$\{\{\s*(.*?)\s*\}\}/g, (_, expression: string) => {
    if (expression === 'github.token') return context.token;
    if (expression === 'github.workflow') return context.workflow;
    throw new Error(`The harness cannot evaluate ${expression}.`);
  });
}

export type ChildOptions = {
  /** Or another program. */
  readonly node: string;
  readonly args: readonly string[];
  readonly directory: string;
  /** The whole environment: nothing is inherited. */
  readonly environment: Readonly<Record<string, string>>;
  /** Milliseconds after which the child is killed and the run fails. */
  readonly timeout: number;
  /** A signal that is sent once something has happened, as the runner does when a job is cancelled. */
  readonly signalAfter?: { readonly signal: NodeJS.Signals; readonly when: Promise<unknown> };
};

export type ChildRun = {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** Both streams, by line, in the order of arrival. */
  readonly log: string;
  readonly stdout: string;
  readonly stderr: string;
  readonly milliseconds: number;
};

// A test run compiles the batches once, which is half of what starting one takes. The bench starts as users do.
const compileCache =
  process.env['VITEST'] === undefined ? {} : { NODE_COMPILE_CACHE: join(tmpdir(), 'postil-compile-cache') };

export function runNode(options: ChildOptions): Promise<ChildRun> {
  return recorded(options, () => startNode(options));
}

/** With its surfaces, under the same title for what is built and for `src` in this process. */
function recorded(
  { args: [file = '', ...rest], environment }: Pick<ChildOptions, 'args' | 'environment'>,
  start: () => Promise<ChildRun>,
): Promise<ChildRun> {
  if (surfaces === null) return start();
  const event = environment['GITHUB_EVENT_NAME'] ?? '';
  const names = { 'cli/index': 'postil', index: `job on ${event}`, post: `post step on ${event}` };
  const title = [at(names, /dist\/(\S+)\.js$/.exec(file)?.[1] ?? '') ?? file, ...rest].join(' ');
  return surfaces.run(title, start, ({ code, signal, stdout, stderr }) => ({
    end: signal ?? `exit ${code}`,
    sections: { stdout, stderr },
  }));
}

async function startNode(options: ChildOptions): Promise<ChildRun> {
  const started = performance.now();
  const child = spawn(options.node, options.args, {
    cwd: options.directory,
    // The batches are compiled once a run: half of what starting one takes.
    env: { ...compileCache, ...options.environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const lines: string[] = [];
  const emit = (line: string) => lines.push(line);
  const [endOutput, endErrors] = [readLines(child.stdout, emit), readLines(child.stderr, emit)];
  void options.signalAfter?.when.then(() => child.kill(options.signalAfter?.signal));
  const timer = setTimeout(() => child.kill('SIGKILL'), options.timeout);
  const end = await new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve, reject) => {
    child.on('error', reject).on('close', (code, signal) => resolve({ code, signal }));
  });
  clearTimeout(timer);
  const written = { stdout: endOutput(), stderr: endErrors() };
  const log = lines.join('\n');
  if (end.signal === 'SIGKILL' && options.signalAfter?.signal !== 'SIGKILL')
    throw new Error(`Still running after ${options.timeout} ms. Its log:\n${log}`);
  return { ...end, log, ...written, milliseconds: performance.now() - started };
}

/** Emits each line as it comes, a last one without its end when the text is taken, which is all of it. */
function readLines(stream: NodeJS.ReadableStream, emit: (line: string) => unknown): () => string {
  let [all, rest] = ['', ''];
  // A character may arrive in two chunks.
  stream.setEncoding('utf8').on('data', (text: string) => {
    all += text;
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) emit(line);
  });
  return () => {
    if (rest !== '') emit(rest);
    return all;
  };
}

/** Reads a command file (GITHUB_OUTPUT and the like) as the runner does: `name=value` or a heredoc. Throws as it does. */
export function parseCommandFile(text: string): Readonly<Record<string, string>> {
  const values: Record<string, string> = {};
  const lines = text.split(/\r?\n/);
  for (let index = 0; index < lines.length; index += 1) {
    const line = lines[index] ?? '';
    if (line === '') continue;
    const equals = line.indexOf('=');
    const heredoc = line.indexOf('<<');
    if (equals >= 0 && (heredoc < 0 || equals < heredoc)) {
      values[line.slice(0, equals)] = line.slice(equals + 1);
      continue;
    }
    if (heredoc < 1) throw new Error(`Invalid format '${line}'`);
    const delimiter = line.slice(heredoc + 2);
    const end = lines.indexOf(delimiter, index + 1);
    if (delimiter === '' || end === -1) throw new Error(`Matching delimiter not found '${delimiter}'`);
    values[line.slice(0, heredoc)] = lines.slice(index + 1, end).join('\n');
    index = end;
  }
  return values;
}

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
  time,
  ...step
}: Step & { readonly time: QuietTime | undefined }): Promise<ChildRun> {
  return inThisProcess({ ...step, args: ['dist/index.js'] }, async () => {
    const clock = time?.clock ?? systemClock;
    const job = runJob({
      environment: process.env,
      run: { clock, startedAt: time?.clock.now() ?? Date.now(), signal: new AbortController().signal },
      overrides: {
        pace: 'none',
        syntax: { ...syntax, close: async () => undefined },
        imageFiles: sourceImageFiles,
      },
    });
    await (time === undefined ? job : time.clock.drive(job, time.isQuiet));
    return Number(process.exitCode ?? 0);
  });
}

/** The command line from `src`, in this process, which has no parser: that is beside what is built. */
export async function runCliInProcess(args: readonly string[], step: Step): Promise<ChildRun> {
  cli ??= await import('../../../src/cli.ts');
  return inThisProcess({ ...step, args: ['dist/cli/index.js', ...args] }, async () => cli?.main(args) ?? 1);
}

let cli: typeof import('../../../src/cli.ts') | undefined;

type Step = Pick<ChildOptions, 'environment' | 'directory'>;

function inThisProcess(step: Step & Pick<ChildOptions, 'args'>, work: () => Promise<number>): Promise<ChildRun> {
  return recorded(step, () => runHere(step, work));
}

async function runHere({ environment, directory }: Step, work: () => Promise<number>): Promise<ChildRun> {
  if (running) throw new Error("Two runs at once need a process each: set start: 'bundle'.");
  running = true;
  const started = performance.now();
  const before = { environment: { ...process.env }, directory: process.cwd(), code: process.exitCode };
  const signals = (['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const).map(
    (name) => [name, process.listeners(name)] as const,
  );
  const written = { stdout: '', stderr: '' };
  const giveBack = [takeOutput('stdout', written), takeOutput('stderr', written)];
  replaceEnvironment(environment);
  process.chdir(directory);
  process.exitCode = undefined;
  try {
    const code = await work();
    const log = `${written.stdout}${written.stderr}`.trimEnd();
    return { code, signal: null, log, ...written, milliseconds: performance.now() - started };
  } finally {
    for (const back of giveBack) back();
    for (const [name, listeners] of signals) {
      for (const each of process.listeners(name)) if (!listeners.includes(each)) process.off(name, each);
    }
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
