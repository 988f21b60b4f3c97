import { expect, it } from 'vitest';
import { renderSticky } from '../../../src/core/report/sticky.ts';
import { stickyMarkOf } from '../../../src/core/report/sticky-mark.ts';
import { context, finding, recordOf } from '../../fakes/review-record.ts';

it('the next run looks again at what could be code and was not read, and at no image', () => {
  const identity = { name: 'Postil', run: '1-1', settings: '0'.repeat(16) };
  const unread = [
    { path: 'logo.png', reason: 'image', code: false },
    { path: 'src/long.js', reason: 'too long', code: true },
  ];
  const unreviewed = [{ path: 'src/a.ts', reason: 'time' }];
  const coverage = { reviewed: ['src/b.ts'], skipped: [], unread, unreviewed, earlier: [], missing: [] };
  expect(stickyMarkOf(recordOf({ identity, coverage }), context)?.unreviewed).toEqual(['src/a.ts', 'src/long.js']);
});

it('the next run knows by which base branch it was reviewed', () => {
  const identity = { name: 'Postil', run: '1-1', settings: '0'.repeat(16) };
  expect(stickyMarkOf(recordOf({ identity }), context)?.base).toBe('main');
});

it.each([
  ['The sum is wrong', 'inline', '[The sum is wrong](https://github.com/acme/shop/pull/7#r1) · new'],
  ['The sum is wrong', 'standing', '[The sum is wrong](https://github.com/acme/shop/pull/7#r1)'],
  ['x](https://evil.example) [y', 'standing', '([comment](https://github.com/acme/shop/pull/7#r1))'],
  ['It ends in \\', 'standing', '([comment](https://github.com/acme/shop/pull/7#r1))'],
] as const)('the title %j that is %s links to its comment, and to nothing of its own', (title, place, cell) => {
  const identity = { name: 'Postil', run: '1-1', settings: '0'.repeat(16) };
  const url = 'https://github.com/acme/shop/pull/7#r1';
  const ledger = [{ finding: finding({ title }), place, reason: null, url }];
  const text =
    renderSticky({ ...recordOf({ outcome: 'findings', identity }), ledger }, { ...context, comment: 1 }) ?? '';
  const row = text.split('\n').find((line) => line.startsWith('| Critical')) ?? '';
  expect([row.includes(cell), /\]\(https:\/\/evil/.test(row.replace(/\\./g, ''))]).toEqual([true, false]);
});
