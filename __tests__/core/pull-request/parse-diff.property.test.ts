import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { commentableLines } from '../../../src/core/pull-request/commentable-lines.ts';
import { parseDiff, parsePatchText } from '../../../src/core/pull-request/parse-diff.ts';

const pieces = [
  ...[
    ':100644 100644 a b M\0',
    ':100644 000000 a b D\0',
    ':0 1 a b R100\0',
    ':120000 160000 a b T\0',
    '\0',
    '\n',
    '\t',
    ' ',
  ],
  ...[
    'diff --git a/x b/x\n',
    '--- a/x\n',
    '+++ b/x\n',
    '@@ -1 +1 @@\n',
    '@@ -0,0 +1,2 @@ f\n',
    '@@ -99999999999999999999 +1 @@\n',
  ],
  ...[
    '+x\n',
    '-x\n',
    ' x\n',
    '\\ No newline\n',
    '1\t2\tx\0',
    '-\t-\tx\0',
    '1\t2\t\0a\0b\0',
    'Index: x\n',
    '===',
    'rename to "\n',
  ],
];
const anyText = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.array(fc.oneof(fc.constantFrom(...pieces), fc.string()), { maxLength: 30 }).map((parts) => parts.join('')),
);

describe('parseDiff', () => {
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
      {
        oldStart: 1,
        oldLines: 1,
        newStart: 1,
        newLines: 2,
        heading: '',
        lines: ['-a', '+b', '+', '\\ No newline at end of file'],
      },
    ]);
  });
});

describe('commentableLines', () => {
  const patch = '@@ -3,3 +3,3 @@\n a\n-b\n+B\n c\n@@ -20,1 +20,0 @@\n-x\n@@ -40,0 +40,1 @@\n+y\n';
  const file = { hunks: parsePatchText(patch) };
  const lines = commentableLines({
    ...{ path: 'a', oldPath: 'a', status: 'modified', kind: 'text', additions: 2, deletions: 2 },
    ...{ hunks: file.hunks, modeChange: null, generated: false, incomplete: null },
  });

  it.each([
    ['RIGHT', 2, null],
    ['RIGHT', 3, 0],
    ['RIGHT', 5, 0],
    ['RIGHT', 6, null],
    ['RIGHT', 20, null],
    ['RIGHT', 40, 2],
    ['LEFT', 4, 0],
    ['LEFT', 20, 1],
    ['LEFT', 40, null],
  ] as const)('knows the hunk of line %s %i: %s', (side, line, hunk) => {
    expect(lines.hunkOf(side, line)).toBe(hunk);
  });
});
