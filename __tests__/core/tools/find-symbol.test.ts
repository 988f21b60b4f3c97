import { afterAll, describe, expect, it } from 'vitest';
import type { TextMatch, TextMatches, TextSearch } from '../../../src/core/repository/repository.ts';
import { isDeniedPath } from '../../../src/core/tools/policy.ts';
import { changedFile, MemoryRepository, MemorySearch } from '../../fakes/memory-repository.ts';
import { indexOf, parser } from '../context/searching.ts';
import { callTool, ScriptedSearch } from './tools-over.ts';

afterAll(() => parser.close());

const cart = `export class Cart {
  total(items: number[]): number {
    return items.length;
  }
}

export function long(): number[] {
${'  run();\n'.repeat(40)}  return [];
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

function find(name: string, from = repository, search: TextSearch = new MemorySearch(from)) {
  const isDenied = (path: string) => isDeniedPath(path, []);
  const symbols = indexOf(from, { isDenied, search });
  return callTool({ repository: from, files, search, isDenied, symbols }, 'find_symbol', { name });
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

  it('shows the head of what is long', async () => {
    expect((await find('long')).split('\n').slice(0, 3)).toEqual([
      'src/cart.ts: function long (its head; it ends on line 49)',
      '   7 | export function long(): number[] {',
      'Uses (1 line):',
    ]);
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

describe('search text', () => {
  const key = `-----BEGIN PRIVATE KEY-----\n${'MIIEvQIBADANBgkqhkiG9w0B'.repeat(2)}\n-----END PRIVATE KEY-----\n`;
  const repository = new MemoryRepository({ 'src/a.ts': '', 'src/b.ts': '', 'key.txt': key });
  const isDenied = (path: string) => isDeniedPath(path, []);
  const anywhere = { path: null, file_pattern: null, regex: null };

  function search(found: readonly TextMatch[], incomplete: TextMatches['incomplete'] = null) {
    const scripted = new ScriptedSearch({ matches: found, incomplete });
    const call = (query: object) =>
      callTool({ repository, isDenied, search: scripted }, 'search_text', { pattern: 'x', ...anywhere, ...query });
    return { scripted, call };
  }

  const match = (path: string, line: number, text = 'const x = 1;'): TextMatch => ({ path, line, text });

  describe('search_text', () => {
    it('puts the matches below the path of their file', async () => {
      const { call } = search([match('src/a.ts', 3), match('src/a.ts', 120, '\tx\u200b'), match('src/b.ts', 7)]);
      expect(await call({})).toBe('src/a.ts\n   3 | const x = 1;\n 120 | \tx\\u{200B}\nsrc/b.ts\n   7 | const x = 1;');
    });

    it('asks for 100 matches of a fixed string anywhere, when nothing else is said', async () => {
      const { call, scripted } = search([]);
      await call({ pattern: 'a.b(' });
      expect(scripted.queries).toEqual([{ pattern: 'a.b(', regex: false, path: '', filePattern: '', limit: 100 }]);
    });

    it('leaves out what stands in denied files and says so', async () => {
      const { call } = search([match('.env', 1, 'KEY=x'), match('src/a.ts', 3), match('deep/id_rsa', 2)]);
      expect(await call({})).toBe('src/a.ts\n   3 | const x = 1;\n(2 matches in denied files left out)');
    });

    it('redacts a line from the middle of a private key', async () => {
      const { call } = search([match('key.txt', 2, key.split('\n')[1])]);
      expect(await call({ pattern: 'MIIE' })).toBe('key.txt\n   2 | [redacted: private key]');
    });

    it('cuts long lines', async () => {
      const { call } = search([match('src/a.ts', 1, 'y'.repeat(5_000))]);
      expect(await call({})).toBe(`src/a.ts\n   1 | ${'y'.repeat(400)} … (cut: 400 of 5,000 characters)`);
    });

    it.each([
      ['limit', '(there are more than 1 match: narrow the search with path or file_pattern)'],
      ['time', '(the search ran out of time and may have missed matches: narrow the search with path or file_pattern)'],
    ] as const)('says that the list is incomplete for lack of %s', async (incomplete, note) => {
      const { call } = search([match('src/a.ts', 3)], incomplete);
      expect((await call({})).split('\n').at(-1)).toBe(note);
    });

    it.each([
      [{ path: 'src' }, 'No line matches the fixed string x in src.'],
      [{ file_pattern: '*.go' }, 'No line matches the fixed string x in files *.go.'],
      [{ pattern: 'a\\d+', regex: true }, 'No line matches the expression a\\d+.'],
      [
        { pattern: 'a.*b' },
        'No line matches the fixed string a.*b. If you meant a regular expression, set regex: true.',
      ],
      [{ path: 'lib' }, 'ToolError: There is no lib at the reviewed commit. list_files lists what there is.'],
      [{ pattern: '' }, 'ToolError: The pattern is empty.'],
      [{ pattern: 'a\nb' }, 'ToolError: The search goes line by line: search for one line at a time.'],
      [{ pattern: 'x'.repeat(501) }, 'ToolError: The pattern has 501 characters; at most 500.'],
      [
        { path: '/etc' },
        'ToolError: /etc is refused: paths are relative to the root of the repository: leave out the first slash.',
      ],
    ])('answers %j without matches', async (query, text) => {
      expect(await search([]).call(query)).toBe(text);
    });

    it('explains a pattern that RE2 does not know, before anything is searched', async () => {
      const { call, scripted } = search([]);
      expect(await call({ pattern: '(?<=a)b', regex: true })).toMatch(
        /^ToolError: The pattern is not RE2 syntax: .*RE2 has no lookaround and no backreferences; with regex: false/,
      );
      expect(scripted.queries).toEqual([]);
    });
  });
});
