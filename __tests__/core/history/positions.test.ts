import { structuredPatch } from 'diff';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mapLines, type Present } from '../../../src/core/history/positions.ts';
import { verbatim } from '../../../src/core/messages/message.ts';
import type { ChangedFile } from '../../../src/core/pull-request/changed-file.ts';
import { changedFile } from '../../fakes/memory-repository.ts';

/** GitHub and git count an empty side from the line before; so does this library. */
function changed(before: readonly string[], after: readonly string[], more: Partial<ChangedFile> = {}): ChangedFile {
  const text = (lines: readonly string[]) => lines.map((line) => `${line}\n`).join('');
  const { hunks } = structuredPatch('a.ts', 'a.ts', text(before), text(after), '', '', { context: 1 });
  const placed = hunks.map(({ oldStart, oldLines, newStart, newLines, lines }) => ({
    ...{ heading: '', lines, oldLines, newLines },
    oldStart: oldLines === 0 ? oldStart - 1 : oldStart,
    newStart: newLines === 0 ? newStart - 1 : newStart,
  }));
  return changedFile('a.ts', { hunks: placed, ...more });
}

function lines(startLine: number, endLine: number) {
  return { path: 'a.ts', lines: { side: 'RIGHT' as const, startLine, endLine, digests: [] } };
}

function rangeOf(present: Present): readonly number[] | string {
  if (present.kind !== 'here') return present.kind;
  return present.anchor.kind === 'file' ? 'file' : [present.anchor.startLine, present.anchor.endLine];
}

const at = (startLine: number, endLine: number) => ({ anchor: { startLine, endLine } });
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

  const longer = ['x', ...abc];
  it.each<[string, ChangedFile, object]>([
    ['follow a renamed file', changed(abc, longer, { path: 'b.ts', status: 'renamed' }), { path: 'b.ts', ...at(4, 5) }],
    ['are not in a copy', changed(abc, longer, { path: 'b.ts', status: 'copied' }), { path: 'a.ts', ...at(3, 4) }],
    ['are gone with the file', changed(abc, [], { status: 'deleted' }), { kind: 'gone' }],
    ['are unmapped with its diff', changed(abc, abc, { incomplete: verbatim('it was cut') }), { kind: 'unmapped' }],
  ])('%s', (_, file, expected) => {
    expect(mapLines(lines(3, 4), [file])).toMatchObject(expected);
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
