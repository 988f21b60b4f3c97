import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { access } from 'node:fs/promises';
import type { Readable, Writable } from 'node:stream';
import { exec } from '@actions/exec';
import { UserError } from '../../core/errors.ts';
import { type ChildEnvironment, programIn } from './environment.ts';

type GitOptions = {
  /** Instead of the reading environment. */
  readonly environment?: ChildEnvironment;
  /** An index beside the repository, which has none. */
  readonly indexFile?: string;
  /** Exit codes that are no error besides 0, such as 1 of `git grep` without a match. */
  readonly accept?: readonly number[];
  /** Written to stdin, which is closed after it. */
  readonly input?: string;
  /** Milliseconds after which the child is stopped; what it wrote until then is returned. */
  readonly timeout?: number;
  /** Bytes of stdout after which the child is stopped; what it wrote until then is returned. */
  readonly maxBytes?: number;
  /** Gets stdout piece by piece instead of the result; 'stop' ends the child. */
  readonly onOutput?: (chunk: Buffer) => 'go on' | 'stop';
};

/** Milliseconds and bytes for a child whose caller sets none: it reads what is on this disk. A child that needs more fails. */
const usual = { timeout: 120_000, maxBytes: 256_000_000 };

type GitOutput = {
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
   * What a command says that says one thing, soon. At a limit or when the run is cancelled only the waiting ends.
   *
   * @throws as `run` does.
   */
  line(args: readonly string[], options?: Pick<GitOptions, 'accept'>): Promise<string>;
  /** The whole output of any other command. @throws as `run` does. */
  read(args: readonly string[], options?: Omit<GitOptions, 'timeout' | 'maxBytes' | 'onOutput'>): Promise<Buffer>;
  /**
   * A command that is stopped at a limit, or by who reads it.
   *
   * @throws GitError when git fails or the run is cancelled, UserError when git cannot be started.
   */
  run(args: readonly string[], options?: GitOptions): Promise<GitOutput>;
  /** A long-lived child. The caller ends it. */
  start(args: readonly string[]): GitChild;
};

type GitChild = ChildProcessByStdio<Writable, Readable, Readable>;

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
export function createGit({
  directory,
  environment: reading,
  signal,
}: {
  directory: string;
  environment: ChildEnvironment;
  signal: AbortSignal;
}): Git {
  // One listener for all children: Node warns of a leak at the eleventh on one signal.
  const running = new Set<() => void>();
  const cancelAll = () => {
    for (const cancel of running) cancel();
  };
  signal.addEventListener('abort', cancelAll, { once: true });
  const start = (args: readonly string[], environment = reading) =>
    spawn('git', [...safeOptions, ...args], {
      cwd: directory,
      env: environment,
      stdio: ['pipe', 'pipe', 'pipe'],
      windowsHide: true,
    });
  const finish = async (args: readonly string[], options: GitOptions, begin: Begin): Promise<GitOutput> => {
    const name = `git ${args[0] ?? ''}`;
    if (signal.aborted) throw cancelled(name, signal);
    const { stopped, error, exitCode, stdout, stderr } = await ended(begin, { ...usual, ...options }, running);
    if (error !== null) throw notStarted(error);
    if (stopped === 'cancelled') throw cancelled(name, signal);
    // Who did not ask for a limit would take a part for the whole.
    if (stopped === 'time' && options.timeout === undefined) throw overLimit(name, `${usual.timeout / 1_000} seconds`);
    if (stopped === 'size' && options.maxBytes === undefined) throw overLimit(name, `${usual.maxBytes / 1_000_000} MB`);
    if (stopped !== null || exitCode === 0 || options.accept?.includes(exitCode ?? -1))
      return { stdout, stderr, stopped };
    throw new GitError(`${name} failed: ${stderr.trim() || `exit code ${exitCode}`}`, { exitCode });
  };
  const run: Git['run'] = (args, options = {}) => {
    const { environment = reading, indexFile, input } = options;
    const all = indexFile === undefined ? environment : { ...environment, GIT_INDEX_FILE: indexFile };
    return finish(args, options, (child) => follow(start(args, all), child, input));
  };
  return {
    directory,
    start,
    run,
    read: async (args, options) => (await run(args, options)).stdout,
    line: async (args, options = {}) => {
      const begin: Begin = (child) => throughActions(args, { directory, environment: reading }, child);
      return (await finish(args, options, begin)).stdout.toString('utf8').trim();
    },
  };
}

const safeOptions = [
  ...['--no-replace-objects', '--literal-pathspecs', '--no-pager'],
  ...['-c', 'core.hooksPath=/dev/null', '-c', 'core.fsmonitor=false', '-c', 'core.quotePath=false'],
  ...['-c', 'core.attributesFile=/dev/null', '-c', 'gc.auto=0', '-c', 'maintenance.auto=false'],
];

export function notStarted(cause: Error): UserError {
  return new UserError('git could not be started.', { hint: 'Install git 2.31 or later, and have it on PATH.', cause });
}

function overLimit(name: string, limit: string): GitError {
  return new GitError(`${name} took more than ${limit}, and was stopped`, { exitCode: null });
}

function cancelled(name: string, signal: AbortSignal): GitError {
  return new GitError(`${name} was cancelled`, { exitCode: null, cause: signal.reason });
}

/** Starts a child that reports to `child`; what it answers stops the child. */
type Begin = (child: ChildReport) => () => void;

type ChildReport = {
  readonly stdout: (chunk: Buffer) => void;
  readonly stderr: (chunk: Buffer) => void;
  /** Its exit code, or why it could not be started. */
  readonly end: (exitCode: number | null, error?: Error | null) => void;
};

type EndedChild = {
  readonly stdout: Buffer;
  /** Its last 2,000 characters. */
  readonly stderr: string;
  readonly exitCode: number | null;
  /** Why the child was stopped before it was through; null when it ended by itself. */
  readonly stopped: GitOutput['stopped'] | 'cancelled';
  /** Set when it could not be started. */
  readonly error: Error | null;
};

const stderrCharacters = 2_000;

/** Reads a child to its end, within limits of time and size; never rejects. `running` holds what cancels it meanwhile. */
function ended(
  begin: Begin,
  { timeout, maxBytes, onOutput }: typeof usual & Pick<GitOptions, 'onOutput'>,
  running: Set<() => void>,
): Promise<EndedChild> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    let stderr = '';
    let stopped: EndedChild['stopped'] = null;
    const stop = (reason: NonNullable<EndedChild['stopped']>) => {
      if (stopped !== null) return;
      stopped = reason;
      kill();
    };
    const cancel = () => stop('cancelled');
    const kill = begin({
      stdout: (chunk) => {
        if (stopped !== null) return;
        bytes += chunk.length;
        if (onOutput === undefined) chunks.push(chunk);
        else if (onOutput(chunk) === 'stop') stop('reader');
        if (onOutput === undefined && bytes > maxBytes) stop('size');
      },
      stderr: (chunk) => {
        stderr = (stderr + chunk.toString('utf8')).slice(-stderrCharacters);
      },
      end: (exitCode, error = null) => {
        clearTimeout(timer);
        running.delete(cancel);
        resolve({ stdout: Buffer.concat(chunks), stderr, exitCode, stopped, error });
      },
    });
    running.add(cancel);
    const timer = setTimeout(() => stop('time'), timeout);
  });
}

const killAfterMilliseconds = 2_000;

/** A child of `node:child_process`, which can be ended. */
function follow(child: GitChild, { stdout, stderr, end }: ChildReport, input: string | undefined): () => void {
  let killTimer: NodeJS.Timeout | undefined;
  const settle = (exitCode: number | null, error: Error | null = null) => {
    clearTimeout(killTimer);
    child.stdout.destroy();
    child.stderr.destroy();
    end(exitCode, error);
  };
  child.stdout.on('data', stdout);
  child.stderr.on('data', stderr);
  // A child that ends early closes the pipe; its exit code tells why.
  child.stdin.on('error', () => {});
  // Closed, not written to: a child that never reads would break the pipe, and the error's stack costs a source map.
  if (input === undefined) child.stdin.destroy();
  else child.stdin.end(input);
  child.once('error', (error) => settle(null, error));
  child.once('close', (exitCode) => settle(exitCode));
  return () => {
    // Grandchildren may hold the pipes open after a kill: do not wait for them.
    child.once('exit', (exitCode) => settle(exitCode));
    child.kill('SIGTERM');
    killTimer = setTimeout(() => child.kill('SIGKILL'), killAfterMilliseconds);
  };
}

/** A child of @actions/exec, which takes no limit and no signal: it goes on until its own end, or the job's, and nobody waits for it. */
function throughActions(
  args: readonly string[],
  { directory, environment }: { directory: string; environment: ChildEnvironment },
  { stdout, stderr, end }: ChildReport,
): () => void {
  const toItsEnd = async () => {
    const program = await programIn(environment);
    // A folder that is gone and a NUL would throw where nobody could catch it.
    await access(directory);
    if (args.some((arg) => arg.includes('\0'))) throw new Error('an argument holds a NUL character');
    return exec(`"${program.replaceAll('"', '\\"')}"`, [...safeOptions, ...args], {
      cwd: directory,
      env: environment,
      silent: true,
      ignoreReturnCode: true,
      listeners: { stdout, stderr },
    });
  };
  toItsEnd().then(
    (exitCode) => end(exitCode),
    (error: Error) => end(null, error),
  );
  return () => end(null);
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
