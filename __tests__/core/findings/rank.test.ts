import { describe, expect, it } from 'vitest';
import type { Placement } from '../../../src/core/findings/placement.ts';
import { limitFindings, rankFindings } from '../../../src/core/findings/rank.ts';
import { finding, linesAnchor } from './make.ts';

describe('ranking', () => {
  it('goes by severity, confidence, path, line, and keeps the order of equals', () => {
    const ranked = rankFindings([
      finding({ id: 'nit', severity: 'nitpick', confidence: 1 }),
      finding({ id: 'unsure', confidence: 0.1 }),
      finding({ id: 'later file', path: 'src/b.ts' }),
      finding({ id: 'Z comes before a', path: 'Z.ts' }),
      finding({ id: 'later line', anchor: linesAnchor(10) }),
      finding({ id: 'earlier line', anchor: linesAnchor(9) }),
      finding({ id: 'its equal', anchor: linesAnchor(9) }),
      finding({ id: 'whole file', anchor: { kind: 'file' } }),
      finding({ id: 'critical', severity: 'critical', confidence: 0 }),
    ]);
    expect(ranked.map(({ id }) => id)).toEqual([
      'critical',
      'Z comes before a',
      'whole file',
      'earlier line',
      'its equal',
      'later line',
      'later file',
      'unsure',
      'nit',
    ]);
  });
});

describe('limits', () => {
  const inline = (changes: Parameters<typeof finding>[0]): Placement => ({
    finding: finding(changes),
    place: 'inline',
  });
  const placements: readonly Placement[] = [
    inline({ id: 'a', severity: 'critical' }),
    { finding: finding({ id: 'b', confidence: 0.2 }), place: 'body', reason: 'not in the diff' },
    { finding: finding({ id: 'c' }), place: 'suppressed', reason: 'refused before' },
    { finding: finding({ id: 'd' }), place: 'file' },
    inline({ id: 'e', severity: 'info' }),
    inline({ id: 'f', severity: 'nitpick' }),
  ];
  const open = { minSeverity: 'nitpick', minConfidence: 0, maxComments: 15 } as const;

  function limited(limits: Partial<Parameters<typeof limitFindings>[1]>) {
    return limitFindings(placements, { ...open, ...limits }).map((placement) =>
      'reason' in placement ? `${placement.finding.id}: ${placement.place}, ${placement.reason}` : placement.finding.id,
    );
  }

  const untouched = ['b: body, not in the diff', 'c: suppressed, refused before'];

  it.each([
    ['nothing', {}, ['a', ...untouched, 'd', 'e', 'f']],
    [
      'what is below min-severity',
      { minSeverity: 'info' },
      ['a', ...untouched, 'd', 'e', 'f: summary, below min-severity (info)'],
    ],
    [
      'what is below min-confidence',
      { minConfidence: 0.2001 },
      ['a', 'b: summary, below min-confidence (0.2001)', untouched[1], 'd', 'e', 'f'],
    ],
    [
      'what is beyond max-comments, whatever its place',
      { maxComments: 2 },
      ['a', ...untouched, ...['d', 'e', 'f'].map((id) => `${id}: summary, beyond max-comments (2)`)],
    ],
    [
      'nothing that another limit already moved from the count',
      { minConfidence: 0.5, maxComments: 3 },
      ['a', 'b: summary, below min-confidence (0.5)', untouched[1], 'd', 'e', 'f: summary, beyond max-comments (3)'],
    ],
  ] as const)('move to the summary %s', (_, limits, expected) => {
    expect(limited(limits)).toEqual(expected);
  });

  it('count comments from none', () => {
    expect(limited({ maxComments: 0 })).not.toContain('a');
  });
});
