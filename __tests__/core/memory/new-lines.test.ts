import { structuredPatch } from 'diff';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type NewLines, newLinesOf } from '../../../src/core/memory/new-lines.ts';
import { changedFile } from '../../fakes/changed-files.ts';

function between(before: readonly string[], after: readonly string[]): NewLines {
  const text = (lines: readonly string[]) => lines.map((line) => `${line}\n`).join('');
  const { hunks } = structuredPatch('a.ts', 'a.ts', text(before), text(after), '', '', { context: 1 });
  return newLinesOf('src/a.ts', [changedFile('src/a.ts', { hunks: hunks.map((hunk) => ({ ...hunk, heading: '' })) })]);
}

describe('lines that are new since an earlier finding', () => {
  it.each<[string, readonly string[], readonly string[], NewLines['added'], readonly string[]]>([
    ['none without a change', ['a', 'b'], ['a', 'b'], [], []],
    ['an added one', ['a', 'b'], ['a', 'x()', 'b'], [[2, 2]], []],
    ['neighbours as one range', ['a', 'b'], ['a', 'x()', 'y()', 'b'], [[2, 3]], []],
    ['not a blank one', ['a', 'b'], ['a', '  ', 'b'], [], []],
    ['a changed one on both sides', ['a', 'b c'], ['a', 'b d'], [[2, 2]], ['bc']],
    ['not what is only indented anew', ['a', 'b', 'c'], ['a', '  b', '  c'], [], []],
    ['the one between lines that are indented anew', ['a', 'b', 'c'], ['a', '  b', '  x()', '  c'], [[3, 3]], []],
    ['a line that was moved', ['run()', 'a', 'b', 'c'], ['a', 'b', 'run()', 'c'], [[3, 3]], ['run()']],
    ['lines that changed places', ['a', 'b', 'z'], ['  b', '  a', 'z'], [[2, 2]], ['a']],
  ])('are %s', (_, before, after, added, removed) => {
    const found = between(before, after);
    expect([found.added, [...found.removed]]).toEqual([added, removed]);
  });

  it('are all that a diff without white space adds', () => {
    const lines = fc.array(fc.constantFrom('a', ' a', 'b', 'c', ''), { maxLength: 12 });
    fc.assert(
      fc.property(lines, lines, (before, after) => {
        const { added } = between(before, after);
        const isNew = (line: number) => added.some(([first, last]) => first <= line && line <= last);
        const old = after.filter((text, index) => text.trim() !== '' && !isNew(index + 1)).map((text) => text.trim());
        // What is not new stood there before, in the same order.
        const rest = before.map((text) => text.trim());
        expect(old.every((text) => rest.splice(0, rest.indexOf(text) + 1 || rest.length + 1).at(-1) === text)).toBe(
          true,
        );
      }),
    );
  });
});
