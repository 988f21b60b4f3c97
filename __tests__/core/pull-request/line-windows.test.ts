import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findQuote } from '../../../src/core/findings/quote.ts';
import { renderHunk } from '../../../src/core/pull-request/changed-file.ts';
import { maxChangedCharacters, windowLongLines } from '../../../src/core/pull-request/line-windows.ts';
import { shown } from '../../../src/core/repository/shown.ts';
import { changedFile } from '../../fakes/memory-repository.ts';

/** The lines as they are shown, and how many files are not read whole. */
function windowed(lines: readonly string[], more: { readonly moved?: boolean } = {}) {
  const { files, cut } = windowLongLines([changedFile('a.js', { lines, ...more })]);
  return { lines: files[0]?.hunks[0]?.lines ?? [], cut: cut.map(({ reason }) => reason) };
}

const filler = (length: number) => 'abcdefghij'.repeat(Math.ceil(length / 10)).slice(0, length);

describe('a long line', () => {
  it('is shown around what changed in it, with a note of what was cut', () => {
    const { lines, cut } = windowed([`-${filler(5_000)}old${filler(5_000)}`, `+${filler(5_000)}new${filler(5_000)}`]);
    const around = (word: string) =>
      `(cut: 4,800 characters) … ${filler(200)}${word}${filler(200)} … (cut: 4,800 characters)`;
    expect([lines, cut]).toEqual([[`-${around('old')}`, `+${around('new')}`], []]);
  });

  it('that is new is shown whole, and one that stays by its beginning', () => {
    const { lines, cut } = windowed([` ${filler(5_000)}`, `+${filler(5_000)}`]);
    expect([lines, cut]).toEqual([[` ${filler(2_000)} … (cut: 3,000 characters)`, `+${filler(5_000)}`], []]);
  });

  it.each([
    ['a new line', [`+${filler(30_000)}`], 1],
    ['a removed line', [`-${filler(30_000)}`], 1],
    ['a part of a line', [`-${filler(50)}`, `+${filler(25)}${'x'.repeat(30_000)}${filler(25)}`], 1],
    ['two lines', [`+${filler(30_000)}`, ' a', `+${filler(30_000)}`], 2],
  ])('with more than is shown is not read: %s', (_, lines, count) => {
    const { cut } = windowed(lines);
    expect(cut).toEqual([
      `in ${count === 1 ? '1 line' : `${count} lines`} more than 25,000 characters changed, and the model saw the first of them`,
    ]);
  });

  it('of millions of characters is not rendered at all', () => {
    const { lines, cut } = windowed([`+${'x'.repeat(3_000_000)}`]);
    expect([lines, cut.length]).toEqual([['+(cut: 3,000,000 characters)'], 1]);
  });

  it('of a file that means something else now is all new', () => {
    expect(windowed([` ${filler(5_000)}`], { moved: true })).toEqual({ lines: [` ${filler(5_000)}`], cut: [] });
    expect(windowed([` ${filler(30_000)}`], { moved: true }).cut).toHaveLength(1);
  });

  it('is not counted when none is long', () => {
    const files = [changedFile('a.js', { lines: ['+a', '-b'] })];
    expect(windowLongLines(files)).toEqual({ files, cut: [] });
  });

  it('keeps a credential hidden that a window would have divided', () => {
    const token = `ghp_${'a1B2c3D4e5'.repeat(4)}`;
    const before = `-${filler(4_000)}"${token}"${filler(170)}old${filler(3_000)}`;
    const after = `+${filler(4_000)}"${token}"${filler(170)}new${filler(3_000)}`;
    expect(windowed([before, after]).lines.join('\n')).not.toMatch(/ghp_|a1B2c3D4e5/);
  });

  it('shows every changed character, or is not read', () => {
    const text = fc.string({ unit: 'binary', maxLength: 20 });
    const large = fc.integer({ min: 0, max: maxChangedCharacters + 5_000 });
    fc.assert(
      fc.property(text, text, large, large, (one, other, before, behind) => {
        const line = (middle: string) => `${filler(before)}<${middle}>${filler(behind)}`.replaceAll('\r', '');
        const { files, cut } = windowLongLines([
          changedFile('a.js', { lines: [`-${line(one)}`, `+${line(other)}`, `+${line('')}`] }),
        ]);
        const rendered = files[0]?.hunks.map((hunk) => renderHunk(hunk, Infinity)).join('\n') ?? '';
        const all = shown([line('')])[0]?.text ?? '';
        expect(cut.length > 0 || rendered.includes(all)).toBe(true);
        if (one === other) return;
        expect(rendered).toContain(shown([`<${other.replaceAll('\r', '')}>`])[0]?.text);
      }),
      { numRuns: 20 },
    );
  });
});

describe('a quote of a long line', () => {
  const line = `${filler(5_000)}execSync(req.query.cmd, { shell: true });${filler(5_000)}`;
  const places = (quote: string) => {
    const reading = { lines: [quote], line: null, columns: { gutter: null, signs: false } };
    return findQuote([reading], ['first', line, 'last'])?.places.map(({ start }) => start) ?? [];
  };

  it.each([
    ['a part of it', 'execSync(req.query.cmd, { shell: true });', [2]],
    ['all that was shown', windowed([`-${filler(10_000)}`, `+${line}`]).lines[1]?.slice(1) ?? '', [2]],
    ['parts on both sides of what was cut', `execSync(req.query.cmd (cut: 4,000 characters) … ${filler(100)}`, [2]],
    ['parts in another order', `${filler(20)}execSync(nothing)`, []],
    ['too little', 'execSync', []],
    ['what does not stand in it', 'execSync(req.params.cmd, { shell: true });', []],
  ])('is found by %s', (_, quote, expected) => {
    expect(places(quote)).toEqual(expected);
  });
});
