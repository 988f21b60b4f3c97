import { afterAll, describe, expect, it } from 'vitest';
import type { TextSearch } from '../../../src/core/repository/repository.ts';
import { isDeniedPath } from '../../../src/core/tools/policy.ts';
import { changedFile, MemoryRepository, MemorySearch } from '../../fakes/memory-repository.ts';
import { indexOf, parser } from '../context/searching.ts';
import { callTool } from './tools-over.ts';

afterAll(() => parser.close());

const cart = `export class Cart {
  total(items: number[]): number {
    return items.length;
  }
}

export function long(): number[] {
  return [];
}
`;
const repository = new MemoryRepository({
  'src/cart.ts': cart,
  'src/games.ts': 'export class Game {\n  total(): number {\n    return 1;\n  }\n}\n',
  'src/use.ts': "import { Cart } from './cart.js';\n\nexport const sum = new Cart().total([long()]);\n",
  'old/use.lua': 'print(total(1))\n',
  'secret/.env': 'total=1\n',
});
const files = [changedFile('src/cart.ts')];

function find(name: string, from = repository, search: TextSearch = new MemorySearch(from), changed = files) {
  const isDenied = (path: string) => isDeniedPath(path, []);
  const symbols = indexOf(from, { isDenied, search });
  return callTool({ repository: from, files: changed, search, isDenied, symbols }, 'find_symbol', { name });
}

describe('find_symbol', () => {
  it('shows a definition with its body, and the lines that use it', async () => {
    expect(await find('Cart')).toBe(
      [
        'src/cart.ts: class Cart',
        '   1 | export class Cart {',
        '   2 |   total(items: number[]): number {',
        '   3 |     return items.length;',
        '   4 |   }',
        '   5 | }',
        'Uses (1 line):',
        'src/use.ts',
        '   3 | export const sum = new Cart().total([long()]);',
      ].join('\n'),
    );
  });

  it('shows what has a body before what only declares it', async () => {
    const declared = new MemoryRepository({
      'include/money.h': 'int add_tax(int price);\n',
      'src/money.c': 'int add_tax(int price) {\n  return price;\n}\n',
    });
    expect((await find('add_tax', declared)).match(/^\S.*: function .*$/gm)).toEqual([
      'src/money.c: function add_tax',
      'include/money.h: function add_tax',
    ]);
  });

  it('shows a line once, however often it holds the name', async () => {
    const text = 'typedef struct cart { int sum; } cart;\ncart join(cart one, cart other);\n';
    expect(await find('cart', new MemoryRepository({ 'src/cart.h': text }))).toBe(
      [
        'src/cart.h: type cart',
        '   1 | typedef struct cart { int sum; } cart;',
        'Uses (1 line):',
        'src/cart.h',
        '   2 | cart join(cart one, cart other);',
      ].join('\n'),
    );
  });

  describe('of what is long', () => {
    const body = (count: number, line = '  run();') => `export function long() {\n${`${line}\n`.repeat(count)}}\n`;
    const longIn = async (text: string, path = 'src/a.ts') =>
      (await find('long', new MemoryRepository({ [path]: text }))).split('\nNothing')[0]?.split('\n') ?? [];

    it('shows a body of 80 lines', async () => {
      const rows = await longIn(body(78));
      expect([rows.length, rows[0], rows.at(-1)]).toEqual([81, 'src/a.ts: function long', '  80 | }']);
    });

    it('shows the first 20 of 81 lines, and which are left', async () => {
      const rows = await longIn(body(79));
      const heading = 'src/a.ts: function long (of lines 21-81: read_file_lines)';
      expect([rows.length, rows[0], rows.at(-1)]).toEqual([21, heading, '  20 |   run();']);
    });

    it('shows the outline of what follows, where something is defined in it', async () => {
      const methods = Array.from({ length: 30 }, (_method, at) => `  do${at}() {\n    run();\n  }\n`).join('');
      const rows = await longIn(`class long {\n${methods}}\n\nexport function other() {}\n`);
      const heading = 'src/a.ts: class long (of lines 21-92 in outline: read_file_lines)';
      expect([rows[0], ...rows.slice(19, 23), rows.at(-1)]).toEqual([
        heading,
        '  19 |   }',
        '  20 |   do6() {',
        '  23 | do7()',
        '  26 | do8()',
        '  89 | do29()',
      ]);
    });

    it('shows as much of wide lines as has room', async () => {
      const rows = await longIn(body(60, `  run('${'x'.repeat(900)}');`));
      expect([rows[0], rows.length]).toEqual(['src/a.ts: function long (of lines 15-62: read_file_lines)', 15]);
    });

    it('shows heads when bodies have used up the room', async () => {
      const many = Object.fromEntries(
        [1, 2, 3].map((at) => [`src/${at}.ts`, body(70, `  run('${'x'.repeat(110)}');`)]),
      );
      expect((await find('long', new MemoryRepository(many))).match(/^\S.*: function .*$/gm)).toEqual([
        'src/1.ts: function long',
        'src/2.ts: function long (of lines 21-72: read_file_lines)',
        'src/3.ts: function long (of lines 9-72: read_file_lines)',
      ]);
    });

    it('cuts a line of minified code around the name, between characters', async () => {
      const text = `${'a("😀");'.repeat(2_000)}function long(){}${'a("😀");'.repeat(2_000)};long()\n`;
      const [heading, row] = await longIn(text);
      expect(heading).toBe('src/a.ts: function long');
      expect(row).toMatch(/^ {3}1 \| ….*function long\(\)\{\}.*…$/);
      expect(row).not.toMatch(/\p{Cs}/u);
      expect(row?.length).toBeLessThanOrEqual(2_010);
    });
  });

  it('looks into changed files first, leaves denied ones out, and tells what was not parsed', async () => {
    const answer = await find('total');
    expect(answer.match(/^\S.*: method .*$/gm)).toEqual([
      'src/cart.ts: method Cart.total',
      'src/games.ts: method Game.total',
    ]);
    expect(answer).not.toContain('secret');
    expect(answer.split('\n').at(-1)).toBe('(found by text search, not parsed: old/use.lua)');
  });

  it.each(['Game.total', 'Game::total', 'Game#total()', ' Game.total '])(
    'takes %j for the member of one type',
    async (name) => {
      expect((await find(name)).match(/^\S.*: method .*$/gm)).toEqual(['src/games.ts: method Game.total']);
    },
  );

  it('looks into files that the change brings in, also where their names are those of built or vendored code', async () => {
    const hidden = { 'vendor/grab.ts': 'export function grab() {}\n', 'dist/a\n.ts': 'grab();\n' };
    const from = new MemoryRepository({ ...hidden, 'src/cart.ts': cart });
    const brought = [changedFile('vendor/grab.ts', { status: 'added' })];
    expect(await find('grab', from, new MemorySearch(from), brought)).toBe(
      [
        'vendor/grab.ts: function grab',
        '   1 | export function grab() {}',
        'Nothing uses it.',
        '(1 built or vendored file that mention it left out: dist/a\\u{A}.ts; search_text with their path finds it)',
      ].join('\n'),
    );
    expect((await find('grab', from)).split('\n')).toEqual([
      expect.stringMatching(/^Nothing defines or uses grab/),
      expect.stringMatching(/^\(2 built or vendored files .*vendor\/grab\.ts/),
    ]);
  });

  it('finds the source of what the repository also holds built, however often that mentions it', async () => {
    const from = new MemoryRepository({
      'dist/index.js': 'grab();\n'.repeat(1_000),
      'src/grab.ts': 'export function grab() {}\n',
    });
    expect((await find('grab', from)).split('\n')[0]).toBe('src/grab.ts: function grab');
  });

  it('says when a name comes from elsewhere', async () => {
    const from = new MemoryRepository({ 'src/cart.ts': "import { map } from 'lodash';\nmap([]);\n" });
    expect((await find('map', from)).split('\n')[0]).toBe(
      'No file of this repository defines map: it may come from a library.',
    );
  });

  it('says when there is nothing', async () => {
    expect(await find('Cat')).toMatch(
      /^Nothing defines or uses Cat at the reviewed commit; names are case-sensitive\./,
    );
  });

  it('says what was cut', async () => {
    const uses = Array.from({ length: 50 }, (_use, at) => `Cart.of(${at});\n`).join('');
    const many = new MemoryRepository({ 'src/cart.ts': cart, 'src/many.ts': uses });
    const answer = await find('Cart', many);
    expect(answer).toContain('Uses (30 lines):');
    expect(answer).toContain('(20 more lines left out: search_text lists them)');
  });

  it('says when the search did not look everywhere', async () => {
    const search = { search: async () => ({ matches: [], incomplete: 'time' as const }) };
    expect(await find('Cart', repository, search)).toContain('The search ran out of time.');
  });

  it.each(['', 'two words', '()'])('refuses %j', async (name) => {
    expect(await find(name)).toMatch(/^ToolError: .*is not a name: give one, such as total or Cart\.total\.$/);
  });
});
