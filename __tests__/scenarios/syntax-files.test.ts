import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { languages } from '../../src/adapters/syntax/languages.ts';
import { openSyntax } from '../../src/adapters/syntax/open-syntax.ts';
import { builtFile } from './harness.ts';

const worker = builtFile('dist/syntax/index.js');
const folder = dirname(worker);
const files = {
  worker,
  runtime: join(folder, 'web-tree-sitter.cjs'),
  runtimeWasm: join(folder, 'web-tree-sitter.wasm'),
  grammars: folder,
  packed: true,
};
const problems: string[] = [];
const syntax = openSyntax({ files, onProblem: (text) => problems.push(text) });
afterAll(() => syntax.close());

const texts: ReadonlyMap<string, string> = new Map([
  ['python', 'def total(): pass'],
  ['go', 'package a\nfunc total() {}'],
  ['java', 'class A { int total() {} }'],
  ['ruby', 'def total; end'],
  ['rust', 'fn total() {}'],
  ['cpp', 'int total() {}'],
  ['c-sharp', 'class A { int total() {} }'],
  ['php', '<?php function total() {}'],
]);

describe('dist/syntax', () => {
  it.each(languages)('parses $grammar', async ({ grammar, extensions }) => {
    const text = texts.get(grammar) ?? 'function total() {}';
    const parsed = await syntax.parse({ path: `a.${extensions[0]}`, text }, { milliseconds: 10_000 });
    expect(parsed?.definitions.map(({ name }) => name)).toContain('total');
    expect(problems).toEqual([]);
  });

  it('names the licence of every grammar', () => {
    const licences = readFileSync(join(folder, 'licenses.txt'), 'utf8');
    // TSX is built from the repository of TypeScript.
    const missing = languages.filter(
      ({ grammar }) => grammar !== 'tsx' && !licences.includes(`tree-sitter-${grammar}`),
    );
    expect(missing).toEqual([]);
  });
});
