import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { commentableLines, hunkLines, renderHunk } from '../../../src/core/pull-request/changed-file.ts';
import { parseDiff, parsePatchText } from '../../../src/core/pull-request/parse-diff.ts';
import { changedFile, hunkOf } from '../../fakes/memory-repository.ts';

const modified = (path: string) => `:100644 100644 ${'a'.repeat(40)} ${'b'.repeat(40)} M\0${path}\0`;
const patchOf = (path: string, ...hunks: readonly string[]) =>
  [`diff --git a/${path} b/${path}`, `--- a/${path}`, `+++ b/${path}`, ...hunks, ''].join('\n');

describe('parseDiff', () => {
  it('gives paths, status, counts, headings and lines', () => {
    const lines = [' one', '-two', '+zwei', '+drei'];
    const patch = patchOf('a.ts', '@@ -1,2 +1,3 @@ function run() {', ...lines);
    const hunks = [hunkOf(lines, { heading: 'function run() {' })];
    const mode = '100644';
    const sides = { before: { mode, blob: 'a'.repeat(40) }, after: { mode, blob: 'b'.repeat(40) } };
    expect(parseDiff({ raw: modified('a.ts'), numstat: '2\t1\ta.ts\0', patch })).toEqual([
      changedFile('a.ts', { additions: 2, deletions: 1, hunks, sides }),
    ]);
  });

  it('takes lines that look like headers for content', () => {
    const lines = ['--- a/b', '-- x', '+++ c', '++ x', 'diff --git a/x b/x', 'Index: x', '@@ -1 +1 @@', 'Binary files'];
    const patch = patchOf('a', `@@ -0,0 +1,${lines.length} @@`, ...lines.map((line) => `+${line}`));
    const [file] = parseDiff({ raw: modified('a'), numstat: `${lines.length}\t0\ta\0`, patch });
    expect(file?.hunks.flatMap((hunk) => [...hunkLines(hunk)].map((line) => line.text))).toEqual(lines);
    expect(file?.incomplete).toBeNull();
  });

  it.each([
    ['a carriage return before the newline', ['-one\r', '+two\r']],
    ['a lone carriage return', ['-one\rtwo', '+one\rzwei']],
    ['no newline at the end', ['-one', '\\ No newline at end of file', '+two', '\\ No newline at end of file']],
  ])('keeps %s inside a line', (_, lines) => {
    const patch = patchOf('a', '@@ -1 +1 @@', ...lines);
    const [file] = parseDiff({ raw: modified('a'), numstat: '1\t1\ta\0', patch });
    expect(file).toMatchObject({ incomplete: null, hunks: [hunkOf(lines)] });
  });

  it('says what git prints for an empty side', () => {
    const patch = patchOf('a', '@@ -3,2 +2,0 @@', '-one', '-two');
    const [file] = parseDiff({ raw: modified('a'), numstat: '0\t2\ta\0', patch });
    expect(file?.hunks).toMatchObject([{ oldStart: 3, oldLines: 2, newStart: 2, newLines: 0 }]);
  });

  it('marks the file with a miscounted hunk and keeps its other hunks and the other files', () => {
    const patch =
      patchOf('a', '@@ -1 +1 @@', '-a', '+b', '@@ -9,7 +9,7 @@', '-c', '+d', '@@ -20 +20 @@', '-e', '+f') +
      patchOf('b', '@@ -1 +1 @@', '-x', '+y');
    const files = parseDiff({ raw: modified('a') + modified('b'), numstat: '3\t3\ta\x001\t1\tb\0', patch });
    expect(files.map((file) => [file.path, file.hunks.map((hunk) => hunk.newStart), file.incomplete])).toEqual([
      ['a', [1, 20], { code: 'diff.broken-hunks', count: 1 }],
      ['b', [1], null],
    ]);
  });

  it('marks the files that a cut patch does not reach', () => {
    const patch = patchOf('a', '@@ -1 +1 @@', '-a', '+b');
    const files = parseDiff({ raw: modified('a') + modified('b'), numstat: '1\t1\ta\x001\t1\tb\0', patch });
    expect(files.map((file) => file.incomplete)).toEqual([null, { code: 'diff.hunks-missing' }]);
  });

  it('marks a file whose hunks are fewer than git counted', () => {
    const patch = patchOf('a', '@@ -1 +1 @@', '-a', '+b');
    const [file] = parseDiff({ raw: modified('a'), numstat: '4\t1\ta\0', patch });
    expect(file).toMatchObject({ additions: 4, incomplete: { code: 'diff.fewer-lines' } });
  });

  it('trusts no hunk when the patch has more files than the list', () => {
    const patch = patchOf('a', '@@ -1 +1 @@', '-a', '+b') + patchOf('b', '@@ -1 +1 @@', '-a', '+b');
    const [file] = parseDiff({ raw: modified('b'), numstat: '1\t1\tb\0', patch });
    expect(file).toMatchObject({ hunks: [], incomplete: { code: 'diff.hunks-missing' } });
  });

  it('marks what the attributes of the base call generated', () => {
    const raw = modified('a') + modified('b');
    const files = parseDiff({ raw, numstat: '', patch: '', generated: new Set(['b']) });
    expect(files.map((file) => file.generated)).toEqual([false, true]);
  });
});

const pieces = [
  ...[':100644 100644 a b M\0', ':100644 000000 a b D\0', ':0 1 a b R100\0', ':120000 160000 a b T\0'],
  ...['\0', '\n', '\t', ' ', 'diff --git a/x b/x\n', '--- a/x\n', '+++ b/x\n', 'Index: x\n', 'rename to "\n', '==='],
  ...['@@ -1 +1 @@\n', '@@ -0,0 +1,2 @@ f\n', '@@ -99999999999999999999 +1 @@\n'],
  ...['+x\n', '-x\n', ' x\n', '\\ No newline\n', '1\t2\tx\0', '-\t-\tx\0', '1\t2\t\0a\0b\0'],
];
const anyText = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.array(fc.oneof(fc.constantFrom(...pieces), fc.string()), { maxLength: 30 }).map((parts) => parts.join('')),
);

describe('parseDiff of any text', () => {
  it('never throws, and every hunk it gives has the lines that its header counts', () => {
    fc.assert(
      fc.property(anyText, anyText, anyText, (raw, numstat, patch) => {
        for (const file of parseDiff({ raw, numstat, patch })) {
          for (const hunk of file.hunks) {
            expect(hunk.lines.filter((line) => !/^[-\\]/.test(line))).toHaveLength(hunk.newLines);
            expect(hunk.lines.filter((line) => !/^[+\\]/.test(line))).toHaveLength(hunk.oldLines);
          }
        }
      }),
      { numRuns: 500 },
    );
  });
});

describe('parsePatchText', () => {
  it('never throws', () => {
    fc.assert(fc.property(anyText, (patch) => Array.isArray(parsePatchText(patch))));
  });

  it('reads the patch of one file as the API gives it, without a last newline', () => {
    expect(parsePatchText('@@ -1 +1,2 @@\n-a\n+b\n+\n\\ No newline at end of file')).toEqual([
      hunkOf(['-a', '+b', '+', '\\ No newline at end of file']),
    ]);
  });
});

describe('commentableLines', () => {
  const patch = '@@ -3,3 +3,3 @@\n a\n-b\n+B\n c\n@@ -20,1 +20,0 @@\n-x\n@@ -40,0 +40,1 @@\n+y\n';
  const lines = commentableLines(changedFile('a', { hunks: parsePatchText(patch) }));

  it.each([
    ['RIGHT', 2, null],
    ['RIGHT', 3, 0],
    ['RIGHT', 6, null],
    ['RIGHT', 40, 2],
    ['LEFT', 4, 0],
    ['LEFT', 20, 1],
  ] as const)('knows the hunk of line %s %i: %s', (side, line, hunk) => {
    expect(lines.hunkOf(side, line)).toBe(hunk);
  });
});

describe('renderHunk', () => {
  it('gives each line its sign and its number at head, or before the change where it is removed', () => {
    const hunk = hunkOf([' a', '-b', '+B', '+\tc', ' d'], { oldStart: 98, newStart: 99, heading: 'function f() {' });
    expect(renderHunk(hunk)).toBe('@@ function f() {\n 99  a\n 99 -b\n100 +B\n101 +\tc\n102  d');
  });

  it.each([
    ['the last newline is missing', ['-a', '\\ No newline at end of file', '+a'], [1, '\\ No newline at end of file']],
    ['the line endings change, which the lines do not show', ['-a\r', '+a'], [2, '\\ Line endings change: CRLF → LF']],
  ] as const)('says where %s', (_, lines, [at, note]) => {
    expect(renderHunk(hunkOf(lines)).split('\n')).toEqual(['@@', ...['1 -a', '1 +a'].toSpliced(at, 0, note)]);
  });

  it('redacts a private key that replaces another, and shows what hides', () => {
    const key = (sign: string) => `${sign}${'MIIEowIBAAKCAQEAr3x'.repeat(3)}`;
    const lines = [' -----BEGIN PRIVATE KEY-----', key('-'), key('+'), ' -----END PRIVATE KEY-----', '+a\u202e'];
    expect(renderHunk(hunkOf(lines, { heading: 'x\u200b' }))).toBe(
      [
        '@@ x\\u{200B}',
        '1  -----BEGIN PRIVATE KEY-----',
        '2 -[redacted: private key]',
        '2 +[redacted: private key]',
        '3  -----END PRIVATE KEY-----',
        '4 +a\\u{202E}',
      ].join('\n'),
    );
  });

  it('renders one row for each line, whatever the text is', () => {
    const line = fc.tuple(fc.constantFrom(' ', '+', '-'), fc.string({ unit: 'binary' })).map((parts) => parts.join(''));
    fc.assert(
      fc.property(fc.array(line.filter((text) => !text.includes('\r'))), (lines) => {
        expect(renderHunk(hunkOf(lines)).split('\n')).toHaveLength(lines.length + 1);
      }),
    );
  });
});
