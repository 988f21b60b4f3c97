import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { brotliDecompress } from 'node:zlib';
import type { Parser, Query } from 'web-tree-sitter';
import type { Language } from './languages.ts';
import { queries } from './queries.ts';
import type { SyntaxFiles } from './syntax-files.ts';

export type Grammar = {
  readonly parser: Parser;
  readonly query: Query;
  /** Bytes that all grammars take together; what was taken is used again, never given back. */
  readonly memory: () => number;
};

/** Loads the parser at once and each grammar when it is asked for, once. Rejects, each time, for one that cannot be loaded. */
export function grammarLoader(files: SyntaxFiles): GrammarLoader {
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

export type GrammarLoader = {
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

type Loading = { readonly files: SyntaxFiles; readonly runtime: Promise<Runtime> };

async function loadGrammar({ grammar }: Language, { files, runtime }: Loading): Promise<Grammar> {
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
