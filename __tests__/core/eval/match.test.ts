import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Model } from '../../../src/core/agent/model.ts';
import type { Golden } from '../../../src/core/eval/case.ts';
import { judgeRest, matchByPlace, type Raised } from '../../../src/core/eval/match.ts';

const golden = (path: string, start: number, end = start): Golden => ({
  ...{ path, start, end, severity: null },
  description: 'It breaks.',
});
const raised = (path: string, ...lines: readonly number[]): Raised => ({
  ...{ title: 'Broken', review: 'It breaks.', severity: 'warning' },
  spots: lines.length === 0 ? [{ path, lines: null }] : lines.map((line) => ({ path, lines: [line, line] })),
});
const pairsOf = (goldens: readonly Golden[], findings: readonly Raised[], tolerance = 3) =>
  matchByPlace(goldens, findings, tolerance).map((pair) => [pair.golden, pair.finding]);

describe('matching by place', () => {
  it.each([
    ['a line inside', [golden('a', 5, 9)], [raised('a', 7)], [[0, 0]]],
    ['a line as far away as is tolerated', [golden('a', 5, 9)], [raised('a', 12)], [[0, 0]]],
    ['not a line beyond', [golden('a', 5, 9)], [raised('a', 13)], []],
    ['not another file', [golden('a', 5)], [raised('b', 5)], []],
    ['not a file as a whole', [golden('a', 5)], [raised('a')], []],
    ['another place of the same finding', [golden('a', 50)], [raised('a', 5, 50)], [[0, 0]]],
    ['the nearer of two findings', [golden('a', 5)], [raised('a', 7), raised('a', 5)], [[0, 1]]],
    ['one golden of two for one finding', [golden('a', 5), golden('a', 6)], [raised('a', 5)], [[0, 0]]],
    [
      'as many as there can be',
      [golden('a', 5), golden('a', 2)],
      [raised('a', 4), raised('a', 8)],
      [
        [0, 1],
        [1, 0],
      ],
    ],
  ] as const)('takes %s', (_, goldens, findings, expected) => {
    expect(pairsOf(goldens, findings)).toEqual(expected);
  });

  it('uses nothing twice, pairs only what is near, and leaves nothing that could still be paired', () => {
    const paths = fc.constantFrom('a', 'b');
    const lines = fc.integer({ min: 1, max: 30 });
    const goldens = fc.array(
      fc.tuple(paths, lines).map(([path, line]) => golden(path, line)),
      { maxLength: 6 },
    );
    const findings = fc.array(
      fc.tuple(paths, lines).map(([path, line]) => raised(path, line)),
      { maxLength: 6 },
    );
    const near = (one: Golden | undefined, other: Raised | undefined) =>
      one?.path === other?.spots[0]?.path && Math.abs((one?.start ?? 0) - (other?.spots[0]?.lines?.[0] ?? 99)) <= 3;
    fc.assert(
      fc.property(goldens, findings, (known, found) => {
        const pairs = pairsOf(known, found);
        const [usedGoldens, usedFindings] = [0, 1].map((side) => new Set(pairs.map((pair) => pair[side])));
        expect([usedGoldens?.size, usedFindings?.size]).toEqual([pairs.length, pairs.length]);
        expect(pairs.every(([one = -1, other = -1]) => near(known[one], found[other]))).toBe(true);
        const left = known.flatMap((one, index) => (usedGoldens?.has(index) ? [] : [one]));
        const free = found.flatMap((one, index) => (usedFindings?.has(index) ? [] : [one]));
        expect(left.some((one) => free.some((other) => near(one, other)))).toBe(false);
      }),
      { numRuns: 100 },
    );
  });
});

describe('the judge', () => {
  const goldens = [golden('a', 5), golden('a', 50)];
  const findings = [raised('a', 5), raised('b', 1), raised('b', 9)];
  const paired = matchByPlace(goldens, findings, 3);
  const answering = (text: string, asked: string[] = []): Model => ({
    answer: async ({ messages }) => {
      asked.push(JSON.stringify(messages));
      const toolCalls = [{ id: '1', name: 'submit_pairs', arguments: text }];
      return { message: { role: 'assistant', text: '', toolCalls, raw: null }, end: 'tool-calls', usage: null };
    },
  });
  const judged = (judge: Model) =>
    judgeRest({ goldens, raised: findings, paired }, judge, new AbortController().signal);

  it('is asked once, about what no place has paired', async () => {
    const asked: string[] = [];
    const { pairs } = await judged(answering('{"pairs":[{"defect":1,"finding":2}]}', asked));
    expect(pairs).toEqual([
      { golden: 0, finding: 0, by: 'place' },
      { golden: 1, finding: 2, by: 'judge' },
    ]);
    expect([asked.length, asked[0]?.includes('a:50-50'), asked[0]?.includes('a:5-5')]).toEqual([1, true, false]);
  });

  it.each([
    ['pairs what was paired', '{"pairs":[{"defect":0,"finding":1},{"defect":1,"finding":0}]}', null],
    ['names what is not there', '{"pairs":[{"defect":7,"finding":-1}]}', null],
    ['writes no JSON', 'Sure!', 'The judge gave no pairs: matched by place alone.'],
  ])('changes nothing when it %s', async (_, text, problem) => {
    expect(await judged(answering(text))).toEqual({ pairs: paired, problem });
  });

  it('gives one finding to one defect, however often it names it', async () => {
    const twice = '{"pairs":[{"defect":1,"finding":1},{"defect":1,"finding":2}]}';
    expect((await judged(answering(twice))).pairs).toHaveLength(2);
  });
});
