import fc from 'fast-check';
import { RE2JS } from 're2js';
import { afterAll, describe, expect, it } from 'vitest';
import { definitionPatterns, mentionPatterns, symbolIndex } from '../../../src/core/context/symbol-index.ts';
import type { TextSearch } from '../../../src/core/repository/repository.ts';
import { addedFile, changedFile, hunkOf, MemoryRepository, MemorySearch } from '../../fakes/memory-repository.ts';
import { ScriptedSearch } from '../tools/tools-over.ts';
import { brokenParser, chainOf, parser, placesOf } from './searching.ts';

afterAll(() => parser.close());

const main = `import { open } from './store.ts';

export function run(): void {
  open().flush();
}
`;
const change = changedFile('src/main.ts', {
  hunks: [hunkOf([' export function run(): void {', '+  open().flush();', ' }'], { oldStart: 3, newStart: 3 })],
});
const store = `export interface Sink {
  flush(): void;
}

export function open(): Sink {
  return {
    flush() {
      void 0;
    },
  };
}

export class Disk implements Sink {
  flush(): void {
    void 0;
  }
}
`;
const type = (name: string) => `export class ${name} {\n  flush(): void {\n    void 0;\n  }\n}\n`;

type Files = { readonly [path: string]: string };

async function flushesIn(files: Files) {
  const repository = new MemoryRepository({ 'src/main.ts': main, ...files });
  const places = placesOf(await chainOf(repository, { changes: [change] }));
  return places.filter((place) => place.startsWith('definition') && place.endsWith(' flush'));
}

const elsewhere = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_type, at) => [`lib/part${at}.ts`, type(`Part${at}`)]));

describe('a member that several types have', () => {
  it('is that of what the file names', async () => {
    expect(await flushesIn({ 'src/store.ts': store })).toEqual(['definition src/store.ts:7-9 flush']);
  });

  it.each([
    [1, 1],
    [2, 2],
    [3, 0],
  ])('and that %i other files define, which nothing imports, is given %i times', async (count, times) => {
    const files = { 'src/store.ts': 'export function open() {}\n', ...elsewhere(count) };
    expect(await flushesIn(files)).toHaveLength(times);
  });
});

/** `name path:line` of what a change of `src/main.ts` is shown, by relation. */
async function linksOf(text: string, files: Files) {
  const repository = new MemoryRepository({ 'src/main.ts': text, ...files });
  return placesOf(await chainOf(repository, { changes: [addedFile('src/main.ts', text.trimEnd().split('\n'))] }));
}

describe('a bare common name', () => {
  const others = (line: string) =>
    Object.fromEntries(Array.from({ length: 4 }, (_file, at) => [`lib/part${at}.ts`, `${line}\n`]));

  it.each(['delete', 'On', 'ID', 'Context', 'default'])('links nothing by itself: %s', async (name) => {
    const store = `export class Store {\n  ${name}(): void {\n    void 0;\n  }\n}\n`;
    const files = { 'lib/store.ts': store, ...others(`map.${name}(1);`) };
    const text = `export function run(map: Map<string, string>): void {\n  map.${name}();\n  made().${name}();\n}\n`;
    expect(await linksOf(text, files)).toEqual([]);
  });

  it('is no call of a changed method of that name, but for what has its type', async () => {
    const pay = 'export function pay(store: Store, seen: Set<string>) {\n  seen.delete();\n  store.delete();\n}\n';
    const files = { ...others('map.delete(1);'), 'src/pay.ts': `import { Store } from './main.js';\n${pay}` };
    const text = 'export class Store {\n  delete(): void {\n    void 0;\n  }\n}\n';
    expect(await linksOf(text, files)).toEqual(['caller src/pay.ts:4 delete', 'caller src/pay.ts:2 Store']);
  });

  const object = 'export const made = () => ({ set });\nfunction set(): void {}\n';
  const method = 'export const made = () => new Store();\nclass Store {\n  set(): void {}\n}\n';

  it.each([
    ['is used on what a call returns, when it is a function', object, ['made', 'set']],
    ['is not, when it is a method of a type that the caller does not name', method, ['made']],
  ])('%s', async (_, text, names) => {
    const files = { ...others('map.set(1);'), 'src/pay.ts': "import { made } from './main.js';\nmade().set();\n" };
    expect(await linksOf(text, files)).toEqual(names.map((name) => `caller src/pay.ts:2 ${name}`));
  });

  it('is what the type of a parameter says, wherever else it is defined', async () => {
    const files = {
      'src/store.ts': 'export class Store {\n  delete(): void {}\n}\n\nexport class Disk {\n  delete(): void {}\n}\n',
      ...others('map.delete(1);'),
    };
    const text = 'export const clear = (disk: Disk) => disk.delete();\nnew Store();\n';
    const found = await linksOf(`import { Disk, Store } from './store.js';\n${text}`, files);
    expect(found.filter((place) => place.endsWith(' delete'))).toEqual(['definition src/store.ts:6 delete']);
  });

  it.each([
    [
      'is one that stands beside the functions of the file that is imported',
      ' }\nfunction tax() {}',
      ['definition lib/part.ts:2 tax'],
    ],
    ['is none that stands within one of them', '\n  function tax() {} }', []],
  ])('%s', async (_, rest, expected) => {
    const files = { 'lib/part.ts': `export function outer() {${rest}\n` };
    expect(await linksOf("import { tax } from '../lib/part.js';\ntax();\n", files)).toEqual(expected);
  });

  it('is shown with the whole statement that uses it', async () => {
    const pay = "import { tax } from './main.js';\nconst cents =\n  tax(1)\n    .toFixed();\nmore();\n";
    const found = await linksOf('export function tax(): number {}\n', { 'src/pay.ts': pay });
    expect(found).toEqual(['caller src/pay.ts:2-4 tax']);
  });

  it('is found behind exports of exports', async () => {
    const files = {
      'src/api.ts': "export * from './inner/index.js';\n",
      'src/api/index.ts': "export * from './inner/index.js';\n",
      'src/api/inner/index.ts': "export { open } from './open.js';\n",
      'src/api/inner/open.ts': 'export function open(): void {}\n',
      ...others('open();'),
    };
    const found = await linksOf("import { open } from './api/index.js';\nopen();\n", files);
    expect(found).toEqual(['definition src/api/inner/open.ts:1 open']);
  });
});

const repository = new MemoryRepository({ 'a.ts': 'export function tax() {}\n', 'b.ts': 'tax(0);\ntax(total);\n' });
const uses = { definitions: false, limit: 600, shared: true } as const;

function indexOver(search: TextSearch, { over = repository, now = 0 } = {}) {
  return symbolIndex({
    repository: over,
    search,
    syntax: brokenParser,
    isDenied: () => null,
    now: () => now,
    deadline: 1_000,
  });
}

const filesOf = (count: number) =>
  new MemoryRepository(Object.fromEntries(Array.from({ length: count }, (_, index) => [`f${index}.ts`, ''])));

const nothingFound = { matches: [], incomplete: null };

describe('the searches that the batches of a run share', () => {
  it('look for a name once, and answer the same again, in the order of places', async () => {
    const search = new MemorySearch(repository);
    const index = indexOver(search);
    const first = await index.search(['total'], uses);
    const texts = [
      ['a.ts', 1, 'export function tax() {}'],
      ['b.ts', 1, 'tax(0);'],
      ['b.ts', 2, 'tax(total);'],
    ] as const;
    const lines = texts.map(([path, line, text]) => ({ path, line, text }));
    expect(await index.search(['tax', 'total'], uses)).toEqual({ lines, incomplete: null });
    expect(await index.search(['total'], uses)).toEqual(first);
    expect(search.queries.map(({ pattern }) => pattern)).toEqual(['(?:\\btotal\\b)', '(?:\\btax\\b)']);
  });

  it.each([
    ['300 times', 2, nothingFound, 300],
    ['less often the more files a search reads', 100_000, nothingFound, 20],
    ['not again when two ran out of time', 2, { matches: [], incomplete: 'time' }, 2],
  ] as const)('search %s', async (_name, files, answer, times) => {
    const search = new ScriptedSearch(answer);
    const index = indexOver(search, { over: filesOf(files) });
    const found = [];
    for (let number = 0; number < 320; number += 1) found.push(await index.search([`name${number}`], uses));
    expect(search.queries).toHaveLength(times);
    expect(found.at(-1)).toEqual({ lines: [], incomplete: 'searches' });
  });

  it('leave the searches that a model asks for alone', async () => {
    const search = new ScriptedSearch(nothingFound);
    const index = indexOver(search);
    for (let number = 0; number < 320; number += 1) await index.search(['name'], { ...uses, shared: false });
    expect(search.queries).toHaveLength(320);
  });

  it('end with the time of the run', async () => {
    const search = new ScriptedSearch(nothingFound);
    const index = indexOver(search, { now: 1_000 });
    expect(await index.search(['name'], { ...uses, shared: false })).toEqual({ lines: [], incomplete: 'time' });
    expect(search.queries).toEqual([]);
  });
});

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
    const mentions = ['a b.a()', 'a ba', 'save! x.save!', '$el this.$el'].map((text) => text.split(' '));
    const found = mentions.map(([name = '', line = '']) => isFound(mentionPatterns([name]), line));
    expect(found).toEqual([true, false, true, true]);
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
});
