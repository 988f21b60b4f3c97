import { describe, expect, it } from 'vitest';
import { indexedFiles } from '../../../src/core/context/indexed-files.ts';
import type { FileSyntax, SourceFile } from '../../../src/core/context/syntax.ts';
import { MemoryRepository } from '../../fakes/memory-repository.ts';

const parsed: FileSyntax = { language: 'ecmascript', by: 'parser', definitions: [], references: [], imports: [] };

/** A parser that takes this long for each file, and files over it. */
function filesOf(repository: MemoryRepository, milliseconds = 0) {
  let now = 0;
  const asked: string[] = [];
  const parse = async ({ path }: SourceFile) => {
    asked.push(path);
    now += milliseconds;
    return parsed;
  };
  const isDenied = (path: string) => (path.startsWith('secret') ? 'denied' : null);
  const file = indexedFiles({ repository, syntax: { languageOf: () => 'x', parse }, isDenied, now: () => now });
  return { file, asked };
}

describe('indexedFiles', () => {
  it('reads and parses a file once', async () => {
    const repository = new MemoryRepository({ 'a.ts': '' });
    const { file, asked } = filesOf(repository);
    expect(await file('a.ts')).toBe(await file('a.ts'));
    expect([asked, repository.reads]).toEqual([['a.ts'], ['head:a.ts']]);
  });

  it('tells the old side from the new', async () => {
    const { file } = filesOf(new MemoryRepository({ 'a.ts': 'new' }, { mergeBase: { 'a.ts': 'old' } }));
    const texts = [await file('a.ts'), await file('a.ts', 'merge-base')].map((each) => each?.lines[0]?.text);
    expect(texts).toEqual(['new', 'old']);
  });

  it.each([
    ['is denied', 'secret.ts'],
    ['does not exist', 'missing.ts'],
    ['is larger than 500,000 bytes', 'large.ts'],
  ])('has nothing of a file that %s', async (_why, path) => {
    const repository = new MemoryRepository({ 'secret.ts': '', 'large.ts': 'x'.repeat(500_001) });
    const { file, asked } = filesOf(repository);
    expect([await file(path), asked]).toEqual([null, []]);
  });

  it('reads line by line when parsing took 30 seconds in all', async () => {
    const paths = Array.from({ length: 35 }, (_path, index) => `f${index}.ts`);
    const { file } = filesOf(new MemoryRepository(Object.fromEntries(paths.map((path) => [path, '']))), 1_000);
    const by: (string | undefined)[] = [];
    for (const path of paths) by.push((await file(path))?.syntax.by);
    expect(by.filter((each) => each === 'parser')).toHaveLength(31);
    expect(by.at(-1)).toBe('patterns');
  });

  it('reads no more than 30 MB', async () => {
    const content = { kind: 'text', text: '', bytes: 498_000 } as const;
    const paths = Array.from({ length: 70 }, (_path, index) => `f${index}.ts`);
    const { file } = filesOf(new MemoryRepository(Object.fromEntries(paths.map((path) => [path, content]))));
    let read = 0;
    for (const path of paths) read += (await file(path)) === null ? 0 : 1;
    expect(read).toBe(61);
  });

  it('keeps the files that were asked for last, 6 MB of text', async () => {
    const content = { kind: 'text', text: '', bytes: 498_000 } as const;
    const paths = Array.from({ length: 14 }, (_path, index) => `f${index}.ts`);
    const { file, asked } = filesOf(new MemoryRepository(Object.fromEntries(paths.map((path) => [path, content]))));
    for (const path of paths.slice(0, 12)) await file(path);
    await file('f0.ts');
    for (const path of paths.slice(12)) await file(path);
    const before = asked.length;
    for (const path of ['f13.ts', 'f0.ts', 'f2.ts', 'f1.ts']) await file(path);
    expect([before, asked.slice(before)]).toEqual([14, ['f2.ts', 'f1.ts']]);
  });
});
