import { describe, expect, it } from 'vitest';
import { describeDefinition, enclosingOf } from '../../../src/core/context/enclosing.ts';
import { patternSyntax } from '../../../src/core/context/pattern-syntax.ts';

function definitions(path: string, text: string): readonly string[] {
  return patternSyntax({ path, text }).definitions.map(
    (definition) => `${definition.startLine}-${definition.endLine} ${describeDefinition(definition)}`,
  );
}

describe('patternSyntax', () => {
  it.each([
    [
      'a.kt',
      'class Cart(val a: Int) {\n  fun total(): Int {\n    return 1\n  }\n}\n',
      ['1-5 class Cart', '2-4 function Cart.total'],
    ],
    ['a.swift', 'struct Cart {\n  func total() -> Int {\n  }\n}\n', ['1-4 struct Cart', '2-3 function Cart.total']],
    ['a.lua', 'local function total(a)\nend\n\nfunction Cart.new()\nend\n', ['1-2 function total', '4-5 function new']],
    ['a.ex', 'defmodule Cart do\n  def total(a) do\n  end\nend\n', ['1-4 module Cart', '2-3 function Cart.total']],
    ['a.sh', 'total() {\n  echo 1\n}\n', ['1-3 function total']],
    ['README.md', '# Cart\n\n## total\n', []],
    ['ci.yml', 'jobs:\n  build:\n', []],
    ['data.bin', '\0\u{FFFD}', []],
  ])('guesses the definitions of %s', (path, text, expected) => {
    expect(definitions(path, text)).toEqual(expected);
  });

  it('takes every word for a use, but where it is defined', () => {
    const { references } = patternSyntax({
      path: 'a.lua',
      text: 'function total(cart)\n  return cart.sum + tax_for(cart)\nend\n',
    });
    expect(references.filter(({ call, member }) => call || member)).toEqual([
      { name: 'sum', line: 2, call: false, member: true },
      { name: 'tax_for', line: 2, call: true, member: false },
    ]);
    expect(references.map(({ name }) => name)).not.toContain('total');
  });

  it('takes no time over data on one line', () => {
    const { references } = patternSyntax({ path: 'a.lua', text: 'function '.repeat(200_000) });
    expect(references).toEqual([]);
  });
});

describe('enclosingOf', () => {
  const syntax = patternSyntax({
    path: 'a.kt',
    text: 'class Cart {\n  fun total() {\n    return 1\n  }\n}\n\nval a = 1\n',
  });

  it.each([
    [1, 'Cart'],
    [3, 'total'],
    [7, undefined],
  ])('is on line %i %s', (line, name) => {
    expect(enclosingOf(syntax, line)?.name).toBe(name);
  });
});
