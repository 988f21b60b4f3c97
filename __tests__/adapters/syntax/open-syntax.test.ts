import { afterEach, describe, expect, it } from 'vitest';
import { type OpenSyntax, openSyntax } from '../../../src/adapters/syntax/open-syntax.ts';
import type { SyntaxFiles } from '../../../src/adapters/syntax/syntax-files.ts';
import { sourceSyntaxFiles } from '../../fakes/source-syntax-files.ts';

const open: OpenSyntax[] = [];
afterEach(async () => {
  for (const syntax of open.splice(0)) await syntax.close();
});

function opened(files: Partial<SyntaxFiles> = {}) {
  const problems: string[] = [];
  const syntax = openSyntax({ files: { ...sourceSyntaxFiles, ...files }, onProblem: (text) => problems.push(text) });
  open.push(syntax);
  const parse = (path: string, text: string) => syntax.parse({ path, text }, { milliseconds: 1_000 });
  const names = async (path: string, text: string) =>
    (await parse(path, text))?.definitions.map(({ name }) => name) ?? null;
  return { parse, names, problems, syntax };
}

describe('openSyntax', () => {
  it('answers each of several files that are asked for at once', async () => {
    const { names } = opened();
    const texts = Array.from({ length: 8 }, (_text, index) => `function f${index}() {}`);
    expect(await Promise.all(texts.map((text) => names('a.js', text)))).toEqual(
      texts.map((_text, index) => [`f${index}`]),
    );
  });

  it('parses nothing of a language that no grammar knows', async () => {
    expect(await opened().parse('a.lua', 'function f() end')).toBeNull();
  });

  it('takes no text that is mostly errors for code', async () => {
    const { parse, problems } = opened();
    expect(await parse('a.go', '%%% this is no Go at all; 1 2 3 ((( }}} ???\n'.repeat(20))).toBeNull();
    expect(problems).toEqual([]);
  });

  it('parses around what it cannot make sense of', async () => {
    expect(
      await opened().names('a.py', 'def before():\n    return 1\n\n@@ ??\n\ndef after():\n    return 2\n'),
    ).toEqual(['before', 'after']);
  });

  it('tells once that grammars are missing, and reads on without', async () => {
    const { names, problems } = opened({ grammars: '/nowhere' });
    expect([await names('a.go', 'package a'), await names('b.go', 'package b')]).toEqual([null, null]);
    expect(problems).toEqual([
      "go cannot be parsed, so its files are read line by line. ENOENT: no such file or directory, open '/nowhere/tree-sitter-go.wasm'.",
    ]);
  });

  it('is closed while it starts without harm', async () => {
    const { syntax } = opened();
    const parsing = syntax.parse({ path: 'a.js', text: 'function f() {}' }, { milliseconds: 1_000 });
    await syntax.close();
    expect((await parsing)?.definitions.map(({ name }) => name)).toEqual(['f']);
  });

  it('tells after five times that the thread cannot be started', async () => {
    const { names, problems } = opened({ worker: '/nowhere/worker.ts' });
    for (let time = 0; time < 7; time += 1) expect(await names('a.go', 'package a')).toBeNull();
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatch(/^The parser broke 5 times, so files are read line by line\. Cannot find module/);
  });

  it('can be closed before anything was parsed, twice, and parses again afterwards', async () => {
    const { names, syntax } = opened();
    await syntax.close();
    await syntax.close();
    expect(await names('a.go', 'package a\nfunc F() {}')).toEqual(['F']);
  });
});
