import { type ChildProcessByStdio, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { UserError } from '../../core/errors.ts';

// Not @actions/exec: it can be neither cancelled nor given a time limit, and it re-scans `-z` output as lines.

type GitOptions = CollectOptions & {
  /** Instead of the reading environment. */
  readonly environment?: NodeJS.ProcessEnv;
  /** An index beside the repository, which has none. */
  readonly indexFile?: string;
  /** Exit codes that are no error besides 0, such as 1 of `git grep` without a match. */
  readonly accept?: readonly number[];
};

/** Milliseconds and bytes for a child whose caller sets none: it reads what is on this disk. A child that needs more fails. */
const usual = { timeout: 120_000, maxBytes: 256_000_000 };

export type GitOutput = {
  readonly stdout: Buffer;
  /** Why the child was stopped at a limit that the caller set; null when it ended by itself. */
  readonly stopped: 'time' | 'size' | 'reader' | null;
};

/** Runs git in one repository with one fixed set of safe options. */
export type Git = {
  readonly directory: string;
  /** @throws GitError when git fails or the run is cancelled, UserError when git cannot be started. */
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
  return {
    directory: options.directory,
    start,
    run: async (args, runOptions = {}) => {
      const name = `git ${args[0] ?? ''}`;
      if (options.signal.aborted) throw cancelled(name, options.signal);
      const environment = runOptions.environment ?? options.environment;
      const index = runOptions.indexFile === undefined ? {} : { GIT_INDEX_FILE: runOptions.indexFile };
      const child = collectOutput(start(args, { ...environment, ...index }), { ...usual, ...runOptions });
      running.add(child.cancel);
      const ended = await child.ended.finally(() => running.delete(child.cancel));
      return outcome({ name, ended, options: runOptions, signal: options.signal });
    },
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
  if (stopped !== null || isFine) return { stdout: ended.stdout, stopped };
  throw new GitError(`${name} failed: ${ended.stderr.trim() || `exit code ${exitCode}`}`, { exitCode });
}

function notStarted(cause: Error): UserError {
  return new UserError('git could not be started.', { hint: 'Install git 2.31 or later, and have it on PATH.', cause });
}

function overLimit(name: string, limit: string): GitError {
  return new GitError(`${name} took more than ${limit}, and was stopped`, { exitCode: null });
}

function cancelled(name: string, signal: AbortSignal): GitError {
  return new GitError(`${name} was cancelled`, { exitCode: null, cause: signal.reason });
}

export type GitChild = ChildProcessByStdio<Writable, Readable, Readable>;

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

/** Reads a child to its end, within limits of time and size. `ended` never rejects. */
function collectOutput(
  child: GitChild,
  options: CollectOptions,
): { readonly ended: Promise<EndedChild>; readonly cancel: () => void } {
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

function withResolver<T>(): { promise: Promise<T>; resolve: (value: T) => void } {
  let resolve: (value: T) => void = () => {};
  const promise = new Promise<T>((resolvePromise) => {
    resolve = resolvePromise;
  });
  return { promise, resolve };
}
