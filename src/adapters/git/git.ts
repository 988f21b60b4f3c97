import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { access } from 'node:fs/promises';
import { EOL } from 'node:os';
import type { Readable, Writable } from 'node:stream';
import { exec } from '@actions/exec';
import { UserError } from '../../core/errors.ts';
import { programIn } from './environment.ts';

type LocalOptions = {
  /** Instead of the reading environment. */
  readonly environment?: NodeJS.ProcessEnv;
  /** An index beside the repository, which has none. */
  readonly indexFile?: string;
  /** Exit codes that are no error besides 0, such as 1 of `git grep` without a match. */
  readonly accept?: readonly number[];
};

type GitOptions = LocalOptions & CollectOptions;

/** Milliseconds and bytes for a child whose caller sets none: it reads what is on this disk. A child that needs more fails. */
const usual = { timeout: 120_000, maxBytes: 256_000_000 };

export type GitOutput = {
  readonly stdout: Buffer;
  /** Its last 2,000 characters: what it warned of although it ended well. */
  readonly stderr: string;
  /** Why the child was stopped at a limit that the caller set; null when it ended by itself. */
  readonly stopped: 'time' | 'size' | 'reader' | null;
};

/** Runs git in one repository with one fixed set of safe options. */
export type Git = {
  readonly directory: string;
  /**
   * A command that needs no input and ends by itself, soon; its whole output. At a limit or when the run is cancelled only the waiting ends.
   *
   * @throws as `run` does.
   */
  local(args: readonly string[], options?: LocalOptions): Promise<Buffer>;
  /**
   * A command that is stopped at a limit and when the run is cancelled, gets input, or streams.
   *
   * @throws GitError when git fails or the run is cancelled, UserError when git cannot be started.
   */
  run(args: readonly string[], options?: GitOptions): Promise<GitOutput>;
  /** A long-lived child. The caller ends it. */
  start(args: readonly string[]): GitChild;
};

export class GitError extends Error {
  override readonly name = 'GitError';
  /** Null when git did not exit by itself. */
  readonly exitCode: number | null;

  constructor(message: string, options: { exitCode: number | null; cause?: unknown }) {
    super(message, { cause: options.cause });
    this.exitCode = options.exitCode;
  }
}

/** `environment` is what children that read get, whole. When `signal` fires, running children are stopped. */
export function createGit(options: { directory: string; environment: NodeJS.ProcessEnv; signal: AbortSignal }): Git {
  // One listener for all children: Node warns of a leak at the eleventh on one signal.
  const running = new Set<() => void>();
  const cancelAll = () => {
    for (const cancel of running) cancel();
  };
  options.signal.addEventListener('abort', cancelAll, { once: true });
  const start = (args: readonly string[], environment = options.environment) =>
    spawn('git', [...safeOptions, ...args], {
      cwd: options.directory,
      env: environment,
      stdio: ['pipe', 'pipe', 'pipe'],
      windowsHide: true,
    });
  const environmentOf = ({ environment = options.environment, indexFile }: LocalOptions) =>
    indexFile === undefined ? environment : { ...environment, GIT_INDEX_FILE: indexFile };
  const finish = async (args: readonly string[], runOptions: GitOptions, collect: () => Collected) => {
    const name = `git ${args[0] ?? ''}`;
    if (options.signal.aborted) throw cancelled(name, options.signal);
    const child = collect();
    running.add(child.cancel);
    const ended = await child.ended.finally(() => running.delete(child.cancel));
    return outcome({ name, ended, options: runOptions, signal: options.signal });
  };
  return {
    directory: options.directory,
    start,
    local: async (args, localOptions = {}) => {
      const collect = () => collectLocal(args, options.directory, environmentOf(localOptions));
      return (await finish(args, localOptions, collect)).stdout;
    },
    run: (args, runOptions = {}) =>
      finish(args, runOptions, () =>
        collectOutput(start(args, environmentOf(runOptions)), { ...usual, ...runOptions }),
      ),
  };
}

const safeOptions = [
  ...['--no-replace-objects', '--literal-pathspecs', '--no-pager'],
  ...['-c', 'core.hooksPath=/dev/null', '-c', 'core.fsmonitor=false', '-c', 'core.quotePath=false'],
  ...['-c', 'core.attributesFile=/dev/null', '-c', 'gc.auto=0', '-c', 'maintenance.auto=false'],
];

function outcome(run: { name: string; ended: EndedChild; options: GitOptions; signal: AbortSignal }): GitOutput {
  const { name, ended, options } = run;
  const { exitCode, stopped } = ended;
  if (ended.error !== null) throw notStarted(ended.error);
  if (stopped === 'cancelled') throw cancelled(name, run.signal);
  // Who did not ask for a limit would take a part for the whole.
  if (stopped === 'time' && options.timeout === undefined) throw overLimit(name, `${usual.timeout / 1_000} seconds`);
  if (stopped === 'size' && options.maxBytes === undefined) throw overLimit(name, `${usual.maxBytes / 1_000_000} MB`);
  const isFine = exitCode === 0 || options.accept?.includes(exitCode ?? -1) === true;
  if (stopped !== null || isFine) return { stdout: ended.stdout, stderr: ended.stderr, stopped };
  throw new GitError(`${name} failed: ${ended.stderr.trim() || `exit code ${exitCode}`}`, { exitCode });
}

export function notStarted(cause: Error): UserError {
  return new UserError('git could not be started.', { hint: 'Install git 2.31 or later, and have it on PATH.', cause });
}

function overLimit(name: string, limit: string): GitError {
  return new GitError(`${name} took more than ${limit}, and was stopped`, { exitCode: null });
}

function cancelled(name: string, signal: AbortSignal): GitError {
  return new GitError(`${name} was cancelled`, { exitCode: null, cause: signal.reason });
}

/** The output of a command that says one thing. */
export async function lineOf(git: Git, args: readonly string[], options?: LocalOptions): Promise<string> {
  return (await git.local(args, options)).toString('utf8').trim();
}

/** What a `-z` output holds, each a text of its own: parts of one text would keep all of it in memory, hashes and modes too. */
export function textsOf(output: Buffer): readonly string[] {
  const texts: string[] = [];
  let start = 0;
  for (let end = output.indexOf(0); end !== -1; end = output.indexOf(0, start)) {
    texts.push(output.toString('utf8', start, end));
    start = end + 1;
  }
  return texts;
}

/** The records of a `-z` output in which each has so many fields. */
export function recordsOf(output: Buffer, fieldCount: number): readonly (readonly string[])[] {
  const fields = textsOf(output);
  const count = Math.floor(fields.length / fieldCount);
  return Array.from({ length: count }, (_, index) => fields.slice(index * fieldCount, (index + 1) * fieldCount));
}

export function nulTerminated(texts: readonly string[]): string {
  return texts.map((text) => `${text}\0`).join('');
}

type GitChild = ChildProcessByStdio<Writable, Readable, Readable>;

type CollectOptions = {
  /** Written to stdin, which is closed after it. */
  readonly input?: string;
  /** Milliseconds after which the child is stopped; what it wrote until then is returned. */
  readonly timeout?: number;
  /** Bytes of stdout after which the child is stopped; what it wrote until then is returned. */
  readonly maxBytes?: number;
  /** Gets stdout piece by piece instead of the result; 'stop' ends the child. */
  readonly onOutput?: (chunk: Buffer) => 'go on' | 'stop';
};

type EndedChild = {
  readonly stdout: Buffer;
  /** Its last 2,000 characters. */
  readonly stderr: string;
  readonly exitCode: number | null;
  /** Why the child was stopped before it was through; null when it ended by itself. */
  readonly stopped: 'time' | 'size' | 'reader' | 'cancelled' | null;
  /** Set when it could not be started. */
  readonly error: Error | null;
};

const stderrCharacters = 2_000;
const killAfterMilliseconds = 2_000;

/** `ended` never rejects. */
type Collected = { readonly ended: Promise<EndedChild>; readonly cancel: () => void };

/** Reads a child to its end, within limits of time and size. */
function collectOutput(child: GitChild, options: CollectOptions): Collected {
  const chunks: Buffer[] = [];
  let bytes = 0;
  let stderr = '';
  let stopped: EndedChild['stopped'] = null;
  let killTimer: NodeJS.Timeout | undefined;
  const { promise: ended, resolve } = withResolver<EndedChild>();

  const stop = (reason: NonNullable<EndedChild['stopped']>) => {
    if (stopped !== null) return;
    stopped = reason;
    child.kill('SIGTERM');
    killTimer = setTimeout(() => child.kill('SIGKILL'), killAfterMilliseconds);
  };
  const timer = options.timeout === undefined ? undefined : setTimeout(() => stop('time'), options.timeout);
  const settle = (exitCode: number | null, error: Error | null) => {
    clearTimeout(timer);
    clearTimeout(killTimer);
    child.stdout.destroy();
    child.stderr.destroy();
    resolve({ stdout: Buffer.concat(chunks), stderr, exitCode, stopped, error });
  };

  child.stdout.on('data', (chunk: Buffer) => {
    if (stopped !== null) return;
    if (options.onOutput !== undefined) {
      if (options.onOutput(chunk) === 'stop') stop('reader');
      return;
    }
    chunks.push(chunk);
    bytes += chunk.length;
    if (options.maxBytes !== undefined && bytes > options.maxBytes) stop('size');
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr = (stderr + text).slice(-stderrCharacters);
  });
  // A child that ends early closes the pipe; its exit code tells why.
  child.stdin.on('error', () => {});
  // Closed, not written to: a child that never reads would break the pipe, and the error's stack costs a source map.
  if (options.input === undefined) child.stdin.destroy();
  else child.stdin.end(options.input);
  child.once('error', (error) => settle(null, error));
  child.once('close', (exitCode) => settle(exitCode, null));
  // Grandchildren may hold the pipes open after a kill: do not wait for them.
  child.once('exit', (exitCode) => {
    if (stopped !== null) settle(exitCode, null);
  });
  return { ended, cancel: () => stop('cancelled') };
}

/** The same through @actions/exec, which takes no limit and no signal: the child goes on until its own end, or the job's. */
function collectLocal(args: readonly string[], directory: string, environment: NodeJS.ProcessEnv): Collected {
  const chunks: Buffer[] = [];
  let bytes = 0;
  let stderr = '';
  let isOver = false;
  const { promise: ended, resolve } = withResolver<EndedChild>();

  const settle = (end: Pick<EndedChild, 'exitCode' | 'stopped' | 'error'>) => {
    if (isOver) return;
    isOver = true;
    clearTimeout(timer);
    resolve({ stdout: Buffer.concat(chunks), stderr, ...end });
  };
  const stop = (stopped: EndedChild['stopped']) => settle({ exitCode: null, stopped, error: null });
  const timer = setTimeout(() => stop('time'), usual.timeout);

  const onStdout = (chunk: Buffer) => {
    if (!isOver) chunks.push(Buffer.from(chunk));
    bytes += chunk.length;
    // It keeps text until a line end comes and searches all of it again at every chunk, and `-z` has none: so each chunk ends in one.
    chunk.write(EOL, Math.max(chunk.length - EOL.length, 0));
    if (bytes > usual.maxBytes) stop('size');
  };
  const onStderr = (chunk: Buffer) => {
    stderr = (stderr + chunk.toString('utf8')).slice(-stderrCharacters);
  };
  const toItsEnd = async () => {
    const program = await programIn(environment);
    // A folder that is gone and a NUL would throw where nobody could catch it.
    await access(directory);
    if (args.some((arg) => arg.includes('\0'))) throw new Error('an argument holds a NUL character');
    return exec(`"${program.replaceAll('"', '\\"')}"`, [...safeOptions, ...args], {
      cwd: directory,
      env: Object.fromEntries(
        Object.entries(environment).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
      ),
      silent: true,
      ignoreReturnCode: true,
      listeners: { stdout: onStdout, stderr: onStderr },
    });
  };
  toItsEnd().then(
    (exitCode) => settle({ exitCode, stopped: null, error: null }),
    (error: Error) => settle({ exitCode: null, stopped: null, error }),
  );
  return { ended, cancel: () => stop('cancelled') };
}

function withResolver<T>(): { promise: Promise<T>; resolve: (value: T) => void } {
  let resolve: (value: T) => void = () => {};
  const promise = new Promise<T>((resolvePromise) => {
    resolve = resolvePromise;
  });
  return { promise, resolve };
}
