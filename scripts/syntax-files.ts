import { execFileSync } from 'node:child_process';
import { appendFileSync, existsSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib';
import { grammars } from '../src/adapters/syntax/languages.ts';

type Folders = {
  readonly root: string;
  /** Where the files go. */
  readonly output: string;
  /** Where the last build put them. */
  readonly previous: string;
};

/** Puts tree-sitter's parser and its grammars beside the thread that uses them, packed, with their licences. */
export function putSyntaxFiles(folders: Folders): void {
  bundleParser(folders);
  const modules = join(folders.root, 'node_modules');
  const wasmFiles = grammars.map(({ grammar }) => `@vscode/tree-sitter-wasm/wasm/tree-sitter-${grammar}.wasm`);
  for (const file of ['web-tree-sitter/web-tree-sitter.wasm', ...wasmFiles]) pack(join(modules, file), folders);
  appendFileSync(join(folders.output, 'licenses.txt'), licences(modules));
}

/** As CommonJS in a file of its own: inside an ECMAScript bundle the parser does not run. */
function bundleParser({ root, output }: Folders): void {
  const folder = mkdtempSync(`${output}-parser-`);
  const source = 'node_modules/web-tree-sitter/web-tree-sitter.cjs';
  runNcc(root, ['build', source, '-o', folder, '--minify']);
  renameSync(join(folder, 'index.cjs'), join(output, 'web-tree-sitter.cjs'));
  rmSync(folder, { recursive: true });
}

/** Not by its name in `.bin`, which Windows does not start. */
export function runNcc(root: string, args: readonly string[]): void {
  const program = join(root, 'node_modules/@vercel/ncc/dist/ncc/cli.js');
  execFileSync(process.execPath, [program, ...args], { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] });
}

function pack(file: string, { output, previous }: Folders): void {
  const name = `${file.slice(file.lastIndexOf('/') + 1)}.br`;
  const content = readFileSync(file);
  writeFileSync(join(output, name), keptPack(join(previous, name), content) ?? packed(content));
}

/** What holds the same already is kept: packing takes half a minute, and the bytes depend on the release of Node. */
function keptPack(file: string, content: Uint8Array): Uint8Array | null {
  if (!existsSync(file)) return null;
  const known = readFileSync(file);
  try {
    return brotliDecompressSync(known).equals(content) ? known : null;
  } catch {
    return null;
  }
}

function packed(content: Uint8Array): Uint8Array {
  const { BROTLI_PARAM_LGWIN, BROTLI_PARAM_SIZE_HINT } = constants;
  return brotliCompressSync(content, {
    params: { [BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS, [BROTLI_PARAM_SIZE_HINT]: content.length },
  });
}

/** The package of grammars names its own licence only; these are the copyright lines of the grammars' repositories. */
const copyrights = [
  'tree-sitter-c-sharp: Copyright (c) 2014-2023 Max Brunsfeld, Damien Guard, Amaan Qureshi, and contributors.',
  'tree-sitter-cpp, tree-sitter-go, tree-sitter-javascript: Copyright (c) 2014 Max Brunsfeld',
  'tree-sitter-java: Copyright (c) 2017 Ayman Nadeem',
  'tree-sitter-php: Copyright (c) 2017 Josh Vera, GitHub',
  'tree-sitter-php: Copyright (c) 2019 Max Brunsfeld, Amaan Qureshi, Christian Frøystad, Caleb White',
  'tree-sitter-python: Copyright (c) 2016 Max Brunsfeld',
  'tree-sitter-ruby: Copyright (c) 2016 Rob Rix',
  'tree-sitter-rust: Copyright (c) 2017 Maxim Sokolov',
  'tree-sitter-typescript: Copyright (c) 2017 Max Brunsfeld',
];

function licences(modules: string): string {
  const licenceOf = (name: string) => readFileSync(join(modules, name, 'LICENSE'), 'utf8').trim();
  const mit = licenceOf('web-tree-sitter').replace(/^Copyright .*$/m, copyrights.join('\n'));
  const parts = [
    ['web-tree-sitter', licenceOf('web-tree-sitter')],
    ['@vscode/tree-sitter-wasm', licenceOf('@vscode/tree-sitter-wasm')],
    ['the grammars in @vscode/tree-sitter-wasm', mit],
  ];
  return parts.map(([name, text]) => `\n${name}\nMIT\n${text}\n`).join('');
}
