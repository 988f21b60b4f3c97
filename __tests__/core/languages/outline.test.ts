import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { describeDefinition } from '../../../src/core/context/changed-symbols.ts';
import { importLines } from '../../../src/core/languages/import-lines.ts';
import { outline } from '../../../src/core/languages/outline.ts';
import { patternSyntax } from '../../../src/core/languages/pattern-syntax.ts';

describe('outline', () => {
  it.each([
    [
      'a.ts',
      [
        'import x from "x";',
        'export default class A<T> extends B {',
        '  private async load(id: string): Promise<void> {',
        '    if (id) {',
        '      return find(() => {',
        '  static get name() {',
        'interface Options {',
        'export async function run(a: number) {',
        'export const limit = 3;',
        'const helper = (value: string) => value;',
        'const plain = 3;',
        "describe('a', () => {",
        "  it('b', () => {",
      ],
      [2, '3>', '6>', 7, 8, 9, 10, 12, '13>'],
    ],
    ['a.py', ['import os', 'class A:', '    async def run(self):', '        def inner():'], [2, '3>', '4>>']],
    ['a.go', ['package a', 'type A struct {', 'func (a *A) Run() error {', 'var limit = 3'], [2, 3, 4]],
    [
      'A.java',
      ['public final class A {', '  static int count(int a) {', '    return a;', '  enum B { C }'],
      [1, '2>', '4>'],
    ],
    ['a.kt', ['data class A(val b: Int)', 'object C {', '  override suspend fun run() {'], [1, 2, '3>']],
    ['a.rb', ['module M', '  class A < B', '    def run(x)', '      while x'], [1, '2>', '3>>']],
    ['a.rs', ['pub(crate) async fn run() {', 'impl A for B {', '    fn go(&self) {', 'let x = 1;'], [1, 2, '3>']],
    [
      'a.cpp',
      ['#define A 3', 'class A : public B {', 'int A::run(int a) const {', 'call(a);', '  while (a) {'],
      [1, 2, 3],
    ],
    ['a.cs', ['namespace N {', '  public record R(int A);', '    override async Task Run(int a) {'], [1, '2>', '3>>']],
    ['a.php', ['final class A {', '  public static function run() {'], [1, '2>']],
    ['ci.yml', ['on: push', 'jobs:', '  build:', '    steps:'], [1, 2, '3>']],
    ['README.md', ['# A', '### B', '~~~', '# code', '~~~', '## C'], [1, '2>', '6>']],
    ['minified.js', [`function a(){${'x'.repeat(300)}}`, 'function b() {'], [2]],
  ])('outlines %s, by the lines that declare and how deep they are', (path, lines, expected) => {
    const found = outline(path, lines)?.map(({ line, depth }) => `${line}${'>'.repeat(depth)}`);
    expect(found).toEqual(expected.map(String));
  });

  it('takes no time over lines made to hang', () => {
    const parts = ['public ', 'static ', 'a ', '(', ')', '{', ' ', '=> ', '<', '>', 'export '];
    const names = ['a.ts', 'A.java', 'a.cs', 'a.cpp', 'a.rs', 'a.rb'];
    fc.assert(
      fc.property(fc.constantFrom(...names), fc.array(fc.constantFrom(...parts), { maxLength: 40 }), (name, pieces) => {
        const line = pieces.join('').repeat(20).slice(0, 300);
        const lines = Array.from({ length: 20 }, () => line);
        expect(outline(name, lines)?.length ?? 0).toBeLessThanOrEqual(20);
      }),
    );
  });
});

function definitions(path: string, text: string): readonly string[] {
  return patternSyntax({ path, text }).definitions.map(
    (definition) => `${definition.startLine}-${definition.endLine} ${describeDefinition(definition)}`,
  );
}

describe('patternSyntax', () => {
  it.each([
    ['a.kt', 'class Cart(val a: Int) {\n  fun total(): Int {\n  }\n}\n', ['1-4 class Cart', '2-3 function Cart.total']],
    ['a.swift', 'struct Cart {\n  func total() -> Int {\n  }\n}\n', ['1-4 struct Cart', '2-3 function Cart.total']],
    ['a.lua', 'local function total(a)\nend\n\nfunction Cart.new()\nend\n', ['1-2 function total', '4-5 function new']],
    ['a.ex', 'defmodule Cart do\n  def total(a) do\n  end\nend\n', ['1-4 module Cart', '2-3 function Cart.total']],
    ['a.sh', 'total() {\n\n  echo 1\n}\n', ['1-4 function total']],
    ['README.md', '# Cart\n\n## total\n', []],
    ['data.bin', '\0\u{FFFD}', []],
  ])('guesses the definitions of %s', (path, text, expected) => {
    expect(definitions(path, text)).toEqual(expected);
  });

  it('takes every word for a use, but where it is defined', () => {
    const { references } = patternSyntax({
      path: 'a.lua',
      text: 'function total(cart)\n  return cart.sum + tax_for (cart) + cart->net + Cart::rate\nend\n',
    });
    expect(references.filter(({ call, member }) => call || member)).toEqual([
      { name: 'sum', line: 2, call: false, member: true },
      { name: 'tax_for', line: 2, call: true, member: false },
      { name: 'net', line: 2, call: false, member: true },
      { name: 'rate', line: 2, call: false, member: true },
    ]);
    expect(references.map(({ name }) => name)).not.toContain('total');
  });

  it('takes no time over data on one line', () => {
    const { references } = patternSyntax({ path: 'a.lua', text: 'function '.repeat(200_000) });
    expect(references).toEqual([]);
  });
});

describe('imports, read line by line', () => {
  it.each([
    [
      'a.ts',
      "import { a,\n  b } from './tax.ts';\nexport * from '../index.ts';\nimport './side.css';\nconst c = await import('./lazy.ts');\nconst d = require('d/e');",
      ['./tax.ts', '../index.ts', './side.css', './lazy.ts', 'd/e'],
    ],
    ['a.py', 'from ..a import b\nimport os.path as p, shop.tax\nfrom . import c', ['..a', 'os.path', 'shop.tax', '.']],
    ['a.go', 'import "fmt"\nimport (\n\t"a.com/shop/tax"\n\talias "a.com/b"\n)', ['fmt', 'a.com/shop/tax', 'a.com/b']],
    ['A.java', 'import com.shop.Tax;\nimport static com.shop.Rate.of;', ['com.shop.Tax', 'com.shop.Rate.of']],
    ['a.rb', "require 'shop/tax'\nrequire_relative '../b'", ['shop/tax', '../b']],
    ['a.rs', 'use crate::tax::rate;\npub mod cart;', ['crate::tax::rate', 'cart']],
    ['a.cpp', '#include <vector>\n#include "shop/tax.h"', ['shop/tax.h']],
    ['A.cs', 'using Shop.Tax;\nusing (var a = b) {}', ['Shop.Tax']],
    ['b.ts', `import 'a'; ${' '.repeat(500)}`, []],
    ['a.php', "use Shop\\Tax;\nrequire_once __DIR__ . '/b.php';", ['Shop\\Tax', '/b.php']],
  ])('finds those of %s', (path, text, expected) => {
    expect(importLines(path, text)?.imports.map(({ source }) => source)).toEqual(expected);
  });

  it('takes the same import once, and 300 of a file at most', () => {
    const many = Array.from({ length: 1_000 }, (_, index) => `import 'm${index}';\nimport 'same';`).join('\n');
    const found = importLines('a.ts', many)?.imports ?? [];
    expect([found.length, found.filter(({ source }) => source === 'same').length]).toEqual([300, 1]);
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
