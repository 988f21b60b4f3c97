import { spawn } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export type ChildOptions = {
  readonly node: string;
  readonly args: readonly string[];
  readonly directory: string;
  /** The whole environment: nothing is inherited. */
  readonly environment: Readonly<Record<string, string>>;
  readonly input?: string;
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

// A test run compiles the bundles once, which is half of what starting one takes. The bench starts as users do.
const compileCache =
  process.env['VITEST'] === undefined ? {} : { NODE_COMPILE_CACHE: join(tmpdir(), 'postil-compile-cache') };

export async function runNode(options: ChildOptions): Promise<ChildRun> {
  const started = performance.now();
  const child = spawn(options.node, options.args, {
    cwd: options.directory,
    // The bundles are compiled once a run: half of what starting one takes.
    env: { ...compileCache, ...options.environment },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  child.stdin.on('error', () => {});
  child.stdin.end(options.input ?? '');
  const lines: string[] = [];
  const stdout = new LineReader((line) => lines.push(line));
  const stderr = new LineReader((line) => lines.push(line));
  child.stdout.on('data', (chunk: Buffer) => stdout.take(chunk));
  child.stderr.on('data', (chunk: Buffer) => stderr.take(chunk));
  void options.signalAfter?.when.then(() => child.kill(options.signalAfter?.signal));
  const timer = setTimeout(() => child.kill('SIGKILL'), options.timeout);
  const end = await new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve, reject) => {
    child.on('error', reject).on('close', (code, signal) => resolve({ code, signal }));
  });
  clearTimeout(timer);
  stdout.end();
  stderr.end();
  const log = lines.join('\n');
  if (end.signal === 'SIGKILL' && options.signalAfter?.signal !== 'SIGKILL')
    throw new Error(`Still running after ${options.timeout} ms. Its log:\n${log}`);
  return { ...end, log, stdout: stdout.text(), stderr: stderr.text(), milliseconds: performance.now() - started };
}

/** Cuts a stream into lines. Bytes are joined before they are decoded: a character may arrive in two chunks. */
class LineReader {
  readonly #chunks: Buffer[] = [];
  readonly #emit: (line: string) => void;
  #rest = Buffer.alloc(0);

  constructor(emit: (line: string) => void) {
    this.#emit = emit;
  }

  take(chunk: Buffer): void {
    this.#chunks.push(chunk);
    let rest = Buffer.concat([this.#rest, chunk]);
    for (let end = rest.indexOf(10); end !== -1; end = rest.indexOf(10)) {
      this.#emit(rest.subarray(0, end).toString('utf8'));
      rest = rest.subarray(end + 1);
    }
    this.#rest = rest;
  }

  end(): void {
    if (this.#rest.length > 0) this.#emit(this.#rest.toString('utf8'));
    this.#rest = Buffer.alloc(0);
  }

  text(): string {
    return Buffer.concat(this.#chunks).toString('utf8');
  }
}
