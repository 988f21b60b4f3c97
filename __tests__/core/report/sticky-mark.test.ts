import { expect, it } from 'vitest';
import { stickyMarkOf } from '../../../src/core/report/sticky-mark.ts';
import { context, recordOf } from '../../fakes/review-record.ts';

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
