import { describe, expect, it } from 'vitest';
import type { FileContent, UnreadableReason } from '../../../src/core/repository/repository.ts';
import { changedFile } from '../../fakes/changed-files.ts';
import { MemoryRepository } from '../../fakes/memory-repository.ts';
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
