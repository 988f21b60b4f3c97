import { describe, expect, it } from 'vitest';
import { hunkLines } from '../../../src/core/pull-request/changed-file.ts';
import { parseDiff } from '../../../src/core/pull-request/parse-diff.ts';

const modified = (path: string) => `:100644 100644 ${'a'.repeat(40)} ${'b'.repeat(40)} M\0${path}\0`;
const patchOf = (path: string, ...hunks: readonly string[]) =>
  [`diff --git a/${path} b/${path}`, `--- a/${path}`, `+++ b/${path}`, ...hunks, ''].join('\n');

describe('parseDiff', () => {
  it('gives paths, status, counts, headings and lines', () => {
    const patch = patchOf('a.ts', '@@ -1,2 +1,3 @@ function run() {', ' one', '-two', '+zwei', '+drei');
    expect(parseDiff({ raw: modified('a.ts'), numstat: '2\t1\ta.ts\0', patch })).toMatchInlineSnapshot(`
      [
        {
          "additions": 2,
          "deletions": 1,
          "generated": false,
          "hunks": [
            {
              "heading": "function run() {",
              "lines": [
                " one",
                "-two",
                "+zwei",
                "+drei",
              ],
              "newLines": 3,
              "newStart": 1,
              "oldLines": 2,
              "oldStart": 1,
            },
          ],
          "incomplete": null,
          "kind": "text",
          "modeChange": null,
          "oldPath": "a.ts",
          "path": "a.ts",
          "status": "modified",
        },
      ]
    `);
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
    ['a Unicode line separator', ['-one\u2028two', '+one\u2028\u2029\u0085zwei']],
    ['no newline at the end', ['-one', '\\ No newline at end of file', '+two', '\\ No newline at end of file']],
  ])('keeps %s inside a line', (_, lines) => {
    const [file] = parseDiff({
      raw: modified('a'),
      numstat: '1\t1\ta\0',
      patch: patchOf('a', '@@ -1 +1 @@', ...lines),
    });
    expect(file).toMatchObject({
      incomplete: null,
      hunks: [{ oldStart: 1, oldLines: 1, newStart: 1, newLines: 1, lines }],
    });
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
      ['a', [1, 20], '1 of its hunks could not be parsed'],
      ['b', [1], null],
    ]);
  });

  it('marks the files that a cut patch does not reach', () => {
    const patch = patchOf('a', '@@ -1 +1 @@', '-a', '+b');
    const files = parseDiff({ raw: modified('a') + modified('b'), numstat: '1\t1\ta\x001\t1\tb\0', patch });
    expect(files.map((file) => file.incomplete)).toEqual([null, 'its hunks are missing from the diff']);
  });

  it('marks a file whose hunks are fewer than git counted', () => {
    const patch = patchOf('a', '@@ -1 +1 @@', '-a', '+b');
    const [file] = parseDiff({ raw: modified('a'), numstat: '4\t1\ta\0', patch });
    expect(file).toMatchObject({ additions: 4, incomplete: 'the diff shows fewer or other lines than were changed' });
  });

  it('trusts no hunk when the patch has more files than the list', () => {
    const patch = patchOf('a', '@@ -1 +1 @@', '-a', '+b') + patchOf('b', '@@ -1 +1 @@', '-a', '+b');
    const [file] = parseDiff({ raw: modified('b'), numstat: '1\t1\tb\0', patch });
    expect(file).toMatchObject({ hunks: [], incomplete: 'its hunks are missing from the diff' });
  });

  it('marks what the attributes of the base call generated', () => {
    const generated = new Set(['b']);
    const files = parseDiff({ raw: modified('a') + modified('b'), numstat: '', patch: '', generated });
    expect(files.map((file) => file.generated)).toEqual([false, true]);
  });
});
