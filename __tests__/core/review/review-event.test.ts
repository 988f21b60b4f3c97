import { describe, expect, it } from 'vitest';
import type { Placement } from '../../../src/core/findings/placement.ts';
import { isBlocking, reviewEventOf } from '../../../src/core/review/review-event.ts';
import type { Severity } from '../../../src/core/settings/severity.ts';
import { finding } from '../../fakes/review-record.ts';

const coverage = { reviewed: ['a.ts'], skipped: [], unread: [], unreviewed: [], earlier: [], missing: [] };
const clean = {
  outcome: 'clean',
  action: 'APPROVE',
  approved: true,
  coverage,
  placements: [],
  nonSpecific: [],
} as const;
const inline: Placement = { finding: finding(), place: 'inline' };
const asking = {
  ...clean,
  outcome: 'findings',
  action: 'REQUEST_CHANGES',
  approved: false,
  placements: [inline],
} as const;
const refused: Placement = { finding: finding(), place: 'suppressed', reason: 'ada resolved it' };

function standing(severity: Severity): Placement {
  return { finding: finding({ severity }), place: 'standing', reason: 'raised before', url: null, held: 'thread' };
}

describe('the event of a review', () => {
  it.each([
    ['comment', clean, true, 'COMMENT'],
    ['comment', asking, true, 'COMMENT'],
    ['request-changes', clean, true, 'COMMENT'],
    ['request-changes', asking, true, 'REQUEST_CHANGES'],
    ['approve', clean, true, 'APPROVE'],
    ['approve', asking, true, 'REQUEST_CHANGES'],
    ['approve', clean, false, 'COMMENT'],
    ['approve', { ...clean, approved: false }, true, 'COMMENT'],
    ['approve', { ...clean, outcome: 'partial' }, true, 'COMMENT'],
    ['approve', { ...clean, outcome: 'findings' }, true, 'COMMENT'],
    ['approve', { ...clean, coverage: { ...coverage, missing: ['GitHub lists 10 of 12 files.'] } }, true, 'COMMENT'],
    [
      'approve',
      { ...clean, coverage: { ...coverage, unreviewed: [{ path: 'a.ts', reason: 'time' }] } },
      true,
      'COMMENT',
    ],
    [
      'approve',
      { ...clean, coverage: { ...coverage, unread: [{ path: 'logo.png', reason: 'image', code: false }] } },
      true,
      'COMMENT',
    ],
    ['request-changes', { ...asking, placements: [] }, true, 'COMMENT'],
    ['request-changes', { ...asking, placements: [refused] }, true, 'COMMENT'],
    [
      'request-changes',
      { ...asking, placements: [], nonSpecific: ['The whole approach is wrong.'] },
      true,
      'REQUEST_CHANGES',
    ],
  ] as const)('with `review-event: %s`, of %o (author may write: %s) is %s', (allowed, review, mayApprove, event) => {
    expect(reviewEventOf(review, { allowed, mayApprove })).toBe(event);
  });
});

describe('an earlier REQUEST_CHANGES', () => {
  it.each([
    ['the new review asks for changes', { event: 'REQUEST_CHANGES', placements: [] }, true],
    ['a warning of an earlier run stands', { event: 'COMMENT', placements: [standing('warning')] }, true],
    ['only a remark of an earlier run stands', { event: 'COMMENT', placements: [standing('info')] }, false],
    [
      'a warning is raised again, because its comment was deleted',
      { event: 'COMMENT', placements: [{ ...standing('warning'), place: 'inline' }] },
      true,
    ],
    ['what it was about is gone', { event: 'COMMENT', placements: [] }, false],
    ['somebody refused it', { event: 'COMMENT', placements: [refused] }, false],
  ] as const)('%s: it keeps its reason %o', (_, review, blocking) => {
    expect(isBlocking(review)).toBe(blocking);
  });
});
