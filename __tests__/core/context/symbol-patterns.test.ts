import fc from 'fast-check';
import { RE2JS } from 're2js';
import { describe, expect, it } from 'vitest';
import { definitionPatterns, mentionPatterns } from '../../../src/core/context/symbol-patterns.ts';

function isFound(patterns: readonly string[], line: string): boolean {
  return patterns.some((pattern) => RE2JS.compile(pattern).matcher(line).find());
}

describe('definitionPatterns', () => {
  it.each([
    'export async function total(items) {',
    '  def total(self):',
    'func (c *Cart[T]) total(x int) int {',
    '  public static int total(Cart cart) {',
    'pub(crate) fn total<T>(x: T) -> u32 {',
    'static struct cart *total(int a)',
    'int Cart::total() const {',
    'int shop::Cart::total() const {',
    '  readonly total: number;',
    '  total(items: Item[]): number {',
    'const total = 3;',
    '    self.total = 3',
    '#define total(a) a',
    'local function total(x)',
    'class total < Base',
    'type total struct {',
    '	total   string',
  ])('find %s', (line) => {
    expect(isFound(definitionPatterns(['other', 'total']), line)).toBe(true);
  });

  it.each(['return subtotal(x);', 'x = totals + 1', '// the total of all', 'log("total is", n)'])(
    'pass over %s',
    (line) => {
      expect(isFound(definitionPatterns(['total']), line)).toBe(false);
    },
  );
});

describe('mentionPatterns', () => {
  it('find whole words, whatever characters a name has', () => {
    const found = (name: string, line: string) => isFound(mentionPatterns([name]), line);
    expect([found('a', 'b.a()'), found('a', 'ba'), found('save!', 'x.save!'), found('$el', 'this.$el')]).toEqual([
      ...[true, false, true, true],
    ]);
  });

  it('are RE2 syntax within the limit of a search, for any names', () => {
    const name = fc.string({ minLength: 1, maxLength: 300 }).map((text) => text.replace(/[\n\r\0]/g, '_'));
    fc.assert(
      fc.property(fc.array(name, { maxLength: 80 }), (names) => {
        for (const pattern of [...mentionPatterns(names), ...definitionPatterns(names)]) {
          expect(pattern.length).toBeLessThanOrEqual(1_000);
          expect(() => RE2JS.compile(pattern)).not.toThrow();
        }
      }),
      { numRuns: 50 },
    );
  });

  it('name every symbol once', () => {
    const names = Array.from({ length: 200 }, (_name, index) => `symbol${index}`);
    const patterns = mentionPatterns(names);
    expect(patterns.length).toBeGreaterThan(1);
    expect(names.filter((name) => isFound(patterns, `x ${name} y`))).toEqual(names);
  });
});
