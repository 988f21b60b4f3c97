import { describe, expect, it } from 'vitest';
import { linearGlob } from '../../../src/core/repository/path.ts';
import type { FileContent, UnreadableReason } from '../../../src/core/repository/repository.ts';
import { isDeniedPath } from '../../../src/core/tools/policy.ts';
import { changedFile, hunkOf, MemoryRepository } from '../../fakes/memory-repository.ts';
import { callTool, lines } from './tools-over.ts';

const unreadable = (reason: UnreadableReason, bytes: number | null): FileContent => ({
  kind: 'unreadable',
  reason,
  bytes,
});

const repository = new MemoryRepository({
  'src/a.ts': 'one\r\n\ttwo\u202e\r\n',
  'src/long.ts': lines(9_000),
  'src/wide.js': 'x'.repeat(50_000),
  'src/empty.ts': '',
  'src/core/deep/settings.ts': 'x',
  'config/key.txt': `-----BEGIN PRIVATE KEY-----\n${'MIIEvQIBADANBgkqhkiG9w0B\n'.repeat(9)}-----END PRIVATE KEY-----\n`,
  'logo.png': unreadable('binary', 12_345),
  'model.bin': unreadable('lfs-pointer', 130),
  vendor: unreadable('submodule', null),
  'huge.json': unreadable('too-large', 90_000_000),
  'far.ts': unreadable('not-fetched', null),
  link: { kind: 'symlink', target: 'src/a.ts' },
});
const files = [
  changedFile('src/new-name.ts', { status: 'renamed', oldPath: 'src/old-name.ts' }),
  changedFile('src/gone.ts', { status: 'deleted' }),
];
const read = (path: string) => callTool({ repository, files }, 'read_file', { path });
const readLines = (path: string, start: number, end: number) =>
  callTool({ repository, files }, 'read_file_lines', { path, start_line: start, end_line: end });

describe('read_file', () => {
  it('gives a file with line numbers, hidden characters shown', async () => {
    expect(await read('./src//a.ts')).toBe('src/a.ts (2 lines)\n   1 | one\n   2 | \ttwo\\u{202E}');
  });

  it('cuts a long file between lines and says how to get the rest', async () => {
    const result = await read('src/long.ts');
    const last = Number(/cut after line (\d+), read the rest with read_file_lines from (\d+)/.exec(result)?.[1]);
    expect(last).toBeGreaterThan(1_000);
    expect(result.split('\n').at(-1)).toBe(`${String(last).padStart(4)} | line ${last}`);
    expect(result).toContain('src/long.ts (9,000 lines; cut');
    expect(result.length).toBeLessThanOrEqual(30_000);
  });

  it('cuts an endless line', async () => {
    expect(await read('src/wide.js')).toBe(
      `src/wide.js (1 line)\n   1 | ${'x'.repeat(2_000)} … (cut: 2,000 of 50,000 characters)`,
    );
  });

  it('redacts a private key', async () => {
    expect((await read('config/key.txt')).match(/\[redacted: private key\]/g)).toHaveLength(9);
  });

  it.each([
    ['src/empty.ts', 'src/empty.ts is empty.'],
    ['src', 'ToolError: src is a directory: use list_files or get_file_structure.'],
    ['', 'ToolError: Name a file. list_files lists what there is.'],
    ['logo.png', 'ToolError: logo.png is a binary file (12,345 bytes): there is no text to read.'],
    ['vendor', 'ToolError: vendor is a submodule: its files are in another repository and cannot be read.'],
    ['link', 'ToolError: link is a symbolic link to src/a.ts: read that path if you need it.'],
    ['huge.json', 'ToolError: huge.json is too large to be read (90,000,000 bytes): use search_text with this path.'],
    ['far.ts', 'ToolError: far.ts was not fetched and cannot be read: judge by the diff.'],
    [
      'model.bin',
      'ToolError: model.bin is stored in Git LFS: the repository holds a pointer (130 bytes), the content cannot be read.',
    ],
    [
      'src/old-name.ts',
      'ToolError: There is no src/old-name.ts at the reviewed commit. This pull request renames it to src/new-name.ts.',
    ],
    [
      'src/gone.ts',
      'ToolError: There is no src/gone.ts at the reviewed commit. This pull request deletes it: its lines are in the diff.',
    ],
    [
      'src/settings.ts',
      'ToolError: There is no src/settings.ts at the reviewed commit. Did you mean src/core/deep/settings.ts?',
    ],
    [
      'src/setings.ts',
      'ToolError: There is no src/setings.ts at the reviewed commit. Did you mean src/core/deep/settings.ts?',
    ],
    [
      'nothing/like/it',
      'ToolError: There is no nothing/like/it at the reviewed commit. list_files lists what there is.',
    ],
    ['../x', 'ToolError: ../x is refused: paths stay inside the repository: `..` is not allowed.'],
  ])('answers a call for %j with what is there instead', async (path, text) => {
    expect(await read(path)).toBe(text);
  });
});

describe('read_file_lines', () => {
  it.each([
    [3, 4, 'src/long.ts, lines 3-4\n   3 | line 3\n   4 | line 4'],
    [4, 3, 'src/long.ts, lines 3-4; start_line and end_line were swapped\n   3 | line 3\n   4 | line 4'],
    [-2, 1, 'src/long.ts, lines 1-1; the file has 9,000 lines\n   1 | line 1'],
    [9_000, 9_020, 'src/long.ts, lines 9000-9000; the file has 9,000 lines\n9000 | line 9000'],
    [9_500, 9_501, 'src/long.ts, lines 8999-9000; the file has 9,000 lines\n8999 | line 8999\n9000 | line 9000'],
  ])('reads lines %i to %i', async (start, end, text) => {
    expect(await readLines('src/long.ts', start, end)).toBe(text);
  });

  it('cuts a range when the result is full, and names the next line', async () => {
    const result = await readLines('src/long.ts', 1, 5_000);
    const last = Number(/^src\/long.ts, lines 1-(\d+)/.exec(result)?.[1]);
    expect(result).toContain(`lines 1-${last}; cut: the next line is ${last + 1}\n`);
    expect(result.length).toBeLessThanOrEqual(30_000);
  });

  it('cuts a range at 2,000 lines', async () => {
    const short = new MemoryRepository({ 'a.txt': 'a\n'.repeat(3_000) });
    const result = await callTool({ repository: short }, 'read_file_lines', {
      path: 'a.txt',
      start_line: 1,
      end_line: 3_000,
    });
    expect(result.split('\n')[0]).toBe('a.txt, lines 1-2000; cut: the next line is 2001');
  });

  it('redacts the lines of a private key that the range starts in', async () => {
    expect(await readLines('config/key.txt', 5, 5)).toBe('config/key.txt, lines 5-5\n   5 | [redacted: private key]');
  });
});

describe('read diff', () => {
  const many = Array.from({ length: 40 }, (_hunk, index) =>
    hunkOf(
      Array.from({ length: 50 }, () => `+${'x'.repeat(20)}`),
      { oldStart: index * 100 + 1, newStart: index * 100 + 1 },
    ),
  );
  const files = [
    changedFile('src/a.ts', { lines: [' a', '-b', '+c'], modeChange: '100644 → 100755' }),
    changedFile('src/new.ts', { status: 'renamed', oldPath: 'src/old.ts' }),
    changedFile('logo.png', { kind: 'binary' }),
    changedFile('src/part.ts', { lines: ['+a'], incomplete: 'the API left out the rest' }),
    changedFile('src/large.ts', { hunks: many }),
    changedFile('env.txt', { status: 'renamed', oldPath: '.env', lines: ['+a'] }),
  ];
  const diff = (path: string) =>
    callTool({ files, offerDiff: true, isDenied: (denied) => isDeniedPath(denied, []) }, 'read_diff', { path });

  describe('read_diff', () => {
    it.each([
      ['src/a.ts', 'src/a.ts modified; mode 100644 → 100755\n@@\n1 1  a\n2   -b\n  2 +c'],
      ['src/old.ts', 'src/new.ts renamed from src/old.ts; no changed lines to show'],
      ['logo.png', 'logo.png modified; a binary; no changed lines to show'],
      ['src/part.ts', 'src/part.ts modified; the diff is incomplete: the API left out the rest\n@@\n  1 +a'],
      ['env.txt', 'ToolError: .env is denied: files of this kind hold secrets. Go on without it.'],
      ['lib/a.ts', 'ToolError: This pull request does not change lib/a.ts. Changed files: src/a.ts.'],
    ])('answers for %s', async (path, text) => {
      expect(await diff(path)).toBe(text);
    });

    it('names all changed files when none is alike', async () => {
      expect(await diff('nothing.go')).toMatch(/Changed files: src\/a\.ts, src\/new\.ts, .*, env\.txt\.$/);
    });

    it('cuts a large diff between lines and says where the rest is', async () => {
      const result = await diff('src/large.ts');
      expect(result.length).toBeLessThanOrEqual(30_000);
      expect(result).toMatch(
        /… cut in hunk \d+ of 40: read_file_lines from line \d+01 shows the new version of the rest\.$/,
      );
    });
  });
});

describe('list files', () => {
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
});
