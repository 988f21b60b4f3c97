import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import type { FileSyntax, SourceFile, Syntax } from '../../core/languages/syntax.ts';
import { type Language, languageFor } from './languages.ts';

export type OpenSyntax = Syntax & {
  /** Starts the thread, and loads the grammars of these files, if any. Never throws: what fails is reported when a file is parsed. */
  prepare(paths: readonly string[]): void;
  /** Ends the thread that parses. Never rejects. */
  close(): Promise<void>;
};

/** So many texts may break the parser; each costs a new thread. */
const maxBreaks = 5;

/**
 * Parses with tree-sitter in a thread of its own, which starts and loads a grammar when a file of the language comes, or is announced.
 * What cannot be loaded, or breaks again and again, is reported once through `onProblem` and not tried any more.
 */
export function openSyntax(options: { onProblem: (text: string) => void; files?: SyntaxFiles }): OpenSyntax {
  const thread = new ParserThread(options.files ?? builtSyntaxFiles());
  const unavailable = new Set<string>();
  let breaks = 0;
  let last: Promise<unknown> = Promise.resolve();

  async function parse(job: Job, { grammar }: Language): Promise<FileSyntax | null> {
    if (unavailable.has(grammar) || breaks >= maxBreaks) return null;
    const answer = await thread.ask(job);
    if (answer.kind === 'parsed') return answer.syntax;
    if (answer.kind === 'unavailable') {
      unavailable.add(grammar);
      options.onProblem(
        `${grammar} cannot be parsed, so its files are reviewed without outlines and context. ${answer.reason}`,
      );
      return null;
    }
    breaks += 1;
    if (breaks === maxBreaks) {
      options.onProblem(
        `The parser broke ${maxBreaks} times, so files are reviewed without outlines and context. ${answer.reason}`,
      );
    }
    return null;
  }

  const parseInTurn = async (job: Job): Promise<FileSyntax | null> => {
    const language = languageFor(job.path);
    if (language === null) return null;
    const before = last;
    const parsed = (async () => {
      await before;
      return parse(job, language);
    })();
    last = parsed.catch(() => undefined);
    return parsed;
  };

  return {
    languageOf: (path) => languageFor(path)?.name ?? null,
    parse: ({ path, text }, { milliseconds }) => parseInTurn({ path, text, milliseconds }),
    prepare: (paths) => {
      thread.start();
      const byGrammar = new Map(paths.map((path) => [languageFor(path)?.grammar, path]));
      for (const path of byGrammar.values()) parseInTurn({ path, text: '', milliseconds: 0 }).catch(() => undefined);
    },
    close: () => thread.close(),
  };
}

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
class ParserThread {
  readonly #files: SyntaxFiles;
  #started: Started | null = null;
  #asked: Promise<unknown> = Promise.resolve();

  constructor(files: SyntaxFiles) {
    this.#files = files;
  }

  start(): Started {
    this.#started ??= start(this.#files);
    return this.#started;
  }

  async ask(job: Job): Promise<Answer> {
    const started = this.start();
    const asked = this.#ask(started, job);
    this.#asked = asked;
    const answer = await asked;
    if (answer.kind === 'broken' && this.#started === started) this.#started = null;
    if (answer.kind === 'broken') await started.worker.terminate();
    return answer;
  }

  async #ask({ worker, ready }: Started, job: Job): Promise<Answer> {
    const problem = await ready;
    return problem === null ? answerOf(worker, job) : { kind: 'broken', reason: problem };
  }

  /** A thread that is ended while it loads takes the whole process with it, so what it has begun is waited for, for a moment. */
  async close(): Promise<void> {
    const started = this.#started;
    this.#started = null;
    if (started === null) return;
    await soon(Promise.all([started.ready, this.#asked]));
    await started.worker.terminate();
  }
}

type Started = {
  readonly worker: Worker;
  /** Why it is of no use; null when it is ready for its first job. */
  readonly ready: Promise<string | null>;
};

function start(files: SyntaxFiles): Started {
  const worker = new Worker(files.worker, {
    workerData: files,
    // What it logs would reach the job's log unneutralised.
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: 512 },
  });
  const ready = new Promise<string | null>((resolve) => {
    worker.once('message', () => resolve(null));
    worker.once('error', (error) => resolve(error instanceof Error ? error.message : String(error)));
    worker.once('exit', () => resolve('it ended'));
  });
  return { worker, ready };
}

/** Milliseconds that the end of a run waits for a thread: a cancelled one has five seconds in all. */
const patience = 2_000;

async function soon(promise: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, patience);
  });
  await Promise.race([promise, late]);
  clearTimeout(timer);
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

/** Where the parser and its grammars are. All paths are absolute. */
export type SyntaxFiles = {
  /** The script of the thread that parses. */
  readonly worker: string;
  /** web-tree-sitter as CommonJS, in a file of its own: inside an ECMAScript bundle it does not run. */
  readonly runtime: string;
  readonly runtimeWasm: string;
  /** The folder of `tree-sitter-<grammar>.wasm`. */
  readonly grammars: string;
  /** True where every WebAssembly file is packed by brotli, its name ending in `.br`. */
  readonly packed: boolean;
};

/** What the build puts into `dist/syntax`, beside `dist/index.js` and above `dist/cli/index.js`. */
function builtSyntaxFiles(): SyntaxFiles {
  const here = dirname(fileURLToPath(import.meta.url));
  const folders = ['syntax', '../syntax'].map((folder) => join(here, folder));
  const folder = folders.find((each) => existsSync(join(each, 'index.js'))) ?? join(here, 'syntax');
  return {
    worker: join(folder, 'index.js'),
    runtime: join(folder, 'web-tree-sitter.cjs'),
    runtimeWasm: join(folder, 'web-tree-sitter.wasm'),
    grammars: folder,
    packed: true,
  };
}
