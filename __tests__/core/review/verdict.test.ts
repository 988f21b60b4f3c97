import { describe, expect, it } from 'vitest';
import { isComplete, whyNotComplete } from '../../../src/core/review/complete.ts';
import { emptyReview } from '../../../src/core/review/empty-review.ts';
import type { Review } from '../../../src/core/review/review.ts';
import type { Delivery } from '../../../src/core/review/sink.ts';
import { approvalRecorder, type Gate, openGate, verdictOf } from '../../../src/core/review/verdict.ts';
import { bundleWith } from '../../fakes/review-draft.ts';
import { finding, pullRequest, recordOf, review } from '../../fakes/review-record.ts';

const whole = review().coverage;
const standing = { finding: finding(), place: 'standing', reason: 'raised before', url: null, held: 'thread' } as const;

function kindOf(changes: Partial<Review>, gate: Partial<Gate>, deliveries: readonly Delivery[] = []): string {
  return verdictOf(recordOf(changes, deliveries), { ...openGate, ...gate }).kind;
}

function stopped(stop: Parameters<typeof emptyReview>[0]): Review {
  return emptyReview(stop, { pullRequest, milliseconds: 0 });
}

describe('a review that is complete', () => {
  it.each<[string, Review]>([
    ['looked at every file', review()],
    ['found nothing in the change to review', stopped({ reason: 'skipped', why: 'Lock files.', nothing: true })],
    [
      'was started by an event without a pull request',
      { ...stopped({ reason: 'skipped', why: 'A push.' }), pullRequest: null },
    ],
    [
      'left out what the workflow excludes',
      review({ coverage: { ...whole, skipped: [{ path: 'a', reason: 'exclude' }] } }),
    ],
  ])('%s', (_, complete) => {
    expect(whyNotComplete(complete)).toBe(null);
  });
});

describe('a review that is not complete', () => {
  it.each<[string, Review]>([
    ['was skipped, as for a draft or an author', stopped({ reason: 'skipped', why: 'The pull request is a draft.' })],
    ['was cancelled', stopped({ reason: 'cancelled' })],
    ['failed', stopped({ reason: 'failed', message: 'No.', hint: '' })],
    ['had no key', review({ outcome: 'partial', stop: { reason: 'no-key' } })],
    ['met a limit', review({ stop: { reason: 'incomplete', why: 'Time.', stop: { reason: 'limit', limit: 'time' } } })],
    ['could not read all of the diff', review({ coverage: { ...whole, missing: ['GitHub lists 3,000 files.'] } })],
    ['left a file', review({ coverage: { ...whole, unreviewed: [{ path: 'a.ts', reason: 'time' }] } })],
    ['left a batch', review({ bundles: [bundleWith([], { reviewed: false }).report] })],
    ['cut a batch', review({ bundles: [bundleWith([], { gap: 'Two images were left out.' }).report] })],
    ['does not know what was said before', review({ pullRequest: { ...pullRequest, discussionRead: false } })],
  ])('%s', (_, incomplete) => {
    expect(isComplete(incomplete)).toBe(false);
  });
});

describe('`require-complete: true`', () => {
  it('fails the job for what was not reviewed, and says what', () => {
    const coverage = { ...whole, unreviewed: [{ path: 'a.ts', reason: 'time' }] };
    const verdict = verdictOf(recordOf({ coverage }), { ...openGate, requireComplete: true });
    expect(verdict).toEqual({
      kind: 'incomplete',
      message:
        'Not everything was reviewed, and `require-complete` is set. Not reviewed: a.ts (time). No findings in 3 files.',
    });
  });

  it.each([
    ['fine', {}, true],
    ['warn', { outcome: 'partial', stop: { reason: 'cancelled' } }, false],
    ['incomplete', { outcome: 'partial', stop: { reason: 'cancelled' } }, true],
    ['incomplete', { outcome: 'skipped', stop: { reason: 'skipped', why: 'A draft.' } }, true],
  ] as const)('is %s for %j when it is %s', (kind, changes, requireComplete) => {
    expect(kindOf(changes, { requireComplete })).toBe(kind);
  });
});

describe('`fail-on`', () => {
  it.each(['skipped', 'partial'] as const)('counts a standing finding in a run that is %s', (outcome) => {
    const changes = { outcome, stop: { reason: 'skipped', why: 'A draft.' }, placements: [standing] } as const;
    expect([kindOf(changes, { failOn: 'critical' }), kindOf(changes, {})]).toEqual([
      'findings',
      outcome === 'partial' ? 'warn' : 'fine',
    ]);
  });
});

describe('an approval that stands against what this run says', () => {
  const trouble = {
    sink: approvalRecorder,
    status: 'refused',
    reason: 'Not permitted.',
    delivered: [],
    url: null,
  } as const;

  it.each([
    ['failed', 'approve'],
    ['fine', 'request-changes'],
    ['fine', 'comment'],
  ] as const)('makes a job %s with `review-event: %s`', (kind, reviewEvent) => {
    expect(kindOf({}, { reviewEvent }, [trouble])).toBe(kind);
  });

  it('is no trouble once it is dismissed', () => {
    expect(kindOf({}, { reviewEvent: 'approve' }, [{ ...trouble, status: 'delivered' }])).toBe('fine');
  });
});
