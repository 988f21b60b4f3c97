import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Finding, type PlacedFinding, placed, unraised } from '../../../src/core/findings/finding.ts';
import { limitFindings, placeFindings, rankFindings } from '../../../src/core/findings/place.ts';
import { inEnglish } from '../../../src/core/messages/languages.ts';
import { verbatim } from '../../../src/core/messages/message.ts';
import { commentableLines } from '../../../src/core/pull-request/changed-file.ts';
import { changedFile, finding, hunk, linesAnchor, manyFindings } from './make.ts';

// On the RIGHT side lines 10 to 12 and 30 to 33, on the LEFT side lines 10 to 12 and 30 to 32.
const hunks = [hunk({ old: 10, new: 10 }, ' a', '-b', '+c', ' d'), hunk({ old: 30, new: 30 }, ' e', '+f', ' g', ' h')];
const files = [changedFile('src/a.ts', { hunks }), changedFile('src/cut.ts', { incomplete: verbatim('too large') })];

const left = (line: number) => ({ ...linesAnchor(line), side: 'LEFT' as const });

describe('a finding is inline', () => {
  it.each([
    ['its line when a hunk shows it', linesAnchor(11), linesAnchor(11)],
    ['its line on the LEFT side, by the numbers of that side', left(32), left(32)],
    ['the first of its lines that a hunk shows', linesAnchor(8, 11), linesAnchor(10, 11)],
    ['the last of its lines that a hunk shows', linesAnchor(12, 20), linesAnchor(12)],
    ['those in the hunk that shows most of them', linesAnchor(12, 31), linesAnchor(30, 31)],
  ])('at %s', (_, given, anchor) => {
    // The suggestion for all of its lines can be read there, not applied.
    const narrowed = JSON.stringify(given) === JSON.stringify(anchor) ? {} : { narrowed: true as const };
    expect(placeFindings([finding({ anchor: given, suggestion: 'x' })], { files })).toEqual([
      placed(finding({ anchor, suggestion: 'x', ...narrowed }), 'inline'),
    ]);
  });
});

describe('a finding that GitHub takes at no line', () => {
  it('is file-level when it is about a changed file', () => {
    expect(placeFindings([finding({ anchor: { kind: 'file' } })], { files })).toMatchObject([{ place: 'file' }]);
  });

  it.each([
    ['src/a.ts', linesAnchor(20, 24), 'place.not-in-diff-line'],
    ['src/a.ts', left(33), 'place.not-in-diff-line'],
    ['src/other.ts', linesAnchor(11), 'place.not-in-diff'],
    ['src/cut.ts', linesAnchor(11), 'place.incomplete-file'],
  ] as const)('goes to the body, never to another line: %s', (path, anchor, code) => {
    const lost = finding({ path, anchor, suggestion: 'x' });
    expect(placeFindings([lost], { files })).toEqual([placed(lost, 'body', { reason: { code } })]);
  });
});

describe('ranking', () => {
  it('goes by severity, confidence, path, line, and keeps the order of equals', () => {
    const inOrder = [
      finding({ id: 'critical', severity: 'critical', confidence: 0 }),
      finding({ id: 'Z comes before a', path: 'Z.ts' }),
      finding({ id: 'whole file', anchor: { kind: 'file' } }),
      finding({ id: 'earlier line', anchor: linesAnchor(9) }),
      finding({ id: 'its equal', anchor: linesAnchor(9) }),
      finding({ id: 'later line', anchor: linesAnchor(10) }),
      finding({ id: 'later file', path: 'src/b.ts' }),
      finding({ id: 'unsure', confidence: 0.1 }),
      finding({ id: 'nit', severity: 'nitpick', confidence: 1 }),
    ];
    const [first, zed, whole, earlier, equal, ...later] = inOrder;
    const mixed = [...later.toReversed(), zed, earlier, equal, whole, first];
    expect(rankFindings(mixed.flatMap((one) => one ?? []))).toEqual(inOrder);
  });
});

describe('limits', () => {
  const inline = (changes: Partial<Finding>): PlacedFinding => placed(finding(changes), 'inline');
  const placements: readonly PlacedFinding[] = [
    inline({ id: 'a', severity: 'critical' }),
    placed(finding({ id: 'b', confidence: 0.2 }), 'body', { reason: { code: 'place.not-in-diff' } }),
    unraised(finding({ id: 'c' }), { by: 'people', reason: verbatim('refused before') }),
    placed(finding({ id: 'd' }), 'file'),
    inline({ id: 'e', severity: 'info' }),
    inline({ id: 'f', severity: 'nitpick' }),
  ];
  const open = { minSeverity: 'nitpick', minConfidence: 0, maxComments: 15 } as const;
  const beyond = (count: number, ids: string) => [...ids].map((id) => `${id}: beyond max-comments (${count})`);

  const unsure = 'b: below min-confidence (0.5)';

  it.each<[string, Partial<Parameters<typeof limitFindings>[1]>, readonly string[]]>([
    ['nothing', {}, []],
    ['what is below min-severity', { minSeverity: 'info' }, ['f: below min-severity (info)']],
    ['what is below min-confidence', { minConfidence: 0.2001 }, ['b: below min-confidence (0.2001)']],
    ['what is beyond max-comments, whatever its place', { maxComments: 2 }, beyond(2, 'def')],
    [
      'nothing that another limit moved from the count',
      { minConfidence: 0.5, maxComments: 3 },
      [unsure, ...beyond(3, 'f')],
    ],
  ])('move to the summary %s, and leave the others as they are', (_, limits, moved) => {
    const limited = limitFindings(placements, { ...open, ...limits });
    const reasons = limited.map((one) =>
      one.place === 'summary' && one.reason !== null ? `${one.id}: ${inEnglish(one.reason)}` : one,
    );
    const expected = placements.map((one) => moved.find((text) => text.startsWith(one.id)) ?? one);
    expect(reasons).toEqual(expected);
  });
});

describe('all findings', () => {
  const changed = changedFile('src/a.ts', {
    hunks: [hunk({ old: 5, new: 5 }, ' a', '+b', ' c'), hunk({ old: 20, new: 21 }, '-a', '+b', ' c')],
  });

  it('that are inline are commentable, within their own lines', () => {
    fc.assert(
      fc.property(manyFindings, (all) => {
        const { hunkOf } = commentableLines(changed);
        placeFindings(all, { files: [changed] }).forEach(({ place, reason: _, url: __, ...placed }, index) => {
          const before = all[index]?.anchor;
          if (place !== 'inline' || placed.anchor.kind === 'file' || before?.kind !== 'lines') return;
          const { startLine, endLine, side } = placed.anchor;
          expect(hunkOf(side, startLine)).not.toBeNull();
          expect(hunkOf(side, startLine)).toBe(hunkOf(side, endLine));
          expect(before.startLine <= startLine && startLine <= endLine && endLine <= before.endLine).toBe(true);
        });
      }),
    );
  });

  it('are still there after ranking, placing and limiting', () => {
    fc.assert(
      fc.property(manyFindings, (all) => {
        const limits = { minSeverity: 'info', minConfidence: 0.5, maxComments: 3 } as const;
        const placed = limitFindings(placeFindings(rankFindings(all), { files: [changed] }), limits);
        expect(placed.map(({ id }) => id).sort()).toEqual(all.map(({ id }) => id).sort());
        expect(placed.filter(({ place }) => place !== 'summary').length).toBeLessThanOrEqual(3);
      }),
    );
  });
});
