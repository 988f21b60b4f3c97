import { afterAll, describe, expect, it } from 'vitest';
import type { Anchor } from '../../../src/core/findings/finding.ts';
import { digestOf } from '../../../src/core/history/mark.ts';
import { digestsOf } from '../../../src/core/history/memory.ts';
import { surroundingsAt } from '../../../src/core/history/surroundings.ts';
import type { Syntax } from '../../../src/core/languages/syntax.ts';
import { MemoryRepository } from '../../fakes/memory-repository.ts';
import { linesAt } from '../../fakes/review-record.ts';
import { parser } from '../context/searching.ts';

afterAll(() => parser.close());

const patient: Syntax = { ...parser, parse: (file) => parser.parse(file, { milliseconds: 60_000 }) };
const numbered = (count: number) => Array.from({ length: count }, (_, index) => `line ${index + 1};`);
const digest = (lines: readonly string[]) => digestOf(lines.join('\n'), 12);

const cart = `const first = 1;

export function total(items) {
  const sum = add(items);
  return sum;
}

export function last(items) {
  return items[items.length];
}`.split('\n');

const long = ['function long() {', ...numbered(450), '}'];

const files = {
  'cart.ts': cart.join('\n'),
  'long.ts': long.join('\n'),
  'notes.txt': numbered(100).join('\n'),
  'logo.png': { kind: 'unreadable', reason: 'binary', bytes: 9 } as const,
};

function around(path: string, anchor: Anchor, syntax: Syntax | null = patient): Promise<string | null> {
  return surroundingsAt({ repository: new MemoryRepository(files), syntax }).around(path, anchor);
}

describe('what a place stands in', () => {
  it.each<[string, string, Anchor, readonly string[]]>([
    ['the definition around it', 'cart.ts', linesAt([4, 4], ''), cart.slice(2, 6)],
    ['the definition around all of its lines', 'cart.ts', linesAt([4, 5], ''), cart.slice(2, 6)],
    ['20 lines on each side where it goes beyond one', 'cart.ts', linesAt([5, 9], ''), cart],
    ['20 lines on each side outside of definitions', 'cart.ts', linesAt([1, 1], ''), cart],
    [
      '20 lines on each side in a definition of more than 400',
      'long.ts',
      linesAt([200, 201], ''),
      long.slice(179, 221),
    ],
    ['20 lines on each side without a grammar', 'notes.txt', linesAt([50, 51], ''), numbered(100).slice(29, 71)],
    ['what there is of them', 'notes.txt', linesAt([3, 3], ''), numbered(23)],
    ['the file for the whole of it', 'cart.ts', { kind: 'file' }, cart],
    ['the file for lines that it does not have any more', 'cart.ts', linesAt([90, 91], '', 'LEFT'), cart],
  ])('is %s', async (_, path, anchor, lines) => {
    expect(await around(path, anchor)).toBe(digest(lines));
  });

  it('is 20 lines on each side where nothing is parsed, and where no parser can read it', async () => {
    const broken: Syntax = { ...patient, parse: async () => null };
    const read = await Promise.all([null, broken].map((syntax) => around('cart.ts', linesAt([4, 4], ''), syntax)));
    expect(read).toEqual([digest(cart), digest(cart)]);
  });

  it.each(['gone.ts', 'logo.png'])('is unknown of %s', async (path) => {
    expect(await Promise.all([around(path, linesAt([1, 1], '')), around(path, { kind: 'file' })])).toEqual([
      null,
      null,
    ]);
  });

  it('is read and parsed once a file', async () => {
    const repository = new MemoryRepository(files);
    const { around: at, find } = surroundingsAt({ repository, syntax: patient });
    for (const line of [4, 5, 9]) await at('cart.ts', linesAt([line, line], ''));
    await find('cart.ts', digestsOf('  return sum;'));
    expect(repository.reads).toEqual(['head:cart.ts']);
  });
});

describe('lines that are known by their digests', () => {
  it.each<[string, string, string, object | null]>([
    ['where they stand', 'cart.ts', '  const sum = add(items);\n  return sum;', { start: 4, end: 5 }],
    [
      'where blank lines are between them',
      'cart.ts',
      'const first = 1;\nexport function total(items) {',
      { start: 1, end: 3 },
    ],
    ['at the first of several places', 'cart.ts', '}', { start: 6, end: 6 }],
    ['nowhere in another order', 'cart.ts', '  return sum;\n  const sum = add(items);', null],
    ['nowhere where one of them is another', 'cart.ts', '  const sum = add(items);\n  return 0;', null],
    ['nowhere without a line', 'cart.ts', '\n', null],
    ['nowhere in a file that is not there', 'gone.ts', '}', null],
  ])('are found %s', async (_, path, quote, range) => {
    const { find } = surroundingsAt({ repository: new MemoryRepository(files), syntax: null });
    expect(await find(path, digestsOf(quote))).toEqual(range);
  });
});
