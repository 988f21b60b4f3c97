import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { classOf, withoutIndentation } from '../../../src/core/batches/file-class.ts';
import { type Hunk, renderHunk } from '../../../src/core/pull-request/changed-file.ts';
import { changedFile } from '../../fakes/memory-repository.ts';
import { hunk } from '../findings/make.ts';

it.each([
  ['src/cart.test.ts', 'test'],
  ['src/test_cart.py', 'test'],
  ['src/CartTest.java', 'test'],
  ['__tests__/cart.ts', 'test'],
  ['src/fixtures/cart.ts', 'test'],
  ['src/fixtures/cart.json', 'trivial'],
  ['src/locales/de.yml', 'trivial'],
  ['src/__snapshots__/cart.test.ts.snap', 'trivial'],
  ['src/lang/parse.ts', 'source'],
  ['pkg/testdata/cart.go', 'test'],
  ['src/contest.ts', 'source'],
  ['.github/workflows/test.yml', 'source'],
  ['docs/testing.md', 'document'],
])('%s counts as %s', (path, expected) => {
  expect(classOf(changedFile(path))).toBe(expected);
});

describe('lines that only changed their indentation', () => {
  const wrapped = hunk(
    { old: 4, new: 4 },
    ' function pay(order) {',
    '-  charge(order.cents);',
    '-  mail(order.customer);',
    '+  if (order.open) {',
    '+    charge(order.cents);',
    '+    mail(order.seller);',
    '+  }',
    ' }',
  );

  it('are shown as they are now, without a sign, and the note says how many', () => {
    expect(renderHunk(withoutIndentation(wrapped, 'src/pay.ts'))).toBe(
      [
        '@@',
        ' 4  function pay(order) {',
        ' 5 +  if (order.open) {',
        ' 6      charge(order.cents);',
        ' 6 -  mail(order.customer);',
        ' 7 +    mail(order.seller);',
        ' 8 +  }',
        ' 9  }',
        '\\ 1 line without a sign changed its indentation only, and is shown as it is now',
      ].join('\n'),
    );
  });

  it('stay as they are where indentation has a meaning', () => {
    expect(withoutIndentation(wrapped, 'src/pay.py')).toBe(wrapped);
  });

  it('alone make a change trivial, unless a word or the language says otherwise', () => {
    const moved = hunk({ old: 1, new: 1 }, '-charge(order);', '+  charge(order);');
    const kinds = [
      changedFile('src/pay.ts', { hunks: [moved] }),
      changedFile('src/pay.ts', { hunks: [moved, wrapped] }),
      changedFile('src/pay.py', { hunks: [moved] }),
    ].map(classOf);
    expect(kinds).toEqual(['trivial', 'source', 'source']);
  });

  it('lose no other line, keep all numbers, and cost no more, whatever changes', () => {
    const word = fc.constantFrom('charge(order);', 'mail(order);', '}', '', 'return;');
    const line = fc
      .tuple(fc.constantFrom(' ', '+', '-'), fc.constantFrom('', '  ', '\t'), word)
      .map((all) => all.join(''));
    fc.assert(
      fc.property(fc.array(line, { maxLength: 30 }), (lines) => {
        const before = hunk({ old: 1, new: 1 }, ...lines);
        const after = withoutIndentation(before, 'src/pay.ts');
        const side = (one: Hunk, sign: string) =>
          one.lines.filter((text) => !/^\\/.test(text) && !text.startsWith(sign));
        const bare = (texts: readonly string[]) => texts.map((text) => text.slice(1).trim());
        expect(side(after, '-').map((text) => text.slice(1))).toEqual(side(before, '-').map((text) => text.slice(1)));
        expect(bare(side(after, '+'))).toEqual(bare(side(before, '+')));
      }),
    );
  });
});
