import { describe, expect, it } from 'vitest';
import { receiptsAfter } from '../../../src/core/history/receipts/make-receipts.ts';
import type { Readings } from '../../../src/core/history/receipts/receipts.ts';
import { nothingHolds } from '../../../src/core/history/scope.ts';
import { past } from '../../fakes/earlier-rounds.ts';
import { diffOf } from '../../fakes/memory-commits.ts';
import { base, change, first, pullRequest, type Run, text } from './reviewed-pushes.ts';

describe('the receipts of a run', () => {
  const count = (readings: Readings | null) =>
    readings?.receipts.map(({ readings: of, approves, objects }) => `${of} ${wordOf(approves, objects)}`) ?? [];
  const wordOf = (approves: boolean, objects = false) => (approves ? 'approved' : objects ? 'objected to' : 'doubted');

  it.each<[string, Run['more'], readonly string[]]>([
    ['are of each file that was reviewed whole', {}, ['1 approved', '1 approved']],
    ['leave out what a limit cut', { cut: ['a.x'] }, ['1 approved']],
    ['leave out what is not proven', { unproven: ['b.x'] }, ['1 approved']],
    ['say what a finding objects to', { unapproved: ['a.x'] }, ['1 objected to', '1 approved']],
    [
      'say what was not approved without a finding',
      { unapproved: ['a.x'], doubted: ['a.x'] },
      ['1 doubted', '1 approved'],
    ],
  ])('%s', async (_, more = {}, expected) => {
    const pull = pullRequest();
    await pull.review({ ...first, more });
    expect(count(pull.readings())).toEqual(expected);
  });

  it('are all approved as soon as a run approves the change', async () => {
    const pull = pullRequest();
    await pull.review({ ...first, more: { unapproved: ['a.x'] } });
    await pull.review({ ...first, change: { ...change, 'b.x': text('b', { 5: 'other' }) } });
    expect(count(pull.readings()).toSorted()).toEqual(['1 approved', '1 approved', '2 approved']);
  });

  it('are none without a key, and without git', async () => {
    const files = diffOf(base, { ...base, ...change });
    const run = {
      ...{ earlier: null, standing: nothingHolds('first review'), basis: 'b', files, narrowed: new Set<string>() },
      batches: [{ paths: ['a.x'], isWhole: true, approves: true, read: ['lib.x'] }],
      ...{ reviewed: new Set(['a.x']), unproven: new Set<string>(), doubted: new Set<string>(), isApproved: true },
    };
    const blobs = async (paths: readonly string[]) => paths.map(() => 'blob');
    expect(await receiptsAfter(run, { seal: async () => null, blobs })).toBeNull();
    expect(await receiptsAfter(run, { seal: past.seal, blobs: async () => null })).toBeNull();
    const unseen = async (paths: readonly string[]) => paths.map(() => null);
    expect(await receiptsAfter(run, { seal: past.seal, blobs: unseen })).toBeNull();
    expect(count(await receiptsAfter(run, { seal: past.seal, blobs }))).toEqual(['1 approved']);
  });

  it('count the complete readings of a file: a part of it completes one; a cut one is none, nor is a run without a call', async () => {
    const pull = pullRequest();
    const of = (second: string) => ({ ...first, change: { ...change, 'a.x': text('a', { 5: 'first', 30: second }) } });
    const readings: number[] = [];
    const run = async (one: Run) => {
      await pull.review(one);
      const known = pull.readings()?.receipts ?? [];
      readings.push(Math.max(...known.map((receipt) => receipt.readings)));
    };
    await run(of('second'));
    await run(of('second'));
    await run(of('third'));
    await run({ ...of('fourth'), more: { cut: ['a.x'] } });
    await run(of('fifth'));
    await run({ ...of('fifth'), settings: 'other' });
    expect(readings).toEqual([1, 1, 2, 2, 3, 1]);
  });

  it('rest on what each review of a narrowed file read', async () => {
    const pull = pullRequest();
    await pull.review(first);
    const pushed = { ...change, 'a.x': text('a', { 5: 'first', 30: 'other' }) };
    await pull.review({ base, change: pushed, reads: { 'a.x': ['far.x'] } });
    const moved = { base: { ...base, 'lib.x': 'new lib\n' }, change: pushed };
    expect((await pull.review(moved)).beneath).toEqual({ 'a.x': ['lib.x'] });
  });

  it('of a file that two batches share rest on what both read', async () => {
    const files = diffOf(base, { ...base, ...change });
    const batch = (read: string) => ({ paths: ['a.x'], isWhole: true, approves: true, read: [read] });
    const run = {
      ...{ earlier: null, standing: nothingHolds('first review'), basis: 'b', files, narrowed: new Set<string>() },
      batches: [batch('lib.x'), batch('far.x')],
      ...{ reviewed: new Set(['a.x']), unproven: new Set<string>(), doubted: new Set<string>(), isApproved: true },
    };
    const blobs = async (paths: readonly string[]) => paths;
    const readings = await receiptsAfter(run, { seal: past.seal, blobs });
    expect([readings?.receipts.length, readings?.conversations.map(({ length }) => length)]).toEqual([1, [4]]);
  });

  it('are 1,500 at most, and those of the oldest conversations go', async () => {
    const pull = pullRequest();
    const many = (from: number, to: number) =>
      Object.fromEntries(Array.from({ length: to - from }, (_, at) => [`f${from + at}.x`, `${from + at}\n`]));
    await pull.review({ base, change: many(0, 1_200), together: true });
    const { looked } = await pull.review({ base, change: many(0, 1_610), together: true });
    expect(Object.values(looked).filter((how) => how === 'nothing')).toHaveLength(1_200);
    expect(pull.readings()?.receipts).toHaveLength(410);
  });
});
