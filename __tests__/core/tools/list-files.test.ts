import { describe, expect, it } from 'vitest';
import { linearGlob } from '../../../src/core/repository/linear-glob.ts';
import { MemoryRepository } from '../../fakes/memory-repository.ts';
import { callTool } from './tools-over.ts';

const repository = new MemoryRepository({
  '.github/workflows/ci.yml': '',
  'README.md': '',
  'src/a.ts': '',
  'src/a.test.ts': '',
  'src/core/b.ts': '',
  'src/link': { kind: 'symlink', target: 'a.ts' },
});
const list = (directory: string | null, pattern: string | null, from = repository) =>
  callTool({ repository: from }, 'list_files', { directory, pattern });

describe('list_files', () => {
  it.each([
    [null, null, '.github/workflows/ci.yml\nREADME.md\nsrc/a.test.ts\nsrc/a.ts\nsrc/core/b.ts\nsrc/link (symlink)'],
    ['src/', '*.ts', 'src/a.test.ts\nsrc/a.ts\nsrc/core/b.ts'],
    ['src', 'core/*.ts', 'src/core/b.ts'],
    ['src', 'src/core/**', 'src/core/b.ts'],
    [null, '*.{md,yml}', '.github/workflows/ci.yml\nREADME.md'],
    ['src', '*.go', 'No file matches *.go: none of the 4 files below src.'],
    ['src/a.ts', null, 'ToolError: src/a.ts is a file: use read_file.'],
    ['lib', null, 'ToolError: There is no lib at the reviewed commit. list_files lists what there is.'],
  ])('lists %j with the pattern %j', async (directory, pattern, text) => {
    expect(await list(directory, pattern)).toBe(text);
  });

  it('lists at most 500 files and says how many more there are', async () => {
    const many = Object.fromEntries(Array.from({ length: 620 }, (_file, index) => [`f${index}.ts`, '']));
    const rows = (await list(null, null, new MemoryRepository(many))).split('\n');
    expect(rows).toHaveLength(501);
    expect(rows.at(-1)).toBe('… and 120 more: name a directory below, or a narrower pattern.');
  });

  it('says when there is no file at all', async () => {
    expect(await list(null, '*', new MemoryRepository({}))).toBe('The repository has no files.');
  });
});

describe('linearGlob', () => {
  it.each([
    ['*.ts', 'src/deep/a.ts', true],
    ['*.ts', 'a.tsx', false],
    ['src/*.ts', 'src/a.ts', true],
    ['src/*.ts', 'src/core/a.ts', false],
    ['src/**/*.ts', 'src/a.ts', true],
    ['src/**/*.ts', 'src/core/deep/a.ts', true],
    ['**/a.ts', 'a.ts', true],
    ['/src/?.ts', 'src/a.ts', true],
    ['src/[ab].ts', 'src/b.ts', true],
    ['src/[!ab].ts', 'src/b.ts', false],
    ['src/[a-c]*', 'src/bus', true],
    ['*.{ts,js}', 'a.js', true],
    ['*.{ts,{js,mjs}}', 'a.mjs', true],
    ['a,b.ts', 'a,b.ts', true],
    ['{a.ts', '{a.ts', true],
    ['a(1)+.ts', 'a(1)+.ts', true],
    ['[.ts', '[.ts', true],
    ['src/[\\w]', 'src/w', true],
  ])('compares %j with %j', (glob, path, matches) => {
    expect(linearGlob(glob)(path)).toBe(matches);
  });

  it('takes no time over a glob made to hang', () => {
    expect(linearGlob(`${'*a'.repeat(60)}!`)('a'.repeat(4_000))).toBe(false);
  });
});
