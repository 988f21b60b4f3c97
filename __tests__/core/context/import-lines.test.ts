import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { importLines } from '../../../src/core/context/import-lines.ts';

describe('imports, read line by line', () => {
  it.each([
    [
      'a.ts',
      "import { a,\n  b } from './tax.ts';\nexport * from '../index.ts';\nimport './side.css';\nconst c = await import('./lazy.ts');\nconst d = require('d/e');",
      ['./tax.ts', '../index.ts', './side.css', './lazy.ts', 'd/e'],
    ],
    [
      'a.py',
      'from ..models import order\nimport os.path as p, shop.tax\nfrom . import tax',
      ['..models', 'os.path', 'shop.tax', '.'],
    ],
    [
      'a.go',
      'import "fmt"\nimport (\n\t"example.com/shop/tax"\n\talias "example.com/b"\n)',
      ['fmt', 'example.com/shop/tax', 'example.com/b'],
    ],
    ['A.java', 'import com.shop.Tax;\nimport static com.shop.Rate.of;', ['com.shop.Tax', 'com.shop.Rate.of']],
    ['a.rb', "require 'shop/tax'\nrequire_relative '../b'", ['shop/tax', '../b']],
    ['a.rs', 'use crate::tax::rate;\npub mod cart;', ['crate::tax::rate', 'cart']],
    ['a.cpp', '#include <vector>\n#include "shop/tax.h"', ['shop/tax.h']],
    ['A.cs', 'using Shop.Tax;\nusing (var a = b) {}', ['Shop.Tax']],
    ['a.php', "use Shop\\Tax;\nrequire_once __DIR__ . '/b.php';", ['Shop\\Tax', '/b.php']],
  ])('finds those of %s', (path, text, expected) => {
    expect(importLines(path, text)?.imports.map(({ source }) => source)).toEqual(expected);
  });

  it('takes the same import once, and 300 of a file at most', () => {
    const many = Array.from({ length: 1_000 }, (_, index) => `import 'm${index}';\nimport 'same';`).join('\n');
    const found = importLines('a.ts', many)?.imports ?? [];
    expect([found.length, found.filter(({ source }) => source === 'same').length]).toEqual([300, 1]);
  });

  it('knows no language of prose and data', () => {
    expect([importLines('a.md', "import x from 'y'"), importLines('a.json', '{}')]).toEqual([null, null]);
  });

  it('never throws and never takes long, whatever the text', () => {
    const path = fc.constantFrom('a.ts', 'a.py', 'a.go', 'A.java', 'a.rb', 'a.rs', 'a.cpp', 'A.cs', 'a.php');
    const word = fc.constantFrom('import ', 'from ', 'use ', "'", '"', '(', ' as ', ',', '.', '\\', '\n', 'a', '   ');
    fc.assert(
      fc.property(path, fc.array(word, { maxLength: 300 }), (name, words) => {
        const found = importLines(name, words.join(''));
        return found?.imports.every(({ line }) => line >= 1) === true;
      }),
    );
  });
});
