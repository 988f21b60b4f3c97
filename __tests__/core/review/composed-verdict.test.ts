import { describe, expect, it } from 'vitest';
import { suppress } from '../../../src/core/findings/finding.ts';
import { type Memory, noMemory } from '../../../src/core/history/memory.ts';
import { verbatim } from '../../../src/core/messages/message.ts';
import { composeReview } from '../../../src/core/review/compose-review.ts';
import { parseSettings } from '../../../src/core/settings/parse-settings.ts';
import type { Settings } from '../../../src/core/settings/settings.ts';
import { firstReading } from '../../fakes/earlier-rounds.ts';
import { coverageOf, finding, pullRequest } from '../../fakes/review-record.ts';
import { batchWith, reviewedDraft } from '../../fakes/rich-record.ts';
import { changedFile, hunk } from '../findings/make.ts';

const identity = { name: 'Review', run: '2-1', settings: '0123456789abcdef' };
const line = '  return items[items.length].price;';
const files = [changedFile('src/cart.ts', { hunks: [hunk({ old: 12, new: 12 }, `+${line}`)] })];

const approving = { approved: true, rationale: 'Nothing to fix.', action: 'APPROVE' } as const;
const requesting = { approved: false, rationale: 'Fix both.', action: 'REQUEST_CHANGES' } as const;
const nitpick = finding({ severity: 'nitpick' });
const unplaced = { reason: { code: 'unplaced.not-in', path: 'src/cart.ts' }, quote: 'x();' } as const;
const disproved = suppress(finding({ id: 'f9' }), { reason: verbatim('It is checked.'), by: 'verification' });
const reviewed = coverageOf({ reviewed: ['src/cart.ts'] });

const drafts = {
  clean: reviewedDraft({ batches: [batchWith([], { approval: approving })] }),
  asking: reviewedDraft({ batches: [batchWith([finding()], { approval: requesting })] }),
  silent: reviewedDraft({ batches: [batchWith([], { approval: null })] }),
  'asking for nothing': reviewedDraft({ batches: [batchWith([], { approval: requesting })] }),
  'asking in general': reviewedDraft({ batches: [batchWith([], { approval: requesting, nonSpecificReview: 'No.' })] }),
  'with a nitpick': reviewedDraft({ batches: [batchWith([nitpick], { approval: approving })] }),
  'with an unplaced nitpick': reviewedDraft({
    batches: [batchWith([{ ...nitpick, anchor: { kind: 'file' }, unplaced }], { approval: approving })],
  }),
  'with a finding that was disproved': reviewedDraft({
    batches: [{ ...batchWith([], { approval: requesting }), disproved: [disproved] }],
  }),
  'with one of two disproved': reviewedDraft({
    batches: [{ ...batchWith([finding()], { approval: requesting }), disproved: [disproved] }],
  }),
  'with a file left': reviewedDraft({
    batches: [batchWith([], { approval: approving })],
    coverage: { ...reviewed, unreviewed: [{ path: 'a.ts', reason: verbatim('time') }] },
  }),
  'with an image left': reviewedDraft({
    batches: [batchWith([], { approval: approving })],
    coverage: { ...reviewed, unread: [{ path: 'logo.png', reason: { code: 'file.image' }, code: false }] },
  }),
  'of half a diff': reviewedDraft({
    batches: [batchWith([], { approval: approving })],
    coverage: { ...reviewed, missing: [verbatim('GitHub lists 10 of 12 files.')] },
  }),
  'cut short': reviewedDraft({ batches: [batchWith([], { approval: approving, gap: { code: 'stop.time' } })] }),
} as const;

describe('the verdict on a review', () => {
  function verdictOn(
    draft: keyof typeof drafts,
    {
      event = 'comment',
      mayApprove = true,
      ...memory
    }: { event?: Settings['reviewEvent']; mayApprove?: boolean | null } & Partial<Memory> = {},
  ) {
    const settings = { ...parseSettings([]).settings, reviewEvent: event };
    const known = { ...noMemory, ...memory };
    const context = { pullRequest, settings, files, memory: known, identity, mayApprove };
    return composeReview(drafts[draft], { ...context, ...firstReading });
  }

  it.each([
    ['clean', 'clean', 'completed', 'APPROVE', 'Nothing to fix.'],
    ['silent', 'clean', 'completed', 'COMMENT', ''],
    ['asking', 'findings', 'completed', 'REQUEST_CHANGES', 'Fix both.'],
    ['asking for nothing', 'partial', 'unexplained', 'REQUEST_CHANGES', ''],
    ['asking in general', 'partial', 'unexplained', 'REQUEST_CHANGES', ''],
    ['with a nitpick', 'findings', 'completed', 'COMMENT', 'Nothing to fix.'],
    ['with an unplaced nitpick', 'partial', 'unplaced', 'COMMENT', ''],
    ['with a finding that was disproved', 'clean', 'completed', 'COMMENT', ''],
    ['with one of two disproved', 'findings', 'completed', 'REQUEST_CHANGES', ''],
    ['with a file left', 'partial', 'incomplete', 'COMMENT', ''],
    ['with an image left', 'partial', 'unread', 'COMMENT', ''],
    ['of half a diff', 'partial', 'incomplete', 'COMMENT', ''],
    ['cut short', 'partial', 'incomplete', 'COMMENT', ''],
  ] as const)('%s is %s (%s), with the action %s and the words “%s”', (draft, outcome, reason, action, rationale) => {
    const review = verdictOn(draft);
    expect([review.outcome, review.stop.reason, review.action, review.rationale]).toEqual([
      outcome,
      reason,
      action,
      rationale,
    ]);
    expect(review.approved).toBe(action === 'APPROVE');
  });

  it.each([
    ['comment', 'clean', true, 'COMMENT'],
    ['request-changes', 'clean', true, 'COMMENT'],
    ['request-changes', 'asking', true, 'REQUEST_CHANGES'],
    ['request-changes', 'asking for nothing', true, 'COMMENT'],
    ['approve', 'clean', true, 'APPROVE'],
    ['approve', 'asking', true, 'REQUEST_CHANGES'],
    ['approve', 'clean', false, 'COMMENT'],
    ['approve', 'silent', true, 'COMMENT'],
    ['approve', 'with a file left', true, 'COMMENT'],
  ] as const)(
    'with `review-event: %s` and %s (author may write: %s) is posted as %s',
    (event, draft, may, expected) => {
      expect(verdictOn(draft, { event, mayApprove: may }).event).toBe(expected);
    },
  );

  it.each([
    [false, { code: 'approval.no-permission', person: 'ada' }],
    [null, { code: 'approval.permission-unknown', person: 'ada' }],
  ])('that an author may not get approves nothing, and says why: may write is %s', (mayApprove, why) => {
    const { approved, action, headline } = verdictOn('clean', { event: 'approve', mayApprove });
    expect([approved, action, headline.at(-1)]).toEqual([false, 'COMMENT', why]);
  });

  it.each([
    ['known', 'clean', true],
    ['not-kept', 'clean', false],
    ['unknown', 'partial', false],
  ] as const)('with earlier findings that are %s is %s, approved: %s', (earlier, outcome, approved) => {
    const review = verdictOn('clean', { earlier });
    expect([review.outcome, review.approved]).toEqual([outcome, approved]);
  });
});
