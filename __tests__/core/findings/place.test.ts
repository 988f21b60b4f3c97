import { describe, expect, it } from 'vitest';
import { placeFindings } from '../../../src/core/findings/place.ts';
import { changedFile, finding, hunk, linesAnchor } from './make.ts';

// On the RIGHT side lines 10 to 12 and 30 to 33, on the LEFT side lines 10 to 12 and 30 to 32.
const hunks = [hunk({ old: 10, new: 10 }, ' a', '-b', '+c', ' d'), hunk({ old: 30, new: 30 }, ' e', '+f', ' g', ' h')];
const files = [changedFile('src/a.ts', { hunks }), changedFile('src/cut.ts', { incomplete: 'too large' })];

function place(...anchors: readonly ReturnType<typeof linesAnchor>[]) {
  return placeFindings(
    anchors.map((anchor) => finding({ anchor, suggestion: 'x' })),
    { files },
  );
}

describe('a finding is inline', () => {
  it('at exactly its lines when one hunk shows them all', () => {
    const anchors = [linesAnchor(11), linesAnchor(10, 12), linesAnchor(33)];
    expect(place(...anchors)).toEqual(
      anchors.map((anchor) => ({ finding: finding({ anchor, suggestion: 'x' }), place: 'inline' })),
    );
  });

  it('on the LEFT side by the numbers of that side', () => {
    const left = (line: number) => ({ ...linesAnchor(line), side: 'LEFT' as const });
    expect(place(left(32), left(33))).toMatchObject([{ place: 'inline' }, { place: 'body' }]);
  });

  it('at those of its lines that a hunk shows, and the suggestion for all of them can be read there, not applied', () => {
    expect(place(linesAnchor(8, 11), linesAnchor(12, 20))).toMatchObject([
      {
        place: 'inline',
        finding: { anchor: { startLine: 10, endLine: 11, quote: 'line 10\nline 11' }, suggestion: 'x', narrowed: true },
      },
      {
        place: 'inline',
        finding: { anchor: { startLine: 12, endLine: 12, quote: 'line 12' }, suggestion: 'x', narrowed: true },
      },
    ]);
  });

  it('in the hunk that shows most of it when it spans two', () => {
    expect(place(linesAnchor(12, 31), linesAnchor(12, 30))).toMatchObject([
      { finding: { anchor: { startLine: 30, endLine: 31 } } },
      { finding: { anchor: { startLine: 12, endLine: 12 } } },
    ]);
  });
});

describe('a finding that GitHub takes at no line', () => {
  it('is file-level when it is about a changed file', () => {
    expect(placeFindings([finding({ anchor: { kind: 'file' } })], { files })).toMatchObject([{ place: 'file' }]);
  });

  it.each([
    ['src/a.ts', 'line not in the diff'],
    ['src/other.ts', 'not in the diff'],
    ['src/cut.ts', 'the diff of this file is incomplete'],
  ])('goes to the body, never to another line: %s', (path, reason) => {
    const lost = finding({ path, anchor: linesAnchor(20, 24), suggestion: 'x' });
    expect(placeFindings([lost], { files })).toEqual([{ finding: lost, place: 'body', reason }]);
  });
});
