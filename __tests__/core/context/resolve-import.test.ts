import { afterAll, describe, expect, it } from 'vitest';
import { indexPaths, joinPath } from '../../../src/core/context/paths.ts';
import { resolveImport } from '../../../src/core/context/resolve-import.ts';
import { changedFile, MemoryRepository } from '../../fakes/memory-repository.ts';
import { chainOf, parser, placesOf } from './searching.ts';

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

type Case = readonly [language: keyof typeof from, source: string, found: readonly string[], names?: readonly string[]];

const cases: readonly Case[] = [
  ['ecmascript', '../tax', ['src/tax.ts']],
  ['ecmascript', '../tax.js', ['src/tax.ts']],
  ['ecmascript', '../view.jsx', ['src/view.tsx']],
  ['ecmascript', '.', ['src/cart/index.ts']],
  ['ecmascript', './cart.ts', []],
  ['ecmascript', '@/tax', ['src/tax.ts']],
  ['ecmascript', '~/api/client', ['packages/shop/src/api/client.ts']],
  ['ecmascript', 'react', []],
  ['ecmascript', '../../../../etc/passwd', []],
  ['python', '.tax.rates', ['shop/tax/rates.py']],
  ['python', '.tax', ['shop/tax/__init__.py', 'shop/tax/rates.py'], ['rates']],
  ['python', '.', ['shop/__init__.py', 'shop/tax/__init__.py'], ['tax']],
  ['python', '..settings', ['settings.py']],
  ['python', 'shop.tax.rates', ['shop/tax/rates.py']],
  ['python', 'numpy', []],
  ['go', 'example.com/shop/internal/tax', ['internal/tax/table.go', 'internal/tax/round.go']],
  ['go', 'fmt', []],
  ['java', 'com.acme.tax.TaxTable', ['app/src/main/java/com/acme/tax/TaxTable.java']],
  ['java', 'com.acme.tax.TaxTable.rateOf', ['app/src/main/java/com/acme/tax/TaxTable.java']],
  ['java', 'java.util.List', []],
  ['ruby', 'tax', ['lib/shop/tax.rb']],
  ['ruby', 'shop/tax', ['lib/shop/tax.rb']],
  ['ruby', 'json', []],
  ['rust', 'crate::tax::{rate, Country}', ['core/src/tax.rs']],
  ['rust', 'super::tax', ['core/src/tax.rs']],
  ['rust', 'std::collections::HashMap', []],
  ['c++', 'shop/tax.h', ['include/shop/tax.h', 'include/shop/tax.c']],
  ['c++', 'cart.hpp', ['src/native/cart.hpp']],
  ['c++', 'vector', []],
  ['c#', 'Acme.Shop.Tax', []],
  ['php', 'App\\Tax\\TaxTable', ['app/Tax/TaxTable.php']],
  ['php', 'helpers.php', ['app/helpers.php']],
  ['lua', 'tax', []],
];

describe('resolveImport', () => {
  for (const [language, source, found, names = []] of cases) {
    it(`takes in ${language} the import ${source} for ${found.length === 0 ? 'no file' : found.join(', ')}`, () => {
      const imported = { source, line: 1, names: names.map((name) => ({ name, local: name })) };
      expect(resolveImport(imported, { path: from[language], language }, paths)).toEqual(found);
    });
  }
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
