import childProcess, { type ExecFileSyncOptions, type SpawnOptions } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { inject } from 'vitest';
import { lacks } from '../platform.ts';
import type { Order, Report } from './spawner.ts';

/**
 * A worker has hundreds of megabytes, and every `fork` copies their page tables: 15 ms for a git process that takes 2. So a small
 * process starts the children of `spawn` and `execFileSync`. Their streams are sockets of the worker, as they would be otherwise, and
 * files where the worker waits. Elsewhere than on Linux nothing is copied, and Windows hands no sockets on.
 */
const key = Symbol.for('postil.spawner');
const known: typeof globalThis & { [key]?: Promise<void> } = globalThis;
known[key] ??= lacks.linux ? Promise.resolve() : install(inject('spawner'));
await known[key];

async function install(path: string): Promise<void> {
  const control = connect(path).unref();
  const children = new Map<number, Elsewhere>();
  const lines = createInterface({ input: control });
  // The first line says where the streams of children connect, the others are reports.
  const [place]: string[] = await once(lines, 'line');
  if (place === undefined) throw new Error('The spawner has no place.');
  lines.on('line', (line) => {
    const report: Report = JSON.parse(line);
    children.get(report.id)?.take(report);
    if (!('pid' in report)) children.delete(report.id);
  });
  const { spawn: here, execFileSync: waitHere } = childProcess;
  let count = 0;
  const spawn = (command: string, args: readonly string[] = [], options: SpawnOptions = {}) => {
    const { cwd, env, stdio = 'pipe', windowsHide: _, windowsVerbatimArguments: __, ...more } = options;
    if (Object.keys(more).length > 0) return here(command, args, options);
    const connected = [0, 1, 2].map((index) => (typeof stdio === 'string' ? stdio : stdio[index]) === 'pipe');
    const streams = connected.map((is) => (is ? connect(place) : null));
    const id = ++count;
    const child = new Elsewhere(streams);
    children.set(id, child);
    const from = { cwd: String(cwd ?? process.cwd()), env: { ...(env ?? process.env) } };
    const order: Order = { id, command, args, ...from, connected };
    control.write(`${JSON.stringify(order)}\n`);
    return child;
  };
  const folder = mkdtempSync(join(tmpdir(), 'postil-waited-'));
  const execFileSync = (command: string, args: readonly string[] = [], options: ExecFileSyncOptions = {}) => {
    const { cwd, env, input, encoding, stdio: _, maxBuffer: __, ...more } = options;
    if (Object.keys(more).length > 0) return waitHere(command, args, options);
    const id = ++count;
    const files = join(folder, String(id));
    writeFileSync(`${files}.in`, typeof input === 'string' || input instanceof Uint8Array ? input : '');
    const from = { cwd: String(cwd ?? process.cwd()), env: { ...(env ?? process.env) } };
    const order: Order = { id, command, args, ...from, connected: [], files };
    control.write(`${JSON.stringify(order)}\n`);
    return waitFor(order, files, encoding);
  };
  Object.assign(childProcess, { spawn, execFileSync });
  syncBuiltinESMExports();
}

const pause = new Int32Array(new SharedArrayBuffer(4));

function waitFor({ command, args }: Order, files: string, encoding: ExecFileSyncOptions['encoding']): string | Buffer {
  // Nothing arrives while this thread waits, so it looks: a git process takes a few milliseconds.
  while (!existsSync(`${files}.end`)) Atomics.wait(pause, 0, 0, 1);
  const report: Report = JSON.parse(readFileSync(`${files}.end`, 'utf8'));
  const [stdout, stderr] = [readFileSync(`${files}.out`), readFileSync(`${files}.err`)];
  for (const end of ['in', 'out', 'err', 'end']) rmSync(`${files}.${end}`);
  if ('error' in report) throw Object.assign(new Error(report.error.message), report.error);
  if (!('code' in report) || report.code !== 0) {
    const words = `Command failed: ${command} ${args.join(' ')}\n${stderr.toString('utf8')}`;
    throw Object.assign(new Error(words), { status: 'code' in report ? report.code : null, stdout, stderr });
  }
  return typeof encoding === 'string' && encoding !== 'buffer' ? stdout.toString(encoding) : stdout;
}

/** What callers use of a `ChildProcess`. */
class Elsewhere extends EventEmitter {
  readonly stdin: Socket | null;
  readonly stdout: Socket | null;
  readonly stderr: Socket | null;
  exitCode: number | null = null;
  signalCode: NodeJS.Signals | null = null;
  #pid: number | null = null;
  #pending: NodeJS.Signals | null = null;
  #open: number;

  constructor([stdin = null, stdout = null, stderr = null]: readonly (Socket | null)[]) {
    super();
    [this.stdin, this.stdout, this.stderr] = [stdin, stdout, stderr];
    const outputs = [stdout, stderr].filter((stream) => stream !== null);
    this.#open = outputs.length + 1;
    for (const stream of outputs) stream.once('close', () => this.#close());
    stdin?.resume().once('end', () => stdin.destroy());
  }

  take(report: Report): void {
    if ('pid' in report) {
      this.#pid = report.pid;
      if (this.#pending !== null) this.kill(this.#pending);
      return;
    }
    this.#pid = null;
    if ('error' in report) {
      const { message, ...more } = report.error;
      this.exitCode = -1;
      this.emit('error', Object.assign(new Error(message), more));
    } else {
      this.exitCode = report.code;
      this.signalCode = report.signal;
      this.emit('exit', report.code, report.signal);
    }
    // What nobody reads must not keep it open.
    for (const stream of [this.stdout, this.stderr]) if (stream?.readableFlowing === null) stream.resume();
    this.#close();
  }

  kill(signal: NodeJS.Signals = 'SIGTERM'): boolean {
    if (this.exitCode !== null || this.signalCode !== null) return false;
    this.#pending = signal;
    if (this.#pid === null) return true;
    try {
      return process.kill(this.#pid, signal);
    } catch {
      return false;
    }
  }

  #close(): void {
    this.#open -= 1;
    if (this.#open === 0) this.emit('close', this.exitCode, this.signalCode);
  }
}

declare module 'vitest' {
  export interface ProvidedContext {
    /** The socket of the spawner. */
    spawner: string;
  }
}
