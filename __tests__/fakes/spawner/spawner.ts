/** Starts processes for the workers of a test run: see `spawn-elsewhere.ts`. `node spawner.ts SOCKET` */
import { spawn } from 'node:child_process';
import { closeSync, openSync, renameSync, writeFileSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { createInterface } from 'node:readline';

export type Order = {
  readonly id: number;
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  /** Which of stdin, stdout and stderr are connected; the others are ignored. */
  readonly connected: readonly boolean[];
  /** In place of streams, for a worker that waits: `.in`, `.out` and `.err` of this name, and the report as `.end`. */
  readonly files?: string;
};

export type Report = { readonly id: number } & (
  | { readonly pid: number }
  | { readonly error: { readonly message: string; readonly code: unknown; readonly path: unknown } }
  | { readonly code: number | null; readonly signal: NodeJS.Signals | null }
);

const [path = ''] = process.argv.slice(2);
let workers = 0;
createServer((control) => {
  // A worker's connections arrive in the order in which it makes them, so each worker has a place of its own.
  const own = `${path}.${++workers}`;
  const orders: Order[] = [];
  const streams: Socket[] = [];
  const startNext = () => {
    const [next] = orders;
    const count = next?.connected.filter(Boolean).length ?? 0;
    if (next === undefined || streams.length < count) return;
    orders.shift();
    start(next, { streams: streams.splice(0, count), control });
    startNext();
  };
  // Nothing is read here: the bytes are the child's.
  const server = createServer({ pauseOnConnect: true }, (stream) => {
    // A worker that is done with a child may hang up before it starts.
    streams.push(stream.on('error', () => {}));
    startNext();
  }).listen(own, () => control.write(`${own}\n`));
  const lines = createInterface({ input: control }).on('line', (line) => {
    orders.push(JSON.parse(line));
    startNext();
  });
  // A worker that ends with reports unread resets the connection, and readline passes that on.
  lines.on('error', () => {});
  control.on('error', () => {}).on('close', () => server.close());
}).listen(path, () => process.stdout.write('ready\n'));
process.stdin.on('end', () => process.exit()).resume();

function start(order: Order, { streams, control }: { streams: Socket[]; control: Socket }): void {
  const { id, command, args, cwd, env, connected, files } = order;
  if (files !== undefined) {
    startWaited(order, files);
    return;
  }
  const tell = (report: Report) => control.writable && control.write(`${JSON.stringify(report)}\n`);
  const left = [...streams];
  const child = spawn(command, args, { cwd, env, stdio: connected.map((is) => (is ? left.shift() : 'ignore')) });
  for (const stream of streams) stream.destroy();
  if (child.pid !== undefined) tell({ id, pid: child.pid });
  child.once('error', (error) => tell({ id, error: wordsOf(error) }));
  child.once('exit', (code, signal) => tell({ id, code, signal }));
}

function startWaited({ id, command, args, cwd, env }: Order, files: string): void {
  const stdio = [openSync(`${files}.in`, 'r'), openSync(`${files}.out`, 'w'), openSync(`${files}.err`, 'w')];
  const child = spawn(command, args, { cwd, env, stdio });
  for (const file of stdio) closeSync(file);
  const tell = (report: Report) => {
    writeFileSync(`${files}.part`, JSON.stringify(report));
    renameSync(`${files}.part`, `${files}.end`);
  };
  child.once('error', (error) => tell({ id, error: wordsOf(error) }));
  child.once('exit', (code, signal) => tell({ id, code, signal }));
}

function wordsOf(error: Error) {
  return { message: error.message, code: Reflect.get(error, 'code'), path: Reflect.get(error, 'path') };
}
