import type { ChildProcessByStdio } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';

export type GitChild = ChildProcessByStdio<Writable, Readable, Readable>;

export type CollectOptions = {
  /** Written to stdin, which is closed after it. */
  readonly input?: string;
  /** Milliseconds after which the child is stopped; what it wrote until then is returned. */
  readonly timeout?: number;
  /** Bytes of stdout after which the child is stopped; what it wrote until then is returned. */
  readonly maxBytes?: number;
  /** Gets stdout piece by piece instead of the result; 'stop' ends the child. */
  readonly onOutput?: (chunk: Buffer) => 'go on' | 'stop';
};

export type EndedChild = {
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
export function collectOutput(
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
