import { describe, expect, it } from 'vitest';
import { renderSticky, stickyMarkOf } from '../../../src/core/report/sticky.ts';
import type { PlacedFinding, Review } from '../../../src/core/review/review.ts';
import { context, finding, goneFinding, reviewer as identity, recordOf } from '../../fakes/review-record.ts';
import { richRecord } from '../../fakes/rich-record.ts';

const url = 'https://github.com/acme/shop/pull/7#r1';
const run = {
  version: '1.0.0',
  startedAt: () => '',
  url: 'https://github.com/acme/shop/actions/runs/1',
  timeline: () => [],
};
const walkthrough = [{ path: 'src/cart.ts', changes: 'Reads the last price.', checked: 'The index | the empty cart.' }];

function stickyOf(changes: Partial<Review>, placed?: readonly PlacedFinding[]): string {
  const record = recordOf({ identity, ...changes });
  const text = renderSticky({ ...record, placed: placed ?? record.placed }, { ...context, run, comment: 1 }) ?? '';
  return text.replace(/<!--.*-->/g, '').trim();
}

const declined = {
  finding: finding({ id: 'f3', title: 'A mail that fails' }),
  place: 'suppressed',
  reason: "declined by @lead: “Won't fix.”",
  url,
} as const;

/** The second review of a pull request: one finding is new, one stands, one was declined, two were resolved. */
const second: Partial<Review> = {
  outcome: 'findings',
  rationale: 'The loop must be fixed before merging. The rest is small.',
  walkthrough,
  earlierReviews: 1,
  scope: { kind: 'incremental', since: '1'.repeat(40) },
  gone: [goneFinding({ title: 'Pasted into SQL' }, url), goneFinding({ title: 'Older', commit: '2'.repeat(40) })],
  placements: [
    { finding: finding(), place: 'standing', reason: 'raised before', url, held: 'thread' },
    { finding: finding({ id: 'f2', severity: 'warning' }), place: 'body', reason: 'line not in the diff' },
    declined,
  ],
};

const lockFile = { path: 'package-lock.json', reason: 'lock file', code: false };
const ofLockFile: Partial<Review> = {
  outcome: 'partial',
  stop: { reason: 'unread', files: [lockFile] },
  coverage: { ...recordOf({}).review.coverage, unread: [lockFile] },
};

describe('the summary comment', () => {
  it('of a later review tells what is new, open, declined and resolved', async () => {
    await expect(`${stickyOf(second)}\n`).toMatchFileSnapshot('__snapshots__/second-review.md');
  });

  it('of a clean review says what was checked, and keeps the rationale', async () => {
    await expect(`${stickyOf({ walkthrough })}\n`).toMatchFileSnapshot('__snapshots__/clean-review.md');
  });

  it.each<[string, Partial<Review>]>([
    ['1 finding: 1 critical · 3 files reviewed', { placements: [{ finding: finding(), place: 'inline' }] }],
    ['1 new finding, 1 still open, 2 resolved by a change, 1 declined', second],
    ['No open findings, 1 resolved by a change · 3 files reviewed', { gone: [goneFinding()] }],
    [
      'Partial review · No findings · 3 files reviewed',
      { outcome: 'partial', stop: { reason: 'incomplete', why: 'Time limit reached.', stop: { reason: 'submitted' } } },
    ],
    ['No findings · 3 of 4 files reviewed', ofLockFile],
  ])('is headed by what there is: %s', (heading, changes) => {
    expect(stickyOf({ outcome: 'findings', ...changes }).split('\n')[0]).toBe(`### Postil · ${heading}`);
  });

  it('names a reviewer that the workflow names, behind Postil', () => {
    const text = renderSticky(recordOf({ identity }), { ...context, comment: 1, reviewer: 'Security @ada' });
    expect(text).toMatch(/^### Postil · Security `@ada` · No findings/);
  });

  it.each([
    ['The sum is wrong', 'inline', '[The sum is wrong](https://github.com/acme/shop/pull/7#r1) **new**<br>'],
    ['The sum is wrong', 'standing', '[The sum is wrong](https://github.com/acme/shop/pull/7#r1)<br>'],
    ['x](https://evil.example) [y', 'standing', '([comment](https://github.com/acme/shop/pull/7#r1))'],
    ['It ends in \\', 'standing', '([comment](https://github.com/acme/shop/pull/7#r1))'],
  ] as const)('links the title %j that is %s to its comment, and to nothing of its own', (title, place, cell) => {
    const text = stickyOf({ earlierReviews: 1 }, [{ finding: finding({ title }), place, reason: null, url }]);
    const row = text.split('\n').find((line) => line.startsWith('| 🔴')) ?? '';
    expect([row.includes(cell), /\]\(https:\/\/evil/.test(row.replace(/\\./g, ''))]).toEqual([true, false]);
  });

  it('links the run, and the report that it wrote', () => {
    const report = { sink: 'report-html', status: 'delivered', reason: null, delivered: [], url: 'r.html' } as const;
    const text = renderSticky(recordOf({ identity }, [report]), { ...context, run, comment: null });
    expect(text).toContain(` · [run](${run.url}) · [report](${run.url}#artifacts)</sub>`);
  });

  it('is none for a run that looked at nothing', () => {
    expect(
      renderSticky(
        { ...richRecord(), review: { ...richRecord().review, outcome: 'failed' } },
        { ...context, comment: 1 },
      ),
    ).toBeNull();
  });
});

describe('the mark of the summary comment', () => {
  it('makes the next run look again at what could be code and was not read, and at no image', () => {
    const unread = [
      { path: 'logo.png', reason: 'image', code: false },
      { path: 'src/long.js', reason: 'too long', code: true },
    ];
    const unreviewed = [{ path: 'src/a.ts', reason: 'time' }];
    const coverage = { reviewed: ['src/b.ts'], skipped: [], unread, unreviewed, earlier: [], missing: [] };
    const mark = stickyMarkOf(recordOf({ identity, coverage }), context);
    expect([mark?.unreviewed, mark?.base]).toEqual([['src/a.ts', 'src/long.js'], 'main']);
  });
});
