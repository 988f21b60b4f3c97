import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Finding } from '../../../src/core/findings/finding.ts';
import { gatherCauses } from '../../../src/core/findings/one-cause.ts';
import { finding, linesAnchor } from './make.ts';

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

function lineOf({ anchor }: Finding): number {
  return anchor.kind === 'lines' ? anchor.startLine : 0;
}
