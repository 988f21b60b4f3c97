import { afterAll, describe, expect, it } from 'vitest';
import type { TextSearch } from '../../../src/core/repository/repository.ts';
import { deniedIn } from '../../../src/core/tools/policy.ts';
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
  const isDenied = deniedIn([], []);
  const symbols = indexOf(from, { isDenied, search });
  return callTool({ repository: from, files: changed, search, isDenied, symbols }, 'find_symbol', { name });
}

const headingsIn = (answer: string) => answer.match(/^\S.*: (function|method) .*$/gm);

describe('find_symbol', () => {
  it('shows a definition with its body, and the lines that use it', async () => {
    expect((await find('Cart')).split('\n')).toEqual([
      'src/cart.ts: class Cart',
      '   1 | export class Cart {',
      '   2 |   total(items: number[]): number {',
      '   3 |     return items.length;',
      '   4 |   }',
      '   5 | }',
      'Uses (1 line):',
      'src/use.ts',
      '   3 | export const sum = new Cart().total([long()]);',
    ]);
  });

  it('shows what has a body before what only declares it', async () => {
    const declared = new MemoryRepository({
      'include/money.h': 'int add_tax(int price);\n',
      'src/money.c': 'int add_tax(int price) {\n  return price;\n}\n',
    });
    expect(headingsIn(await find('add_tax', declared))).toEqual([
      'src/money.c: function add_tax',
      'include/money.h: function add_tax',
    ]);
  });

  it('shows a line once, however often it holds the name', async () => {
    const text = 'typedef struct cart { int sum; } cart;\ncart join(cart one, cart other);\n';
    expect((await find('cart', new MemoryRepository({ 'src/cart.h': text }))).split('\n')).toEqual([
      'src/cart.h: type cart',
      '   1 | typedef struct cart { int sum; } cart;',
      'Uses (1 line):',
      'src/cart.h',
      '   2 | cart join(cart one, cart other);',
    ]);
  });

  describe('of what is long', () => {
    const body = (count: number, line = '  run();') => `export function long() {\n${`${line}\n`.repeat(count)}}\n`;
    const wide = `  run('${'x'.repeat(900)}');`;
    const longIn = async (text: string) =>
      (await find('long', new MemoryRepository({ 'src/a.ts': text }))).split('\nNothing')[0]?.split('\n') ?? [];

    const left = (from: number, to: number) => ` (of lines ${from}-${to}: read_file_lines)`;

    it.each([
      ['a body of 80 lines', body(78), 80, '', '  80 | }'],
      ['the first 20 of 81 lines, and which are left', body(79), 20, left(21, 81), '  20 |   run();'],
      ['as much of wide lines as has room', body(60, wide), 14, left(15, 62), `  14 | ${wide}`],
    ])('shows %s', async (_what, text, count, rest, last) => {
      const [heading, ...rows] = await longIn(text);
      expect([heading, rows.length, rows.at(-1)]).toEqual([`src/a.ts: function long${rest}`, count, last]);
    });

    it('shows the outline of what follows, where something is defined in it', async () => {
      const methods = Array.from({ length: 30 }, (_method, at) => `  do${at}() {\n    run();\n  }\n`).join('');
      const rows = await longIn(`class long {\n${methods}}\n\nexport function other() {}\n`);
      const heading = 'src/a.ts: class long (of lines 21-92 in outline: read_file_lines)';
      const shown = ['  19 |   }', '  20 |   do6() {', '  23 | do7()', '  26 | do8()'];
      expect([rows[0], ...rows.slice(19, 23), rows.at(-1)]).toEqual([heading, ...shown, '  89 | do29()']);
    });

    it('shows heads when bodies have used up the room', async () => {
      const text = body(70, `  run('${'x'.repeat(110)}');`);
      const many = new MemoryRepository({ 'src/1.ts': text, 'src/2.ts': text, 'src/3.ts': text });
      expect(headingsIn(await find('long', many))).toEqual([
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
    expect(headingsIn(answer)).toEqual(['src/cart.ts: method Cart.total', 'src/games.ts: method Game.total']);
    expect(answer).not.toContain('secret');
    expect(answer.split('\n').at(-1)).toBe(
      '(mentioned in 1 file not parsed: old/use.lua; search_text shows the lines)',
    );
  });

  it.each(['Game.total', 'Game::total', 'Game#total()', ' Game.total '])(
    'takes %j for the member of one type',
    async (name) => {
      expect(headingsIn(await find(name))).toEqual(['src/games.ts: method Game.total']);
    },
  );

  it('looks into files that the change brings in, also where their names are those of built or vendored code', async () => {
    const hidden = { 'vendor/grab.ts': 'export function grab() {}\n', 'dist/a\n.ts': 'grab();\n' };
    const from = new MemoryRepository({ ...hidden, 'src/cart.ts': cart });
    const brought = [changedFile('vendor/grab.ts', { status: 'added' })];
    expect((await find('grab', from, new MemorySearch(from), brought)).split('\n')).toEqual([
      'vendor/grab.ts: function grab',
      '   1 | export function grab() {}',
      'Nothing uses it.',
      '(1 built or vendored file that mention it left out: dist/a\\u{A}.ts; search_text with their path finds it)',
    ]);
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

  const outOfTime = { search: async () => ({ matches: [], incomplete: 'time' as const }) };
  const fromElsewhere = new MemoryRepository({ 'src/cart.ts': "import { map } from 'lodash';\nmap([]);\n" });
  const oftenUsed = new MemoryRepository({ 'src/cart.ts': cart, 'src/many.ts': 'Cart.of(1);\n'.repeat(50) });

  const luaFiles = Array.from({ length: 6 }, (_, at) => [`a${at}.lua`, 'function tax() rate() end\n']);
  const unparsed = new MemoryRepository({ ...Object.fromEntries(luaFiles), 'README.md': 'tax\n', 'a.ts': 'rate();\n' });

  it.each([
    [
      'comes from elsewhere',
      'map',
      fromElsewhere,
      /^No definition of map was recognised in .*: it may come from a library\.$/m,
    ],
    ['is nowhere', 'Cat', repository, /^Nothing defines or uses Cat .*; names are case-sensitive\. search_text/],
    [
      'is in files alone that are not parsed',
      'tax',
      unparsed,
      /^No file that was parsed defines or uses tax .*\n\(mentioned in 6 files not parsed: a0\.lua, .*, a4\.lua, …; search_text/,
    ],
    [
      'is used where its definition is not parsed',
      'rate',
      unparsed,
      /^No definition of rate .*: one of the files that were not parsed may define it\.\nUses \(1 line\):/,
    ],
    ['is used too often', 'Cart', oftenUsed, /Uses \(30 lines\):[\s\S]*\(20 more lines left out: search_text lists/],
    ['was not looked for everywhere', 'Cart', repository, /ran out of time, so nothing is known of it/, outOfTime],
  ])('says when a name %s', async (_what, name, from, expected, search?: TextSearch) => {
    expect(await find(name, from, search)).toMatch(expected);
  });

  it.each(['', 'two words', '()'])('refuses %j', async (name) => {
    expect(await find(name)).toMatch(/^ToolError: .*is not a name: give one, such as total or Cart\.total\.$/);
  });
});
