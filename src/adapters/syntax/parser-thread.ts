import { Worker } from 'node:worker_threads';
import type { FileSyntax, SourceFile } from '../../core/context/syntax.ts';
import type { SyntaxFiles } from './syntax-files.ts';

export type Job = SourceFile & { readonly milliseconds: number };

export type Answer =
  | { readonly kind: 'parsed'; readonly syntax: FileSyntax | null }
  /** The thread is of no more use: a text made the parser trap, or hang. */
  | { readonly kind: 'broken'; readonly reason: string }
  /** The parser or a grammar cannot be loaded. */
  | { readonly kind: 'unavailable'; readonly reason: string };

/** Milliseconds beyond a job's own: to start the thread, load a grammar, and notice that time is over. */
const graceMilliseconds = 5_000;

/**
 * Parses in a thread of its own, started for the first job and again after one that broke it: a hostile text costs its own
 * result and nothing else. Jobs must not overlap.
 */
export class ParserThread {
  readonly #files: SyntaxFiles;
  #worker: Worker | null = null;

  constructor(files: SyntaxFiles) {
    this.#files = files;
  }

  /** Starts the thread before there is a job: it takes a quarter of a second that others can use. */
  start(): void {
    if (this.#worker !== null) return;
    const worker = spawn(this.#files);
    this.#worker = worker;
    worker.once('exit', () => {
      if (this.#worker === worker) this.#worker = null;
    });
  }

  async ask(job: Job): Promise<Answer> {
    this.#worker ??= spawn(this.#files);
    const answer = await answerOf(this.#worker, job);
    if (answer.kind === 'broken') await this.close();
    return answer;
  }

  async close(): Promise<void> {
    const worker = this.#worker;
    this.#worker = null;
    await worker?.terminate();
  }
}

function spawn(files: SyntaxFiles): Worker {
  const worker = new Worker(files.worker, {
    workerData: files,
    // What it logs would reach the job's log unneutralised.
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: 512 },
  });
  // An error before the first job must not end the process, and an idle thread must not keep it alive.
  worker.on('error', () => undefined);
  worker.unref();
  return worker;
}

function answerOf(worker: Worker, job: Job): Promise<Answer> {
  return new Promise((resolve) => {
    const settle = (answer: Answer) => {
      clearTimeout(timer);
      for (const event of ['message', 'error', 'exit']) worker.removeAllListeners(event);
      // A late error must not end the process, and an idle thread must not keep it alive.
      worker.on('error', () => undefined);
      worker.unref();
      resolve(answer);
    };
    const broken = (reason: string) => settle({ kind: 'broken', reason });
    const timer = setTimeout(() => broken('it took too long'), job.milliseconds + graceMilliseconds);
    worker.removeAllListeners('error');
    worker.on('message', settle);
    worker.on('error', (error) => broken(error instanceof Error ? error.message : String(error)));
    worker.on('exit', () => broken('it ended'));
    worker.ref();
    worker.postMessage(job);
  });
}
