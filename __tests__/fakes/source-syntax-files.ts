import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { SyntaxFiles } from '../../src/adapters/syntax/syntax-files.ts';

const { resolve } = createRequire(import.meta.url);

/** The parser as it stands in `src` and `node_modules`, so that a test needs no build. */
export const sourceSyntaxFiles: SyntaxFiles = {
  worker: fileURLToPath(new URL('../../src/adapters/syntax/syntax-worker.ts', import.meta.url)),
  runtime: resolve('web-tree-sitter'),
  runtimeWasm: resolve('web-tree-sitter/web-tree-sitter.wasm'),
  grammars: dirname(resolve('@vscode/tree-sitter-wasm/wasm/tree-sitter-go.wasm')),
  packed: false,
};
