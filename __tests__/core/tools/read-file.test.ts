import { afterAll, describe, expect, it } from 'vitest';
import { verbatim } from '../../../src/core/messages/message.ts';
import type { Hunk } from '../../../src/core/pull-request/changed-file.ts';
import type { FileContent, UnreadableReason } from '../../../src/core/repository/repository.ts';
import { deniedIn } from '../../../src/core/tools/policy.ts';
import { changedFile, hunkOf, MemoryRepository } from '../../fakes/memory-repository.ts';
import { brokenParser, indexOf, parser } from '../context/searching.ts';
import { callTool, lines } from './tools-over.ts';

function unreadable(reason: UnreadableReason, bytes: number | null): FileContent {
  return { kind: 'unreadable', reason, bytes };
}

const repository = new MemoryRepository({
  'src/a.ts': 'one\r\n\ttwo\u202e\r\n',
  'src/long.ts': lines(9_000),
  'src/short.txt': 'a\n'.repeat(3_000),
  'src/wide.js': 'x'.repeat(50_000),
  'src/empty.ts': '',
  'src/core/deep/settings.ts': 'x',
  'config/key.txt': `-----BEGIN PRIVATE KEY-----\n${'MIIEvQIBADANBgkqhkiG9w0B\n'.repeat(9)}-----END PRIVATE KEY-----\n`,
  'logo.png': unreadable('binary', 12_345),
  'lfs.bin': unreadable('lfs-pointer', 130),
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

afterAll(() => parser.close());

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

  it('says of a dependency that is not committed that there is none to read', async () => {
    expect(await read('node_modules/left-pad/index.js')).toBe(
      'ToolError: There is no node_modules/left-pad/index.js at the reviewed commit. Dependencies can be read only where they are committed.',
    );
  });

  describe('of a file that is too long to show whole', () => {
    const functions = (count: number) =>
      Array.from({ length: count }, (_function, at) => `function f${at}() {\n${'  run();\n'.repeat(28)}}\n`).join('');
    const one = (path: string, text: string, hunks: readonly Hunk[]) => {
      const repository = new MemoryRepository({ [path]: text });
      const symbols = indexOf(repository);
      return callTool({ repository, symbols, files: [changedFile(path, { hunks })] }, 'read_file', { path });
    };
    const hunkAt = (line: number) =>
      hunkOf([' a', ' b', ' c', '+d', ' e', ' f', ' g'], { oldStart: line - 3, newStart: line - 3 });

    const both = 'its outline and its lines around the changes';
    const around = 'its lines around the changes';
    const f0 = '   1 | function f0()';

    it.each([
      [both, 'a.ts', functions(100), [150, 2_000, 2_030], f0, ['Lines 121-170:', 'Lines 1980-2050:'], 224],
      ['its outline', 'a.ts', functions(100), [], f0, [], 101],
      [around, 'a.txt', lines(9_000), [5_000], 'Lines 4980-5020:', ['Lines 4980-5020:'], 43],
    ])('gives %s, whichever there are', async (parts, path, text, changes, first, places, count) => {
      const rows = (await one(path, text, changes.map(hunkAt))).split('\n');
      expect(rows[0]).toContain(`,000 lines, too long to show whole: ${parts}; read_file_lines reads any others)`);
      expect([rows[1], rows.length]).toEqual([first, count]);
      expect(rows.filter((row) => row.startsWith('Lines'))).toEqual(places);
    });

    it.each([
      ['all of a definition of at most 120 lines that is changed', parser, ['Lines 1-120:', 'Lines 160-200:']],
      ['what is around the changes where it could not be parsed', brokenParser, ['Lines 40-80:', 'Lines 160-200:']],
    ])('gives %s', async (_, syntax, places) => {
      const ofLines = (count: number) => `function f${count}() {\n${'  run();\n'.repeat(count - 2)}}\n`;
      const text = [120, 121, 9_000].map(ofLines).join('');
      const repository = new MemoryRepository({ 'a.ts': text });
      const files = [changedFile('a.ts', { hunks: [hunkAt(60), hunkAt(180)] })];
      const sources = { repository, files, symbols: indexOf(repository, { syntax }) };
      const answer = await callTool(sources, 'read_file', { path: 'a.ts' });
      expect(answer.match(/^Lines.*$/gm)).toEqual(places);
    });

    it('names the places that have no room', async () => {
      const many = Array.from({ length: 60 }, (_hunk, at) => hunkAt(100 + at * 100));
      const answer = await one('a.ts', functions(300), many);
      const shown = [...answer.matchAll(/^Lines (\d+)-(\d+):$/gm)].length;
      const [note = '', first] = /\(around other changes, for read_file_lines: lines (\d+)-.*\)$/.exec(answer) ?? [];
      expect(shown).toBeGreaterThan(5);
      expect(note).toMatch(/lines(?: \d+-\d+,?){20} and \d+ more places\)$/);
      expect(Number(first)).toBeGreaterThan(shown * 100 - 100);
      expect(answer.length).toBeLessThanOrEqual(30_000);
    });

    it('goes to the end of the room in a file that is new from end to end', async () => {
      const whole = hunkOf(new Array<string>(3_000).fill('+x'), { oldStart: 0, newStart: 1 });
      const answer = await one('a.ts', functions(100), [whole]);
      const last = Number(/^Lines 1-(\d+):$/m.exec(answer)?.[1]);
      expect(last).toBeGreaterThan(500);
      expect(answer).toContain(`\n(around other changes, for read_file_lines: lines ${last + 1}-3000)`);
      expect(answer.length).toBeLessThanOrEqual(30_000);
    });

    it.each([
      ['lines that are gone', ['-x'], 'Lines 80-120:'],
      ['lines beyond its end', ['+x'], 'Lines 8971-9000:', 9_000],
      ['lines that it does not have', ['+x'], 'too long to show whole: its outline;', 20_000],
    ])('copes with a change of %s', async (_, changed, part, line = 100) => {
      const text = functions(300);
      const answer = await one('a.ts', text, [hunkOf(changed, { oldStart: line, newStart: line })]);
      expect(answer).toContain(part);
    });

    it('gives CRLF lines of 2,000 characters and more as they are shown, within its room', async () => {
      const wide = `${'é😀'.repeat(1_000)}\r\n`.repeat(300);
      const answer = await one('a.txt', wide, [hunkAt(150), hunkAt(250)]);
      expect(answer.length).toBeLessThanOrEqual(30_000);
      expect(answer).not.toMatch(/\r|\\u|\p{Cs}/u);
      expect(answer.split('\n').at(-1)).toMatch(
        /^\(around other changes, for read_file_lines: lines \d+-170, 230-270\)$/,
      );
    });
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
    ['src', 'src is a directory: use list_files or get_file_structure.'],
    ['', 'Name a file. list_files lists what there is.'],
    ['logo.png', 'logo.png is a binary file (12,345 bytes): there is no text to read.'],
    ['vendor', 'vendor is a submodule: its files are in another repository and cannot be read.'],
    ['link', 'link is a symbolic link to src/a.ts: read that path if you need it.'],
    ['huge.json', 'huge.json is too large to be read (90,000,000 bytes): use search_text with this path.'],
    ['far.ts', 'far.ts was not fetched and cannot be read: judge by the diff.'],
    [
      'lfs.bin',
      'lfs.bin is stored in Git LFS: the repository holds a pointer (130 bytes), the content cannot be read.',
    ],
    ['../x', '../x is refused: paths stay inside the repository: `..` is not allowed.'],
  ])('says of %j why it cannot be read', async (path, reason) => {
    expect(await read(path)).toBe(`ToolError: ${reason}`);
  });

  it.each([
    ['src/old-name.ts', 'This pull request renames it to src/new-name.ts.'],
    ['src/gone.ts', 'This pull request deletes it: its lines are in the diff.'],
    ['src/settings.ts', 'Did you mean src/core/deep/settings.ts?'],
    ['src/setings.ts', 'Did you mean src/core/deep/settings.ts?'],
    ['nothing/like/it', 'list_files lists what there is.'],
  ])('says that there is no %s, and what may be meant', async (path, hint) => {
    expect(await read(path)).toBe(`ToolError: There is no ${path} at the reviewed commit. ${hint}`);
  });

  it('says that a file is empty', async () => {
    expect(await read('src/empty.ts')).toBe('src/empty.ts is empty.');
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
    const result = await readLines('src/short.txt', 1, 3_000);
    expect(result.split('\n')[0]).toBe('src/short.txt, lines 1-2000; cut: the next line is 2001');
  });

  it('redacts the lines of a private key that the range starts in', async () => {
    expect(await readLines('config/key.txt', 5, 5)).toBe('config/key.txt, lines 5-5\n   5 | [redacted: private key]');
  });
});

describe('read_diff', () => {
  const added = new Array<string>(50).fill(`+${'x'.repeat(20)}`);
  const many = Array.from({ length: 40 }, (_hunk, index) => hunkOf(added, { newStart: index * 100 + 1 }));
  const files = [
    changedFile('src/a.ts', { lines: [' a', '-b', '+c'], modeChange: '100644 → 100755' }),
    changedFile('src/new.ts', { status: 'renamed', oldPath: 'src/old.ts' }),
    changedFile('logo.png', { kind: 'binary' }),
    changedFile('src/part.ts', { lines: ['+a'], incomplete: verbatim('the API left out the rest') }),
    changedFile('src/large.ts', { hunks: many }),
    changedFile('env.txt', { status: 'renamed', oldPath: '.env', lines: ['+a'] }),
  ];
  const diff = (path: string) =>
    callTool({ files, offerDiff: true, isDenied: deniedIn([], []) }, 'read_diff', { path });

  it.each([
    ['src/a.ts', 'src/a.ts modified; mode 100644 → 100755\n@@\n1  a\n2 -b\n2 +c'],
    ['src/old.ts', 'src/new.ts renamed from src/old.ts; no changed lines to show'],
    ['logo.png', 'logo.png modified; a binary; no changed lines to show'],
    ['src/part.ts', 'src/part.ts modified; the diff is incomplete: the API left out the rest\n@@\n1 +a'],
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
