import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { parentPort, workerData } from 'node:worker_threads';
import { brotliDecompress } from 'node:zlib';
import type { Parser, Query } from 'web-tree-sitter';
import { explain } from '../../core/errors.ts';
import type { FileSyntax } from '../../core/languages/syntax.ts';
import { extractSyntax } from './extract.ts';
import { type Language, languageFor, queries } from './languages.ts';
import type { Answer, Job, SyntaxFiles } from './syntax.ts';

type Grammar = {
  readonly parser: Parser;
  readonly query: Query;
  /** Bytes that all grammars take together; what was taken is used again, never given back. */
  readonly memory: () => number;
};

/** Loads the parser at once and each grammar when it is asked for, once. Rejects, each time, for one that cannot be loaded. */
function grammarLoader(files: SyntaxFiles): GrammarLoader {
  const grammars = new Map<string, Promise<Grammar>>();
  const runtime = startRuntime(files);
  return {
    // What went wrong is reported when the first grammar is asked for.
    started: runtime.then(
      () => undefined,
      () => undefined,
    ),
    load: (language) => {
      const grammar = grammars.get(language.grammar) ?? loadGrammar(language, { files, runtime });
      grammars.set(language.grammar, grammar);
      return grammar;
    },
  };
}

type GrammarLoader = {
  /** The parser is loaded, or cannot be. */
  readonly started: Promise<void>;
  readonly load: (language: Language) => Promise<Grammar>;
};

type TreeSitter = typeof import('web-tree-sitter');
type Runtime = { readonly treeSitter: TreeSitter; readonly memory: WebAssembly.Memory };

const pageBytes = 65_536;
/** The parser asks for its first 32 MiB. Where cancelling comes too late, it breaks at the last, not the machine. */
const memoryPages = { initial: 2 ** 25 / pageBytes, maximum: 2 ** 29 / pageBytes } as const;

async function startRuntime(files: SyntaxFiles): Promise<Runtime> {
  const url = pathToFileURL(files.runtime).href;
  const module: { readonly default: TreeSitter } = await import(/* webpackIgnore: true */ url);
  const memory = new WebAssembly.Memory(memoryPages);
  await module.default.Parser.init({ wasmBinary: await readWasm(files.runtimeWasm, files), wasmMemory: memory });
  return { treeSitter: module.default, memory };
}

async function loadGrammar(
  { grammar }: Language,
  { files, runtime }: { files: SyntaxFiles; runtime: Promise<Runtime> },
): Promise<Grammar> {
  const { treeSitter, memory } = await runtime;
  const wasm = await readWasm(join(files.grammars, `tree-sitter-${grammar}.wasm`), files);
  const language = await treeSitter.Language.load(wasm);
  return {
    parser: new treeSitter.Parser().setLanguage(language),
    query: new treeSitter.Query(language, `${queries.get(grammar) ?? ''}\n(ERROR) @error`),
    memory: () => memory.buffer.byteLength,
  };
}

const unpack = promisify<Uint8Array, Uint8Array>(brotliDecompress);

async function readWasm(path: string, { packed }: SyntaxFiles): Promise<Uint8Array> {
  return packed ? unpack(await readFile(`${path}.br`)) : readFile(path);
}

/** The thread that parses: one file at a time, one answer each. Whoever asks ends it when it breaks or takes too long. */

const files: SyntaxFiles = workerData;
const { started, load } = grammarLoader(files);

parentPort?.on('message', async (job: Job) => parentPort?.postMessage(await answer(job)));
// Before this nothing may end the thread.
void started.then(() => parentPort?.postMessage('ready'));

async function answer({ path, text, milliseconds }: Job): Promise<Answer> {
  const language = languageFor(path);
  if (language === null) return { kind: 'parsed', syntax: null };
  try {
    const grammar = await load(language);
    return { kind: 'parsed', syntax: parseWith(text, { language, grammar, milliseconds }) };
  } catch (error) {
    // WebAssembly that trapped is in no state to go on; a file that is missing will be missing again.
    const trapped = error instanceof WebAssembly.RuntimeError;
    return { kind: trapped ? 'broken' : 'unavailable', reason: explain(error) };
  }
}

/** More of a text than this as errors: it is another language, or no code. */
const maxErrorShare = 0.5;
/** Bytes: a text that takes more is made to, and what one took stays taken. */
const maxMemory = 2 ** 27;

type Parsing = { readonly language: Language; readonly grammar: Grammar; readonly milliseconds: number };

/** Null when time or memory run out, and for a text that is mostly errors. @throws where the parser itself breaks. */
function parseWith(text: string, { language, grammar, milliseconds }: Parsing): FileSyntax | null {
  const { parser, query, memory } = grammar;
  const deadline = performance.now() + milliseconds;
  const memoryLimit = Math.max(maxMemory, memory());
  const isOver = () => performance.now() > deadline || memory() > memoryLimit;
  const tree = parser.parse(text, null, { progressCallback: isOver });
  // A parse that was cancelled would go on with the next text.
  parser.reset();
  if (tree === null) return null;
  try {
    const matches = query.matches(tree.rootNode, { progressCallback: isOver });
    if (isOver()) return null;
    const { errorCharacters, ...found } = extractSyntax(matches);
    if (errorCharacters > text.length * maxErrorShare) return null;
    return { language: language.name, ...found };
  } finally {
    tree.delete();
  }
}
