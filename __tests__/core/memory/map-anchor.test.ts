import { structuredPatch } from 'diff';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mapLines } from '../../../src/core/memory/map-anchor.ts';
import type { Present } from '../../../src/core/memory/memory.ts';
import type { ChangedFile } from '../../../src/core/pull-request/changed-file.ts';

function changed(before: readonly string[], after: readonly string[], more: Partial<ChangedFile> = {}): ChangedFile {
  const text = (lines: readonly string[]) => lines.map((line) => `${line}\n`).join('');
  const { hunks } = structuredPatch('a.ts', 'a.ts', text(before), text(after), '', '', { context: 3 });
  return {
    path: 'a.ts',
    oldPath: 'a.ts',
    status: 'modified',
    kind: 'text',
    additions: 0,
    deletions: 0,
    // GitHub and git count an empty side from the line before; so does this library.
    hunks: hunks.map((hunk) => ({
      ...hunk,
      oldStart: hunk.oldLines === 0 ? hunk.oldStart - 1 : hunk.oldStart,
      newStart: hunk.newLines === 0 ? hunk.newStart - 1 : hunk.newStart,
      heading: '',
    })),
    modeChange: null,
    generated: false,
    incomplete: null,
    ...more,
  };
}

function lines(startLine: number, endLine: number) {
  return { path: 'a.ts', lines: { side: 'RIGHT' as const, startLine, endLine, digests: [] } };
}

function rangeOf(present: Present): readonly number[] | string {
  if (present.kind !== 'here') return present.kind;
  return present.anchor.kind === 'file' ? 'file' : [present.anchor.startLine, present.anchor.endLine];
}

const abc = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];

describe('lines of an earlier commit', () => {
  it.each([
    ['stay where nothing changed', abc, [3, 4]],
    ['move down with lines added above', ['x', 'y', ...abc], [5, 6]],
    ['move up with lines removed above', abc.slice(1), [2, 3]],
    ['shrink to those that survive', ['a', 'b', 'X', ...abc.slice(3)], [4, 4]],
    ['grow with lines added between', ['a', 'b', 'c', 'new', 'd', ...abc.slice(4)], [3, 5]],
    ['are found again when they only changed their white space', ['a', 'b', '  c', '\td', ...abc.slice(4)], [3, 4]],
    ['are gone when all of them were changed', ['a', 'b', 'C', 'D', ...abc.slice(4)], 'gone'],
    ['are gone when the rest of the file is all that is left', ['g', 'h'], 'gone'],
  ])('%s', (_, after, expected) => {
    expect(rangeOf(mapLines(lines(3, 4), [changed(abc, after)]))).toEqual(expected);
  });

  it('follow a renamed file', () => {
    const renamed = changed(abc, ['x', ...abc], { path: 'b.ts', status: 'renamed' });
    const present = mapLines(lines(3, 4), [renamed]);
    expect([present.kind === 'here' && present.path, rangeOf(present)]).toEqual(['b.ts', [4, 5]]);
  });

  it('are not looked for in a copy', () => {
    const copy = changed(abc, ['x', ...abc], { path: 'b.ts', status: 'copied' });
    expect(mapLines(lines(3, 4), [copy])).toMatchObject({ path: 'a.ts', anchor: { startLine: 3 } });
  });

  it.each([
    ['gone', changed(abc, [], { status: 'deleted' })],
    ['unmapped', changed(abc, abc, { incomplete: 'the patch was cut' })],
  ])('are %s with the file or its diff', (kind, file) => {
    expect(mapLines(lines(3, 4), [file]).kind).toBe(kind);
  });

  it('hold the same text where they are now, and are never lost where it did not change', () => {
    const text = fc.array(fc.constantFrom('a', 'b', 'c', 'd', 'e f', ''), { minLength: 1, maxLength: 30 });
    fc.assert(
      fc.property(text, text, fc.nat(), (before, after, at) => {
        const line = (at % before.length) + 1;
        const present = mapLines(lines(line, line), [changed(before, after)]);
        if (present.kind === 'here' && present.anchor.kind === 'lines') {
          const { startLine, endLine } = present.anchor;
          expect([startLine, after[startLine - 1]]).toEqual([endLine, before[line - 1]]);
        } else {
          expect(present.kind).toBe('gone');
          expect(before).not.toEqual(after);
        }
      }),
      { numRuns: 500 },
    );
  });
});
