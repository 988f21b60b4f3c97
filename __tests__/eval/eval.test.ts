import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EvalBudget } from '../../eval/budget.ts';
import { type Golden, parseCase } from '../../eval/case.ts';
import { type CountedFinding, judgeRest, matchByPlace } from '../../eval/match.ts';
import { compare, summarise, type Tally } from '../../eval/statistics.ts';
import { costOf, type Model, ModelError, noUsage } from '../../src/core/agent/model.ts';

const golden = (path: string, start: number, end = start): Golden => ({
  ...{ number: 1, path, start, end, severity: null },
  description: 'It breaks.',
});
const raised = (path: string, ...lines: readonly number[]): CountedFinding => ({
  ...{ title: 'Broken', review: 'It breaks.', severity: 'warning' },
  spots: lines.length === 0 ? [{ path, lines: null }] : lines.map((line) => ({ path, lines: [line, line] })),
});
const pairsOf = (goldens: readonly Golden[], findings: readonly CountedFinding[], tolerance = 3) =>
  matchByPlace(goldens, findings, tolerance).map((pair) => [pair.golden, pair.finding]);

describe('matching by place', () => {
  it.each([
    ['a line inside', [golden('a', 5, 9)], [raised('a', 7)], [[0, 0]]],
    ['a line as far away as is tolerated', [golden('a', 5, 9)], [raised('a', 12)], [[0, 0]]],
    ['not a line beyond', [golden('a', 5, 9)], [raised('a', 13)], []],
    ['not a file as a whole', [golden('a', 5)], [raised('a')], []],
    ['another place of the same finding', [golden('a', 50)], [raised('a', 5, 50)], [[0, 0]]],
    ['the nearer of two findings', [golden('a', 5)], [raised('a', 7), raised('a', 5)], [[0, 1]]],
  ] as const)('takes %s', (_, goldens, findings, expected) => {
    expect(pairsOf(goldens, findings)).toEqual(expected);
  });

  it('takes as many as there can be', () => {
    const pairs = pairsOf([golden('a', 5), golden('a', 2)], [raised('a', 4), raised('a', 8)]);
    expect(pairs.map(String)).toEqual(['0,1', '1,0']);
  });

  it('uses nothing twice, pairs only what is near, and leaves nothing that could still be paired', () => {
    const place = fc.tuple(fc.constantFrom('a', 'b'), fc.integer({ min: 1, max: 30 }));
    const places = fc.array(place, { maxLength: 6 });
    const near = (one: Golden | undefined, other: CountedFinding | undefined) =>
      one?.path === other?.spots[0]?.path && Math.abs((one?.start ?? 0) - (other?.spots[0]?.lines?.[0] ?? 99)) <= 3;
    fc.assert(
      fc.property(places, places, (one, other) => {
        const [known, found] = [one.map(([path, line]) => golden(path, line)), other.map((at) => raised(...at))];
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
    ['pairs what was paired', '{"pairs":[{"defect":0,"finding":1},{"defect":1,"finding":0}]}', 0, null],
    ['names what is not there', '{"pairs":[{"defect":7,"finding":-1}]}', 0, null],
    ['writes no JSON', 'Sure!', 0, 'The judge gave no pairs: matched by place alone.'],
    ['names one defect twice', '{"pairs":[{"defect":1,"finding":1},{"defect":1,"finding":2}]}', 1, null],
  ])('adds what is new when it %s', async (_, text, added, problem) => {
    const { pairs, ...rest } = await judged(answering(text));
    expect([pairs.slice(0, paired.length), pairs.length, rest]).toEqual([paired, paired.length + added, { problem }]);
  });
});

const nothing = { unmeasured: null, tokens: 0, billed: 0, cost: 0, seconds: 0 };
const tally = (name: string, goldens: number, findings: number, matched: number, rest: Partial<Tally> = {}): Tally => ({
  ...{ ...nothing, name, goldens, findings, matched },
  ...rest,
});

/** Two defects of three found, two of four findings right, one clean case of two silent. */
const four = [
  tally('a', 2, 2, 1, { tokens: 100, billed: 60, cost: 0.2, seconds: 10 }),
  tally('b', 1, 1, 1, { tokens: 300, billed: 200, cost: 0.4, seconds: 30 }),
  tally('c', 0, 0, 0, { tokens: 50, billed: 50, cost: 0.1, seconds: 2 }),
  tally('d', 0, 1, 0, { tokens: 150, billed: 90, cost: 0.1, seconds: 6 }),
];

describe('the measures', () => {
  it('are what a person computes by hand', () => {
    const measured = Object.entries(summarise(four));
    expect(measured.map(([measure, interval]) => [measure, Number(interval?.value.toFixed(4))])).toEqual([
      ['precision', 0.5],
      ['recall', 0.6667],
      ['f1', 0.5714],
      ['silent', 0.5],
      ['findings', 1],
      ['tokens', 150],
      ['billed', 100],
      ['cost', 0.2],
      ['seconds', 12],
    ]);
  });

  it('are unknown where there is nothing to divide by', () => {
    const silent = summarise([tally('a', 1, 0, 0, { cost: null })]);
    const measures = ['precision', 'silent', 'cost'].map((measure) => silent[measure]);
    expect([...measures, silent['recall']?.value, summarise([])['tokens']]).toEqual([null, null, null, 0, null]);
  });

  it('spread as a coin does: half of 100 cases found lies between 40 and 60 of them', () => {
    const cases = Array.from({ length: 100 }, (_, index) => tally(`${index}`, 1, 1, index % 2));
    const { low = 0, high = 0 } = summarise(cases)['recall'] ?? {};
    expect([Math.abs(low - 0.4) <= 0.02, Math.abs(high - 0.6) <= 0.02]).toEqual([true, true]);
  });
});

it('the difference between two configurations is of the cases that both measured, each with itself', () => {
  const better = four.map((one) => ({ ...one, matched: one.goldens, findings: one.goldens, tokens: one.tokens + 7 }));
  const { measures: gained, cases } = compare(four, better.slice(1));
  expect([cases, gained['recall']?.value, gained['tokens']]).toEqual([3, 0, { value: 7, low: 7, high: 7 }]);
});

const tallies = fc.array(
  fc
    .tuple(fc.nat(4), fc.nat(4), fc.nat(4), fc.nat(90_000))
    .map(([matched, missed, wrong, tokens]) => tally('', matched + missed, matched + wrong, matched, { tokens })),
  { minLength: 1, maxLength: 12 },
);

it('an interval holds its value, shares stay shares, and the same cases give the same numbers', () => {
  fc.assert(
    fc.property(tallies, (cases) => {
      const measured = summarise(cases);
      expect(summarise(cases)).toEqual(measured);
      for (const [measure, interval] of Object.entries(measured)) {
        const { value, low, high } = interval ?? { value: 0, low: 0, high: 0 };
        expect(low <= value && value <= high && low >= 0).toBe(true);
        if (['precision', 'recall', 'f1', 'silent'].includes(measure)) expect(high).toBeLessThanOrEqual(1);
      }
    }),
    { numRuns: 50 },
  );
});

const parse = (text: string) => parseCase({ path: 'cases/one.yml', name: 'one', text });
const trees = 'base:\n  a.ts: one\nhead:\n  a.ts: two\n';
const goldens = 'goldens:\n  - path: a.ts\n    lines: 3-5\n    description: It breaks.\n';

describe('the file of a case', () => {
  it('is two trees and what is to be found', () => {
    expect(parse(`${trees}${goldens}`)).toMatchObject({
      value: {
        name: 'one',
        source: { kind: 'texts', base: { 'a.ts': 'one' }, head: { 'a.ts': 'two' } },
        goldens: [golden('a.ts', 3, 5)],
      },
    });
  });

  it.each([
    ['repository: shop\nclean: true', { kind: 'folder', folder: 'shop', head: 'head' }],
    ['repository: .\nbase: main\nhead: "12"\nclean: true', { kind: 'git', folder: '.', base: 'main', head: '12' }],
    ['base: tree\npatch: fix.patch\nclean: true', { kind: 'patch', base: 'tree', patch: 'fix.patch', inFile: true }],
  ])('takes its trees from elsewhere: %j', (text, source) => {
    expect(parse(text)).toMatchObject({ ok: true, value: { source } });
  });

  it.each([
    [`${trees}pushes:\n  - b.ts: new\n  - a.ts: null`, { head: { 'a.ts': null, 'b.ts': 'new' } }],
    ['repository: shop\npushes: [second, third]', { kind: 'folder', folder: 'shop', head: 'third' }],
    ['repository: .\nbase: main\nhead: one\npushes: ["2", "12"]', { kind: 'git', base: 'main', head: '12' }],
    ['base: tree\npatch: one.patch\npushes: [2.patch, 3.patch]', { kind: 'patch', base: 'tree', patch: '3.patch' }],
  ])('has later pushes on the same base, written as its head is: %j', (text, source) => {
    const parsed = parse(`${text}\n${goldens.replace('3-5', '[3-5, null, 7]')}`);
    const last = parsed.ok ? parsed.value.pushes[1] : parsed.problems;
    expect(last).toMatchObject({ source, goldens: [golden('a.ts', 7)] });
    expect(parsed).toMatchObject({ value: { goldens: [golden('a.ts', 3, 5)], pushes: [{ goldens: [] }, last] } });
  });

  it.each([
    [`golden: []\n${trees}`, 'the value has an unknown property "golden"; did you mean goldens?'],
    [`${trees}`, 'goldens: say what is to be found, or clean: true.'],
    [`${trees}clean: true\n${goldens}`, 'clean: a clean change has no goldens; leave one of them out.'],
    [`${trees}${goldens.replace('3-5', '5-3')}`, 'goldens.0.lines: "5-3" is no place; write 12 or 12-15.'],
    [`${trees}${goldens.replace('a.ts', '../a.ts')}`, 'goldens.0.path: "../a.ts" is no path inside the repository.'],
    [`${trees}${goldens}    severity: high\n`, 'goldens.0.severity must be one of critical, warning, info, nitpick.'],
    ['base:\n  a.ts: [1]\nhead: {}\nclean: true', 'base.a.ts must be string.'],
    [`${trees}clean: true\npushes: [main]`, 'pushes.0: write it as head or patch is written.'],
    [`${trees}clean: true\npushes:\n  - ../b: x`, 'pushes.0.../b: paths stay inside the repository'],
    [
      `${trees}pushes: [{}]\n${goldens.replace('3-5', '[3]')}`,
      'goldens.0.lines: 1 places for 2 heads; write null for a push where it is not there.',
    ],
    ['clean: true', 'base: it is missing; name what is reviewed'],
    ['base: {}\nhead:\n  .git/config: x\nclean: true', "head..git/config: git's own folder cannot be read."],
    ['base:\n  ../../x: y\nhead: {}\nclean: true', 'base.../../x: paths stay inside the repository'],
    [`title: ${'a'.repeat(70_000)}`, 'line 1: It has 70,007 characters'],
  ])('is refused with its name and the key: %j', (text, problem) => {
    const parsed = parse(text);
    const expected = `cases/one.yml: ${problem}`;
    expect(parsed.ok ? '' : parsed.problems[0]?.slice(0, expected.length)).toBe(expected);
  });
});

describe('the budget of an evaluation', () => {
  const price = { input: 1, cached: 0, output: 10 };
  const signal = new AbortController().signal;
  const request = { messages: [{ role: 'user', text: 'a'.repeat(400) }], tools: [], toolChoice: 'auto' } as const;
  const message = { role: 'assistant', text: '', toolCalls: [], raw: null } as const;
  /** Calls, each of which begins when the one before has, and ends a few turns later. */
  const calls = fc.array(
    fc.record({
      maxOutputTokens: fc.integer({ min: 1, max: 5_000 }),
      share: fc.double({ min: 0, max: 1, noNaN: true }),
      turns: fc.nat(4),
      fails: fc.constantFrom(null, 'transient', 'aborted'),
    }),
    { maxLength: 20 },
  );

  it('is in sum never exceeded, whatever goes on at the same time and fails', async () => {
    const limits = fc.record({ maxTokens: fc.integer({ min: 1, max: 20_000 }), maxCost: fc.constantFrom(null, 0.05) });
    await fc.assert(
      fc.asyncProperty(limits, calls, async (limits, planned) => {
        const budget = new EvalBudget(limits);
        let [billed, refused] = [0, 0];
        const asked = planned.map(({ maxOutputTokens, share, turns, fails }) => {
          const usage = { ...noUsage, input: 50, output: Math.floor(share * maxOutputTokens) };
          const model: Model = {
            answer: async () => {
              for (let turn = 0; turn < turns; turn += 1) await Promise.resolve();
              if (fails !== null) throw new ModelError(fails, 'broken', { maybeBilled: fails === 'aborted' });
              billed += usage.input + usage.output;
              return { message, end: 'end', usage };
            },
          };
          const onRefused = () => {
            refused += 1;
          };
          const metered = budget.meteredModel(model, { price, onRefused });
          return metered?.answer({ ...request, maxOutputTokens }, signal).catch(() => null);
        });
        await Promise.all(asked);
        const { tokens, cost } = budget.used;
        expect([tokens <= limits.maxTokens, cost <= (limits.maxCost ?? Infinity) + 1e-8]).toEqual([true, true]);
        expect([billed <= tokens, refused > 0]).toEqual([true, budget.reached !== null]);
        expect(cost).toBeLessThanOrEqual(costOf({ ...noUsage, output: tokens }, price));
      }),
    );
  });
});
