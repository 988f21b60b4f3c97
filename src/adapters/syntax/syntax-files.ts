import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

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
export function builtSyntaxFiles(): SyntaxFiles {
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
