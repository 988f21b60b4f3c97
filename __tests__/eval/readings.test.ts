import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseCase } from '../../eval/case.ts';
import { type CaseResult, lateOf, lateText, notMeasured, readingsOf } from '../../eval/readings.ts';
import { type ModelScript, submit } from '../fakes/model-server/script.ts';
import { wrongLineFinding } from '../scenarios/review.ts';
import { evaluated, folderOf, replayed, three } from '../scenarios/runner/evaluating.ts';

const parsed = parseCase({ path: '', name: 'one', text: 'base: {}\nhead: {}\npushes: [{}]\nclean: true' });
if (!parsed.ok) throw new Error(parsed.problems.join());
const one = parsed.value;

/** A reading of a head that has some of the defects 1 and 2, and found some of them. */
function reading([there = '', found = '']: readonly string[], isPartial = false): CaseResult {
  const place = { path: 'a.ts', start: 1, end: 1, severity: null, description: '' };
  const goldens = [...there].map((number) => ({ ...place, number: Number(number) }));
  const pairs = [...found].map((number) => ({ golden: there.indexOf(number), finding: 0, by: 'place' as const }));
  return { ...notMeasured({ ...one, goldens }, ''), pairs, isPartial };
}

const readAgain = ([first = reading([]), ...later]: readonly CaseResult[]) => lateOf([{ ...first, later }]);

describe('what came late', () => {
  it.each([
    [
      'not what every reading found',
      [
        ['12', '1'],
        ['12', '1'],
      ],
      0,
      1,
    ],
    [
      'what the second reading of a head found alone',
      [
        ['12', '1'],
        ['12', '12'],
      ],
      1,
      2,
    ],
    [
      'what the reading of a later push found in what was there before',
      [
        ['12', ''],
        ['2', '2'],
      ],
      1,
      1,
    ],
    [
      'not what a push brings and its first reading finds',
      [
        ['1', '1'],
        ['12', '12'],
      ],
      0,
      2,
    ],
    [
      'what a push brings and its second reading finds',
      [
        ['1', ''],
        ['2', ''],
        ['2', '2'],
      ],
      1,
      1,
    ],
    [
      'what goes and comes back, and is found then',
      [
        ['1', ''],
        ['', ''],
        ['1', '1'],
      ],
      1,
      1,
    ],
    [
      'not what nobody found',
      [
        ['12', ''],
        ['12', ''],
      ],
      0,
      0,
    ],
  ] as const)('is %s', (_, readings, late, findings) => {
    expect(readAgain(readings.map((one) => reading(one)))).toEqual({ cases: 1, findings, late });
  });

  it('is not counted in a case of which a reading left files out, nor where nothing was read again', () => {
    const partial = readAgain([reading(['1', ''], true), reading(['1', '1'])]);
    expect([partial, readAgain([reading(['1', '1'])])]).toEqual([{ cases: 0, findings: 0, late: 0 }, null]);
  });

  it.each([
    [99, 'late: 12 of 99 worth-fixing findings came with a later reading (40 cases); too few for a share.'],
    [100, 'late: 12 of 100 worth-fixing findings came with a later reading (40 cases); 12 %.'],
  ])('of %i findings is said with the count', (findings, text) => {
    expect(lateText({ cases: 40, findings, late: 12 })).toBe(text);
  });
});

it('a case is read at every push, as often as is asked', () => {
  const names = readingsOf(one, 2).map(({ name }) => name);
  expect(names).toEqual(['one', 'one.reading-2', 'one.push-2', 'one.push-2.reading-2']);
});

describe('postil eval', () => {
  it('says what the review of a second push found that the first one could have, from its transcripts too', async () => {
    const overdue = readFileSync(new URL('../../eval/cases/py-overdue.yml', import.meta.url), 'utf8');
    const finding = (quote: string, title: string) => {
      return { ...wrongLineFinding, path: 'loans.py', quote, title, review: `${title}.` };
    };
    const order = finding(
      '    return sorted(loans, key=lambda loan: loan["day"], reverse=True)',
      'Order turned around',
    );
    const boundary = finding('    return [loan for loan in loans if loan["day"] <= last]', 'Day 28 counts as late');
    const shared = finding('def to_remind(loans, today, reminded=set()):', 'All calls share one set of names');
    const script: ModelScript = ({ prompt }) => submit(prompt.includes('to_remind') ? [boundary, shared] : [order]);
    const cwd = folderOf({ 'overdue.yml': overdue });
    const { run } = await evaluated(cwd, ['--record'], script);
    const written = readdirSync(cwd).filter((name) => name.endsWith('.jsonl'));
    expect([run.code, written]).toEqual([0, ['overdue.push-2.transcript.jsonl', 'overdue.transcript.jsonl']]);
    const late = run.stdout.split('\n').filter((line) => /late: |overdue: /.test(line));
    expect(late).toEqual([
      'late: 1 of 3 worth-fixing findings came with a later reading (1 case); too few for a share.',
      '  overdue: 1 of 2 found. overdue.push-2 found what was there before: loans.py:4.',
    ]);
    expect((await replayed(cwd)).stdout.split('\n')).toEqual(expect.arrayContaining(late));
  });

  it('reads a head twice, says what came late for people and programs, and measures the first reading alone', async () => {
    let reviews = 0;
    const script: ModelScript = () => {
      reviews += 1;
      return submit(reviews === 1 ? [] : [wrongLineFinding]);
    };
    const cwd = folderOf({ 'a.yml': three['a-hit.yml'] });
    const args = ['--readings', '2', '--format', 'json', '--report-html', 'page.html'];
    const { run } = await evaluated(cwd, args, script);
    const [{ late, measures, cases }] = JSON.parse(run.stdout).configurations;
    const later = cases[0].later.map(({ name }: { name: string }) => name);
    expect([late, measures.recall.value, later]).toEqual([{ cases: 1, findings: 1, late: 1 }, 0, ['a.reading-2']]);
    const page = readFileSync(join(cwd, 'page.html'), 'utf8');
    expect(page).toContain('late: 1 of 1 worth-fixing finding came with a later reading (1 case)');
    expect(page).toContain('a.reading-2 found what was there before: src/total.ts:4.');
  });

  it('says which reading was not measured', async () => {
    const cwd = folderOf({ 'a.yml': three['a-hit.yml'] });
    await evaluated(cwd, ['--record']);
    const { code, stdout } = await replayed(cwd, ['--readings', '2']);
    expect([
      code,
      stdout.match(/late: .*/)?.[0],
      stdout.match(/a: .*?\./g)?.[0],
      stdout.match(/a\.reading-2 .*?\./)?.[0],
    ]).toEqual([
      1,
      'late: 0 of 0 worth-fixing findings came with a later reading (0 cases); too few for a share.',
      'a: 1 of 1 found.',
      'a.reading-2 was not measured: There is no transcript in .',
    ]);
  });
});
