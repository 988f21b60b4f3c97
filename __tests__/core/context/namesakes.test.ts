import { afterAll, describe, expect, it } from 'vitest';
import { changedFile, hunkOf } from '../../fakes/changed-files.ts';
import { MemoryRepository } from '../../fakes/memory-repository.ts';
import { chainOf, parser, placesOf } from './chain-of.ts';

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

type Looking = { readonly files: { readonly [path: string]: string }; readonly signaturesOnly?: boolean };

async function flushesIn({ files, signaturesOnly = false }: Looking) {
  const repository = new MemoryRepository({ 'src/main.ts': main, ...files });
  const places = placesOf(await chainOf(repository, { changes: [change], signaturesOnly }));
  return places.filter((place) => place.startsWith('definition') && place.endsWith(' flush'));
}

const elsewhere = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_type, at) => [`lib/part${at}.ts`, type(`Part${at}`)]));

describe('a member that several types have', () => {
  it("is first a type's with a body, then one that is declared, then one of an object in a function", async () => {
    expect(await flushesIn({ files: { 'src/store.ts': store } })).toEqual([
      'definition src/store.ts:14-16 flush',
      'definition src/store.ts:2 flush',
      'definition src/store.ts:7-9 flush',
    ]);
  });

  it('is the likeliest alone where only heads are wanted', async () => {
    expect(await flushesIn({ files: { 'src/store.ts': store }, signaturesOnly: true })).toEqual([
      'definition src/store.ts:14 flush',
    ]);
  });

  it.each([
    [2, false, 2],
    [5, false, 3],
    [5, true, 0],
    [9, false, 0],
  ])('and %i files, heads alone: %s, is given %i times', async (count, signaturesOnly, times) => {
    const files = { 'src/store.ts': 'export function open() {}\n', ...elsewhere(count) };
    expect(await flushesIn({ files, signaturesOnly })).toHaveLength(times);
  });
});
