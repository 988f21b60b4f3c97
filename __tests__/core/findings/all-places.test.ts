import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { withPlaces } from '../../../src/core/findings/citations.ts';
import type { Finding } from '../../../src/core/findings/finding.ts';
import { gatherCauses } from '../../../src/core/findings/merge.ts';
import { finding, linesAnchor, sources } from './make.ts';

const title = 'Anybody may delete an order';
const at = (line: number, changes: Partial<Finding> = {}) =>
  finding({ id: `f${line}`, title, anchor: linesAnchor(line), ...changes });

const told = (findings: readonly Finding[]) => gatherCauses(findings).map(({ id, alsoAt }) => [id, ...alsoAt]);

describe('one cause in many places', () => {
  it('is one finding at the first place that lists the others', () => {
    const all = [at(3), at(9, { path: 'src/b.ts' }), at(5, { alsoAt: ['src/c.ts:7', 'src/a.ts:3'] })];
    expect(told(all)).toEqual([['f3', 'src/b.ts:9', 'src/a.ts:5', 'src/c.ts:7']]);
  });

  it.each<[string, Partial<Finding>]>([
    ['another word in its title', { title: 'Anybody may delete an invoice' }],
    ['another category', { category: 'security' }],
    ['another severity', { severity: 'critical' }],
    ['another rule', { ruleId: 'owner' }],
    ['another earlier finding', { sameAs: 'p-1' }],
    ['lines of the same place', { anchor: linesAnchor(2, 4) }],
    ['removed lines', { anchor: { ...linesAnchor(9), side: 'LEFT' } }],
    ['no lines', { anchor: { kind: 'file' } }],
    ['a rule as its source', { source: 'rule' }],
  ])('stays two with %s', (_what, changes) => {
    expect(told([at(3), at(9, changes)])).toEqual([['f3'], ['f9']]);
  });

  it('stays two where the title only names a kind of defect', () => {
    expect(told([at(3, { title: 'A missing check' }), at(9, { title: 'Missing check' })])).toEqual([['f3'], ['f9']]);
  });

  it('loses no place, and finds nothing more in what is gathered', () => {
    const some = fc.array(
      fc.record({
        line: fc.integer({ min: 1, max: 40 }),
        title: fc.constantFrom(title, 'Nobody may read any order', 'x'),
      }),
    );
    fc.assert(
      fc.property(some, (given) => {
        const all = given.map(({ line, ...changes }, index) => at(line, { ...changes, id: `${index}` }));
        const gathered = gatherCauses(all);
        const places = gathered.flatMap((one) => [
          ...gatherCauses([one]).flatMap(({ alsoAt }) => alsoAt),
          `src/a.ts:${lineOf(one)}`,
        ]);
        expect(all.filter((one) => !places.includes(`src/a.ts:${lineOf(one)}`))).toEqual([]);
        expect(gatherCauses(gathered)).toEqual(gathered);
      }),
    );
  });
});

describe('the other places of a finding', () => {
  const text = (from: number, to: number) =>
    Array.from({ length: to - from + 1 }, (_, index) => `line ${from + index}\n`);
  const { read } = sources([], { head: { 'src/a.ts': text(1, 60).join(''), 'src/b.ts': 'one\n\u202etwo\n' } });
  const look = (path: string) => (path === 'locked.ts' ? Promise.reject(new Error('no')) : read(path, 'RIGHT'));
  const places = async (alsoAt: readonly string[], changes: Partial<Finding> = {}) => {
    const [{ others, ...found } = finding()] = await withPlaces([at(3, { alsoAt, ...changes })], look);
    const quotes = others?.map(({ path, anchor }) => `${path}:${anchor.startLine} ${anchor.side} ${anchor.quote}`);
    return [quotes, found.alsoAt, found.alsoMore];
  };
  const inA = (from: number, to: number) => text(from, to).map((_, index) => `src/a.ts:${from + index}`);

  it.each<[string, readonly string[], Partial<Finding>, ...unknown[]]>([
    ['none', [], {}, undefined, [], undefined],
    [
      'are lines with their source as people see it',
      ['src/b.ts:1-2', 'src/a.ts:9'],
      {},
      ['src/b.ts:1 RIGHT one\n\\u{202E}two', 'src/a.ts:9 RIGHT line 9'],
      ['src/b.ts:1-2', 'src/a.ts:9'],
      undefined,
    ],
    ['are counted where they are not there', ['src/b.ts:3', 'none.ts:1', 'locked.ts:1', 'words'], {}, [], [], 4],
    ['are counted with those that nobody names', ['src/b.ts:3'], { alsoMore: 2 }, [], [], 3],
    [
      'are others than its own, and each another',
      ['src/a.ts:1-3', 'src/a.ts:8-9', 'src/a.ts:9-12'],
      {},
      ['src/a.ts:8 RIGHT line 8\nline 9'],
      ['src/a.ts:8-9'],
      undefined,
    ],
    [
      'are all lines where it is about the file',
      ['src/a.ts:3'],
      { anchor: { kind: 'file' } },
      ['src/a.ts:3 RIGHT line 3'],
      ['src/a.ts:3'],
      undefined,
    ],
    [
      'are nine at most',
      inA(10, 21),
      {},
      text(10, 18).map((line, index) => `src/a.ts:${10 + index} RIGHT ${line.trim()}`),
      inA(10, 18),
      3,
    ],
  ])('%s', async (_, alsoAt, changes, ...expected) => {
    expect(await places(alsoAt, changes)).toEqual(expected);
  });

  it('are looked up once for all: what is looked up again stays', async () => {
    const once = await withPlaces([at(3, { alsoAt: [...inA(1, 30), 'none.ts:1'] })], look);
    expect(await withPlaces(once, look)).toEqual(once);
  });
});

function lineOf({ anchor }: Finding): number {
  return anchor.kind === 'lines' ? anchor.startLine : 0;
}
