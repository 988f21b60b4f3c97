import { describe, expect, it } from 'vitest';
import {
  a,
  base,
  change,
  first,
  gone,
  lines,
  pullRequest,
  type Run,
  type Told,
  text,
  without,
} from './reviewed-pushes.ts';

describe('what of a change was reviewed before', () => {
  it.each<[string, Run, Told['looked'], Partial<Told>?]>([
    ['holds at the same head', first, { 'a.x': 'nothing', 'b.x': 'nothing' }, { why: null }],
    [
      'holds on a base that moved elsewhere',
      { ...first, base: { ...base, 'far.x': 'farther\n', 'new.x': 'new\n' } },
      { 'a.x': 'nothing', 'b.x': 'nothing' },
    ],
    [
      'is one hunk less where a push changed one, and all of a new file',
      { ...first, change: { ...change, 'a.x': text('a', { 5: 'first', 30: 'other' }), 'c.x': 'c\n' } },
      { 'a.x': 'hunks', 'b.x': 'nothing', 'c.x': 'all' },
      { why: null },
    ],
    [
      'does not hold where what it read moved beneath it, and says so',
      { ...first, base: { ...base, 'lib.x': 'new lib\n' } },
      { 'a.x': 'all', 'b.x': 'nothing' },
      { why: null, beneath: { 'a.x': ['lib.x'] } },
    ],
    [
      'does not hold where what it read is gone from the base',
      { ...first, base: without({ ...base, 'lib.x': gone }) },
      { 'a.x': 'all', 'b.x': 'nothing' },
      { beneath: { 'a.x': ['lib.x'] } },
    ],
    [
      'does not hold where the base begins to use a name that it changes',
      { ...first, base: { ...base, 'far.x': 'far = total()\n' } },
      { 'a.x': 'nothing', 'b.x': 'all' },
      { beneath: { 'b.x': ['far.x'] } },
    ],
    [
      'does not hold where the base changed the same file',
      {
        ...first,
        base: { ...base, 'b.x': text('b', { 20: 'theirs' }) },
        change: { ...change, 'b.x': text('b', { 5: 'def total()', 20: 'theirs' }) },
      },
      { 'a.x': 'nothing', 'b.x': 'all' },
    ],
    [
      'does not hold on another basis',
      { ...first, settings: 'other' },
      { 'a.x': 'all', 'b.x': 'all' },
      { why: 'the settings changed' },
    ],
    [
      'does not hold where nobody wants that',
      { ...first, more: { incremental: false } },
      { 'a.x': 'all', 'b.x': 'all' },
      { why: 'incremental is off' },
    ],
    [
      'is nothing where everything changed',
      { ...first, change: { 'c.x': 'c\n' } },
      { 'c.x': 'all' },
      { why: 'everything changed' },
    ],
    [
      'is nothing where too many files of the base changed',
      { ...first, base: { ...base, ...Object.fromEntries(lines('n', 501).map((line) => [line.trim(), line])) } },
      { 'a.x': 'all', 'b.x': 'all' },
      { why: 'the base changed' },
    ],
  ])('%s', async (_, next, looked, told = {}) => {
    const pull = pullRequest();
    await pull.review(first);
    expect(await pull.review(next)).toMatchObject({ looked, ...told });
  });

  it('is nothing in a first review, and where no key of this run signed what the last one left', async () => {
    const told = [
      await pullRequest().review(first),
      await pullRequest().review({ ...first, more: { isUnsigned: true } }),
    ];
    expect(told.map(({ why }) => why)).toEqual(['first review', 'the earlier state is not signed']);
  });

  it('holds through squash, amend and rebase: by content, where the earlier head cannot be read any more', async () => {
    const pull = pullRequest();
    await pull.review(first);
    pull.forgetHead();
    expect((await pull.review(first)).looked).toEqual({ 'a.x': 'nothing', 'b.x': 'nothing' });
  });

  it('is nothing where the earlier base cannot be read', async () => {
    const pull = pullRequest();
    await pull.review(first);
    pull.commits.forget(`base ${JSON.stringify(base)}`);
    const moved = { ...first, base: { ...base, 'far.x': 'farther\n' } };
    expect((await pull.review(moved)).why).toBe('the earlier commit cannot be read');
  });

  it('holds again when a force push brings a content back that a push replaced', async () => {
    const pull = pullRequest();
    await pull.review(first);
    const pushed = { ...first, change: { ...change, 'a.x': text('a', { 5: 'first', 30: 'other' }) } };
    const looked = [
      (await pull.review(pushed)).looked,
      (await pull.review(first)).looked,
      (await pull.review(pushed)).looked,
    ];
    expect(looked.map((one) => one['a.x'])).toEqual(['hunks', 'nothing', 'nothing']);
  });

  it('does not hold where a file that it saw in the diff came into the base, and changed there', async () => {
    const pull = pullRequest();
    const reads = { 'a.x': ['b.x'] };
    await pull.review({ base, change, reads });
    const merged = { ...base, 'b.x': change['b.x'] };
    const same = await pull.review({ base: merged, change: { 'a.x': a }, reads });
    const moved = await pull.review({ base: { ...merged, 'b.x': 'theirs\n' }, change: { 'a.x': a }, reads });
    expect([same.looked, moved.looked, moved.beneath]).toEqual([
      { 'a.x': 'nothing' },
      { 'a.x': 'all' },
      { 'a.x': ['b.x'] },
    ]);
  });
});

describe('what a push takes out of the diff', () => {
  const three: Run = { base: { ...base, 'c.x': text('c') }, change: { ...change, 'c.x': text('c', { 5: 'c' }) } };
  const readsA: Run = { ...three, reads: { 'b.x': ['a.x'] } };
  const withoutHunk = { ...three.change, 'a.x': text('a', { 5: 'first' }) };
  it.each<[string, Run, Run, Told['looked']]>([
    [
      'has whoever read it look again',
      readsA,
      { ...readsA, change: withoutHunk },
      { 'a.x': 'all', 'b.x': 'all', 'c.x': 'nothing' },
    ],
    [
      'has its whole conversation look again',
      { ...three, together: true },
      { ...three, together: true, change: withoutHunk },
      { 'a.x': 'all', 'b.x': 'all', 'c.x': 'all' },
    ],
    [
      'may be a whole file',
      readsA,
      { ...readsA, change: { 'b.x': three.change['b.x'] ?? '', 'c.x': three.change['c.x'] ?? '' } },
      { 'b.x': 'all', 'c.x': 'nothing' },
    ],
    [
      'is nothing where lines only changed',
      readsA,
      { ...readsA, change: { ...three.change, 'a.x': text('a', { 5: 'first', 30: 'other' }) } },
      { 'a.x': 'hunks', 'b.x': 'nothing', 'c.x': 'nothing' },
    ],
    [
      'is nothing where the base changed other lines of the file',
      readsA,
      {
        ...readsA,
        base: { ...three.base, 'a.x': text('a', { 18: 'theirs' }) },
        change: { ...three.change, 'a.x': text('a', { 5: 'first', 18: 'theirs', 30: 'second' }) },
      },
      { 'a.x': 'all', 'b.x': 'nothing', 'c.x': 'nothing' },
    ],
    [
      'is seen where the base changed other lines of the file',
      readsA,
      {
        ...readsA,
        base: { ...three.base, 'a.x': text('a', { 18: 'theirs' }) },
        change: { ...three.change, 'a.x': text('a', { 5: 'first', 18: 'theirs' }) },
      },
      { 'a.x': 'all', 'b.x': 'all', 'c.x': 'nothing' },
    ],
  ])('%s', async (_, before, next, looked) => {
    const pull = pullRequest();
    await pull.review(before);
    expect((await pull.review(next)).looked).toEqual(looked);
  });

  it('may be anything that changed, where the earlier head cannot be read', async () => {
    const pull = pullRequest();
    await pull.review(readsA);
    pull.forgetHead();
    const pushed = { ...readsA, change: { ...three.change, 'a.x': text('a', { 5: 'first', 30: 'other' }) } };
    expect((await pull.review(pushed)).looked).toEqual({ 'a.x': 'all', 'b.x': 'all', 'c.x': 'nothing' });
  });
});
