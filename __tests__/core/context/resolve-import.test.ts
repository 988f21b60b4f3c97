import { describe, expect, it } from 'vitest';
import { indexPaths, joinPath } from '../../../src/core/context/path-index.ts';
import { resolveImport } from '../../../src/core/context/resolve-import.ts';

const paths = indexPaths([
  ...[
    'src/cart/cart.ts',
    'src/cart/index.ts',
    'src/tax.ts',
    'src/view.tsx',
    'src/react.ts',
    'packages/shop/src/api/client.ts',
  ],
  ...['shop/__init__.py', 'shop/tax/__init__.py', 'shop/tax/rates.py', 'shop/cart.py', 'settings.py'],
  ...['internal/tax/table.go', 'internal/tax/table_test.go', 'internal/tax/round.go', 'main.go'],
  ...['app/src/main/java/com/acme/tax/TaxTable.java', 'lib/shop/tax.rb', 'lib/shop/cart.rb'],
  ...['core/src/lib.rs', 'core/src/tax.rs', 'core/src/cart/mod.rs', 'other/src/tax.rs'],
  ...['include/shop/tax.h', 'include/shop/tax.c', 'src/native/cart.hpp', 'src/native/cart.cpp'],
  ...[
    'Acme.Shop/Tax/TaxTable.cs',
    'Acme.Shop/Tax/Rate.cs',
    'Acme/Shop/Cart.cs',
    'app/Tax/TaxTable.php',
    'app/helpers.php',
  ],
]);

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
  expect([joinPath('a/b', '../c'), joinPath('', './x'), joinPath('a', '..'), joinPath('a', '../..')]).toEqual([
    'a/c',
    'x',
    '',
    null,
  ]);
});
