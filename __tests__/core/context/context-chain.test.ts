import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { estimateTokens } from '../../../src/core/agent/estimate.ts';
import { type ChainCandidate, fitChain, type Relation, renderChain } from '../../../src/core/context/chain-text.ts';
import { indexPaths, joinPath } from '../../../src/core/context/paths.ts';
import { resolveImport } from '../../../src/core/context/resolve-import.ts';
import { addedFile, changedFile, MemoryRepository } from '../../fakes/memory-repository.ts';
import { goChange } from '../../fakes/sample-changes/compiled.ts';
import { sampleChanges } from '../../fakes/sample-changes/index.ts';
import { pythonChange } from '../../fakes/sample-changes/scripted.ts';
import { openSample, typescriptChange } from '../../fakes/sample-changes/typescript.ts';
import { chainOf, parser, placesOf } from './searching.ts';

afterAll(() => parser.close());

/** The chain of a change that adds a file of this text to others. */
function chainOfAdded(text: string, files: { readonly [path: string]: string }, path = 'a.ts') {
  const repository = new MemoryRepository({ ...files, [path]: text });
  return chainOf(repository, { changes: [addedFile(path, text.trimEnd().split('\n'))] });
}

describe('contextChain', () => {
  it.each([
    ['TypeScript', typescriptChange],
    ['Python', pythonChange],
    ['Go', goChange],
  ])('shows what a change in %s uses, and what uses it', async (_language, sample) => {
    const { repository, changes } = openSample(sample);
    const chain = await chainOf(repository, { changes });
    await expect(renderChain(chain.entries)).toMatchFileSnapshot(`__snapshots__/chain-${sample.language}.txt`);
  });

  it.each(sampleChanges)('finds all that a reader of the change in $language has to look up', async (sample) => {
    const { repository, changes } = openSample(sample);
    const { entries } = await chainOf(repository, { changes });
    const defined = entries.filter(({ relation }) => relation === 'definition');
    const used = entries.filter(({ relation }) => relation !== 'definition');
    expect(defined.map(({ path, symbol }) => `${path} ${symbol}`)).toEqual(
      expect.arrayContaining([...sample.definitions]),
    );
    expect(used.map(({ path, startLine }) => `${path}:${startLine}`)).toEqual(expect.arrayContaining([...sample.uses]));
  });

  it('shows the head of a definition of more than 40 lines, and where it ends', async () => {
    const long = `export function long(): void {\n${'  step();\n'.repeat(40)}}\n`;
    const chain = await chainOfAdded("import { long } from './b.js';\nlong();\n", { 'b.ts': long });
    expect(renderChain(chain.entries)).toBe('b.ts: defines long\n   1 | export function long(): void {  ← to line 42');
  });

  it('leaves out what the diff shows already', async () => {
    const text = 'function one() {\n  return two();\n}\n\nfunction two() {\n  return 2;\n}\n';
    expect(placesOf(await chainOfAdded(text, { 'b.ts': 'export function two() {}\n' }))).toEqual([]);
  });

  it('never reads what is denied', async () => {
    const { repository, changes } = openSample(typescriptChange);
    const isDenied = (path: string) => (/tax|coupons|routes/.test(path) ? 'denied' : null);
    const chain = await chainOf(repository, { changes, isDenied });
    expect(renderChain(chain.entries)).not.toMatch(/taxFor\(country|CouponBook|routes/);
    expect(placesOf(chain)).toContain('test src/orders/checkout.test.ts:4 checkout');
  });

  it('finds who still uses what the change removes', async () => {
    const before = 'export function kept() {}\n\nexport function gone() {\n  return 1;\n}\n';
    const repository = new MemoryRepository(
      {
        'a.ts': 'export function kept() {}\n',
        'b.ts': "import { gone } from './a.js';\n\nexport const one = gone();\n",
      },
      { mergeBase: { 'a.ts': before } },
    );
    const hunk = [' export function kept() {}', '-', '-export function gone() {', '-  return 1;', '-}'];
    const chain = await chainOf(repository, { changes: [changedFile('a.ts', { lines: hunk })] });
    expect(placesOf(chain)).toEqual(['caller b.ts:3 gone']);
  });

  it('takes tests that are called after a file whose names they do not use', async () => {
    const test = { 'test/a.test.ts': "it('runs', () => {});\n\nit('stops', () => {});\n" };
    const chain = await chainOfAdded('export function run() {}\n', test);
    expect(placesOf(chain)).toEqual(['test test/a.test.ts:1', 'test test/a.test.ts:3']);
  });

  it('knows nothing of files in a language without a grammar', async () => {
    const files = { 'tax.lua': 'function tax_for(country)\nend\n', 'main.lua': 'print(total(cart))\n' };
    const main = { 'main.js': "import { total } from './cart.js';\nprint(total(cart));\n" };
    const added = 'export function total(cart) {\n  return tax_for(cart.country);\n}\n';
    expect([
      placesOf(await chainOfAdded(added, { ...files, ...main }, 'cart.lua')),
      placesOf(await chainOfAdded(added, { ...files, ...main }, 'cart.js')),
    ]).toEqual([[], ['caller main.js:2 total']]);
  });

  it('knows nothing of a changed file that could not be parsed, and does not take its names for removed', async () => {
    const before = { 'a.ts': 'export function sum() {}\n' };
    const text = 'export function sum(all) {}\n';
    const change = changedFile('a.ts', { lines: ['-export function sum() {}', '+export function sum(all) {}'] });
    const callersWhere = async (bytes: number) => {
      const head = {
        'a.ts': { kind: 'text', text, bytes } as const,
        'b.ts': "import { sum } from './a.js';\nsum();\n",
      };
      return placesOf(await chainOf(new MemoryRepository(head, { mergeBase: before }), { changes: [change] }));
    };
    expect([await callersWhere(30), await callersWhere(600_000)]).toEqual([['caller b.ts:2 sum'], []]);
  });

  it('does without a search, and says so', async () => {
    const { repository, changes } = openSample(typescriptChange);
    const chain = await chainOf(repository, { changes, search: null });
    expect(placesOf(chain)).toContain('definition src/tax/rates.ts:4-6 taxFor');
    expect(chain.notes).toEqual(['Not every use was looked for: nothing can be searched here.']);
  });

  it('renders lines as the model is shown them everywhere', async () => {
    const secret = `ghp_${'a1B2c3D4e5'.repeat(4)}`;
    const chain = await chainOfAdded("import { token } from './b.js';\nuse(token);\n", {
      'b.ts': `export const token = '${secret}'; // \u{202E}\n`,
    });
    expect(renderChain(chain.entries)).toBe(
      "b.ts: defines token\n   1 | export const token = '[redacted: github token]'; // \\u{202E}",
    );
  });
});

const relations: readonly Relation[] = ['definition', 'caller', 'test', 'document'];
const shownLines = (texts: readonly string[]) => texts.map((text) => ({ text, redacted: false }));
const lines = fc.array(fc.string({ maxLength: 120 }), { maxLength: 40 }).map(shownLines);

const candidates: fc.Arbitrary<readonly ChainCandidate[]> = fc.array(
  fc.record({
    relation: fc.constantFrom(...relations),
    symbol: fc.string({ maxLength: 60 }),
    path: fc.constantFrom('a.ts', 'src/b.ts', '日本/語.ts', 'line\nend.ts'),
    startLine: fc.integer({ min: 1, max: 100_000 }),
    endLine: fc.constant(0),
    inside: fc.option(fc.string({ maxLength: 40 })),
    wholeEnd: fc.option(fc.integer({ min: 1, max: 100_000 })),
    lines,
    body: lines,
    worth: fc.integer({ min: 0, max: 110 }),
  }),
  { maxLength: 60 },
);

describe('fitChain', () => {
  it('never takes more tokens than it may, whatever was found', () => {
    fc.assert(
      fc.property(candidates, fc.integer({ min: 0, max: 6_000 }), (found, maxTokens) => {
        const { entries, left } = fitChain(found, maxTokens);
        expect(estimateTokens(renderChain(entries))).toBeLessThanOrEqual(maxTokens);
        expect(entries.length + left.length).toBe(found.length);
      }),
    );
  });

  it('leaves out what is worth least, whatever its place, and names it', () => {
    const entry = (symbol: string, worth: number): ChainCandidate => ({
      ...{ relation: 'definition', symbol, path: `${symbol}.ts`, startLine: 1, endLine: 1, wholeEnd: 1, inside: null },
      ...{ lines: shownLines([`export const ${symbol} = '${'word '.repeat(60)}';`]), body: [], worth },
    });
    const { entries, left } = fitChain([entry('least', 1), entry('most', 3), entry('more', 2)], 200);
    expect(entries.map(({ symbol }) => symbol)).toEqual(['most', 'more']);
    expect(renderChain([], { left, notes: [] })).toBe('[Not shown, ask for what you need: least least.ts:1.]');
  });
});

const paths = indexPaths(
  `
  src/cart/cart.ts src/cart/index.ts src/tax.ts src/view.tsx src/react.ts packages/shop/src/api/client.ts
  shop/__init__.py shop/tax/__init__.py shop/tax/rates.py shop/cart.py settings.py
  internal/tax/table.go internal/tax/table_test.go internal/tax/round.go main.go
  app/src/main/java/com/acme/tax/TaxTable.java lib/shop/tax.rb lib/shop/cart.rb
  core/src/lib.rs core/src/tax.rs core/src/cart/mod.rs other/src/tax.rs
  include/shop/tax.h include/shop/tax.c src/native/cart.hpp src/native/cart.cpp
  Acme.Shop/Tax/TaxTable.cs Acme.Shop/Tax/Rate.cs Acme/Shop/Cart.cs app/Tax/TaxTable.php app/helpers.php
`
    .trim()
    .split(/\s+/),
);

const from = {
  ecmascript: 'src/cart/cart.ts',
  python: 'shop/cart.py',
  go: 'main.go',
  java: 'app/src/main/java/com/acme/Shop.java',
  ruby: 'lib/shop/cart.rb',
  rust: 'core/src/cart/mod.rs',
  'c++': 'src/native/cart.cpp',
  'c#': 'Acme/Shop/Cart.cs',
  php: 'app/Cart.php',
  lua: 'a.lua',
};

type Case = [language: keyof typeof from, source: string, found: readonly string[], names?: readonly string[]];

const cases: readonly Case[] = [
  ['ecmascript', '../tax', ['src/tax.ts']],
  ['ecmascript', '../tax.js', ['src/tax.ts']],
  ['ecmascript', '.', ['src/cart/index.ts']],
  ['ecmascript', './cart.ts', []],
  ['ecmascript', '@/tax', ['src/tax.ts']],
  ['ecmascript', 'react', []],
  ['ecmascript', '../../../../etc/passwd', []],
  ['python', '.tax.rates', ['shop/tax/rates.py']],
  ['python', '.tax', ['shop/tax/__init__.py', 'shop/tax/rates.py'], ['rates']],
  ['python', '.', ['shop/__init__.py', 'shop/tax/__init__.py'], ['tax']],
  ['python', 'numpy', []],
  ['go', 'example.com/shop/internal/tax', ['internal/tax/table.go', 'internal/tax/round.go']],
  ['java', 'com.acme.tax.TaxTable', ['app/src/main/java/com/acme/tax/TaxTable.java']],
  ['java', 'com.acme.tax.TaxTable.rateOf', ['app/src/main/java/com/acme/tax/TaxTable.java']],
  ['ruby', 'shop/tax', ['lib/shop/tax.rb']],
  ['rust', 'crate::tax::{rate, Country}', ['core/src/tax.rs']],
  ['rust', 'super::tax', ['core/src/tax.rs']],
  ['c++', 'shop/tax.h', ['include/shop/tax.h', 'include/shop/tax.c']],
  ['c++', 'cart.hpp', ['src/native/cart.hpp']],
  ['c#', 'Acme.Shop.Tax', []],
  ['php', 'App\\Tax\\TaxTable', ['app/Tax/TaxTable.php']],
  ['php', 'helpers.php', ['app/helpers.php']],
  ['lua', 'tax', []],
];

it.each<Case>(cases)('in %s the import %s stands for %j', (language, source, found, names = []) => {
  const imported = { source, line: 1, names: names.map((name) => ({ name, local: name })) };
  expect(resolveImport(imported, { path: from[language], language }, paths)).toEqual(found);
});

it('joins paths and stays inside the repository', () => {
  const joined = [joinPath('a/b', '../c'), joinPath('', './x'), joinPath('a', '..'), joinPath('a', '../..')];
  expect(joined).toEqual(['a/c', 'x', '', null]);
});

afterAll(() => parser.close());

type Files = { readonly [path: string]: string };

/** The chain of a change that adds a line to the file of this path. */
async function placesBeside(path: string, files: Files) {
  const lines = (files[path] ?? '').trimEnd().split('\n');
  const added = lines.findIndex((line) => line.includes('/* new */'));
  const change = changedFile(path, { lines: lines.map((line, at) => `${at === added ? '+' : ' '}${line}`) });
  return placesOf(await chainOf(new MemoryRepository(files), { changes: [change] }));
}

const use = '#include "money.h"\n\nint total(int price) {\n  return add_tax(price); /* new */\n}\n';
const header = 'int add_tax(int price);\n';
const body = '#include "money.h"\n\nint add_tax(int price) {\n  return price + price / 5;\n}\n';

const declared = 'include/money.h';
const short = '#include "money.h"\nint add_tax(int price) { return price; }\n';
const other = '#include "other.h"\n\nint Other::add_tax(int price) {\n  return 0;\n}\n';

it.each<[string, Files, string]>([
  ['with its body beside it', { 'lib/money.h': header, 'lib/money.c': body }, 'lib/money.c:3-5'],
  ['with its body in another folder', { [declared]: header, 'src/money.c': body }, 'src/money.c:3-5'],
  ['with its body in a file of another name', { [declared]: header, 'src/taxes.c': body }, 'src/taxes.c:3-5'],
  ['with a body of one line', { [declared]: header, 'src/money.c': short }, 'src/money.c:2'],
  ['as it is declared where nothing defines it', { [declared]: header }, 'include/money.h:1'],
  ['without its namesake of another type', { [declared]: header, 'src/other.cpp': other }, 'include/money.h:1'],
])('a function that a header declares is shown %s', async (_where, files, place) => {
  const path = 'src/other.cpp' in files ? 'app/main.cpp' : 'app/main.c';
  const places = await placesBeside(path, { ...files, [path]: use });
  expect(places.filter((each) => each.startsWith('definition'))).toEqual([`definition ${place} add_tax`]);
});

describe('a method that a class declares', () => {
  const main = '#include "acc.hpp"\n\nint run(Acc &acc) {\n  return acc.add(2); /* new */\n}\n';
  const acc = 'class Acc {\n public:\n  int add(int amount);\n};\n';

  it.each([
    ['Acc', acc, 'Acc'],
    ['a class in a namespace', `namespace shop {\n${acc}}\n`, 'shop::Acc'],
  ])('is shown with its body first: %s', async (_, declared, type) => {
    const defined = `#include "acc.hpp"\n\nint ${type}::add(int amount) {\n  return amount;\n}\n`;
    const other = 'int Other::add(int amount) {\n  return 0;\n}\n';
    const files = { 'app/run.cpp': main, 'include/acc.hpp': declared, 'src/acc.cpp': defined, 'src/a.cpp': other };
    const places = await placesBeside('app/run.cpp', files);
    expect(places.filter((place) => place.endsWith(' add'))[0]).toBe('definition src/acc.cpp:3-5 add');
    expect(places.join('\n')).not.toContain('src/a.cpp');
  });
});

it('a caller with a prototype of its own is a caller', async () => {
  const total = 'int total(int price) {\n  return add_tax(price);\n}\n';
  const caller = `int add_tax(int price);\n\n${total}`;
  const own = `static int add_tax(int price) {\n  return price;\n}\n\n${total}`;
  const changed = body.replace(' {', ' { /* new */');
  const files = { 'src/money.c': changed, 'src/caller.c': caller, 'src/own.c': own };
  expect(await placesBeside('src/money.c', files)).toEqual(['caller src/caller.c:4 add_tax']);
});
