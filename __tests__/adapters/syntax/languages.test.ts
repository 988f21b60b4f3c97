import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { type OpenSyntax, openSyntax, type SyntaxFiles } from '../../../src/adapters/syntax/syntax.ts';
import { describeDefinition } from '../../../src/core/context/changed-symbols.ts';
import { enclosingOf } from '../../../src/core/context/scopes.ts';
import type { FileSyntax } from '../../../src/core/languages/syntax.ts';
import { sourceSyntaxFiles } from '../../fakes/memory-repository.ts';

const fixtures = fileURLToPath(new URL('../../fixtures/syntax', import.meta.url));
const problems: string[] = [];
const syntax = openSyntax({ files: sourceSyntaxFiles, onProblem: (text) => problems.push(text) });
afterAll(() => syntax.close());

/** A file of the fixtures: a line of it, and what stands around that line. */
const languages = [
  ['cart.ts', 34, 'method Cart.total'],
  ['cart-view.tsx', 11, 'function CartView'],
  ['cart.js', 25, 'function clear'],
  ['cart.py', 31, 'method Cart.total'],
  ['cart.go', 43, 'method Cart.Total'],
  ['Cart.java', 22, 'method Cart.total'],
  ['cart.rb', 25, 'method Shop.Cart.total'],
  ['cart.rs', 42, 'method Cart.total'],
  ['cart.c', 35, 'function cart_total'],
  ['cart.cpp', 33, 'method shop.Cart.total'],
  ['Cart.cs', 32, 'method Acme.Shop.Cart.Total'],
  ['Cart.php', 42, 'method Cart.total'],
] as const;

describe.each(languages)('%s', (path, line, around) => {
  const parse = async () => {
    const text = readFileSync(join(fixtures, `${path}.txt`), 'utf8');
    return syntax.parse({ path, text }, { milliseconds: 10_000 });
  };

  it('is parsed into definitions, uses and imports', async () => {
    await expect(renderSyntax(await parse())).toMatchFileSnapshot(join(fixtures, `${path}.syntax`));
    expect(problems).toEqual([]);
  });

  it(`has ${around} around line ${line}`, async () => {
    const parsed = await parse();
    const enclosing = parsed === null ? null : enclosingOf(parsed, line);
    expect(enclosing === null ? null : describeDefinition(enclosing)).toBe(around);
  });
});

it('knows languages by their extensions alone', () => {
  const paths = ['a.mts', 'a.jsx', 'a.pyi', 'lib/a.h', 'A.CS', 'a.lua', 'Makefile', 'a.vue'];
  const known = ['ecmascript', 'ecmascript', 'python', 'c++', 'c#'];
  expect(paths.map((path) => syntax.languageOf(path))).toEqual([...known, null, null, null]);
});

describe('hostile', () => {
  const problems: string[] = [];
  const syntax = openSyntax({ files: sourceSyntaxFiles, onProblem: (text) => problems.push(text) });
  afterAll(() => syntax.close());

  const texts: readonly (readonly [string, string])[] = [
    ['parentheses without end', '('.repeat(200_000)],
    ['functions within functions', 'function a(){'.repeat(20_000)],
    ['templates within templates', '`${'.repeat(50_000)],
    ['a line of a megabyte', `const a = "${'x'.repeat(1_000_000)}";`],
    ['names on one line', 'a '.repeat(200_000)],
    ['members of members', 'a.b'.repeat(100_000)],
    ['null bytes', 'function a() {\0}\n\0'.repeat(2_000)],
    ['what stands for invalid UTF-8', '\u{FFFD}\u{D800}'.repeat(50_000)],
    // At 10,000 of these the parser for Java traps.
    ['types of types', 'a<'.repeat(10_000)],
  ];

  const good = {
    'a.ts': 'function ok() {}',
    'a.py': 'def ok(): pass',
    'A.java': 'class ok {}',
    'a.cpp': 'int ok() {}',
  };

  describe.each(Object.entries(good))('in %s', (path, text) => {
    it.each(texts)('%s end in time, and the next file is parsed as ever', async (_what, hostile) => {
      await syntax.parse({ path, text }, { milliseconds: 5_000 });
      await syntax.parse({ path, text: hostile }, { milliseconds: 300 });
      const after = await syntax.parse({ path, text }, { milliseconds: 5_000 });
      expect(after?.definitions.map(({ name }) => name)).toEqual(['ok']);
      expect(problems).toEqual([]);
    });
  });
});

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
    const asked = Array.from({ length: 8 }, (_, index) => `f${index}`);
    const found = await Promise.all(asked.map((name) => names('a.js', `function ${name}() {}`)));
    expect(found).toEqual(asked.map((name) => [name]));
  });

  it('loads what is announced before a file of it comes', async () => {
    const { parse, syntax, problems } = opened({ grammars: '/nowhere' });
    syntax.prepare(['a.ts', 'b.ts', 'c.lua']);
    await parse('a.go', 'package a');
    expect(problems.map((problem) => problem.split(' ')[0])).toEqual(['typescript', 'go']);
  });

  it('takes no text that is mostly errors for code', async () => {
    const { parse, problems } = opened();
    expect(await parse('a.go', '%%% this is no Go at all; 1 2 3 ((( }}} ???\n'.repeat(20))).toBeNull();
    expect(problems).toEqual([]);
  });

  it('parses around what it cannot make sense of', async () => {
    const text = 'def before():\n    return 1\n\n@@ ??\n\ndef after():\n    return 2\n';
    expect(await opened().names('a.py', text)).toEqual(['before', 'after']);
  });

  it('tells once that grammars are missing, and reads on without', async () => {
    const { names, problems } = opened({ grammars: '/nowhere' });
    expect([await names('a.go', 'package a'), await names('b.go', 'package b')]).toEqual([null, null]);
    expect(problems).toEqual([
      "go cannot be parsed, so its files are reviewed without outlines and context. ENOENT: no such file or directory, open '/nowhere/tree-sitter-go.wasm'.",
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
    expect(problems[0]).toMatch(
      /^The parser broke 5 times, so files are reviewed without outlines and context\. Cannot find module/,
    );
  });

  it('can be closed before anything was parsed, twice, and parses again afterwards', async () => {
    const { names, syntax } = opened();
    await syntax.close();
    await syntax.close();
    expect(await names('a.go', 'package a\nfunc F() {}')).toEqual(['F']);
  });
});

/** Everything a parse found, to be read in a snapshot: `call()`, `.member`, `head-end` of lines. */
function renderSyntax(syntax: FileSyntax | null): string {
  if (syntax === null) return 'not parsed\n';
  const definitions = syntax.definitions.map(
    ({ kind, container, name, prototype, startLine, signatureEndLine, endLine }) => {
      const lines = [startLine, signatureEndLine, endLine].join('-');
      return `${lines.padEnd(9)} ${kind} ${container === null ? '' : `${container} › `}${name}${prototype === true ? ', a prototype' : ''}`;
    },
  );
  const uses = new Map<number, string[]>();
  for (const { line, name, call, member } of syntax.references) {
    uses.set(line, [...(uses.get(line) ?? []), `${member ? '.' : ''}${name}${call ? '()' : ''}`]);
  }
  const imports = syntax.imports.map(({ line, source, names }) => {
    const local = names.map(({ name, local }) => (name === local ? name : `${name} as ${local}`));
    return `${line} ${source}${local.length === 0 ? '' : ` { ${local.join(', ')} }`}`;
  });
  return [
    syntax.language,
    ...['', 'Definitions (first line, end of the head, last line)', ...definitions],
    ...['', 'Uses', ...[...uses].map(([line, names]) => `${line}: ${names.join(' ')}`)],
    ...['', 'Imports', ...imports, ''],
  ].join('\n');
}
