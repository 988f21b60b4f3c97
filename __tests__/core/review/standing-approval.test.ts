import { describe, expect, it } from 'vitest';
import { writeMark } from '../../../src/core/memory/mark-text.ts';
import type { PostedReview } from '../../../src/core/pull-request/pull-request.ts';
import type { Review } from '../../../src/core/review/review.ts';
import { bearsOutApproval, standingApprovals, whyNotApprove } from '../../../src/core/review/standing-approval.ts';
import { postedReview } from '../../fakes/discussion.ts';
import { pullRequest, review } from '../../fakes/review-record.ts';

const head = pullRequest.head.sha;

function approval(changes: Partial<PostedReview> = {}, { name = 'Review', run = '10-1' } = {}): PostedReview {
  const body = `Fine.\n\n${writeMark({ kind: 'review', name, run, commit: head, settings: '' })}`;
  return postedReview({ state: 'APPROVED', body, ...changes });
}

describe('an approval of ours', () => {
  const ours = { name: 'Review', run: '10-2' };

  it.each<[string, boolean, PostedReview]>([
    ['of an earlier run', true, approval()],
    ['of this run', true, approval({}, { run: '10-2' })],
    ['of a later run, which is not for this one to judge', false, approval({}, { run: '11-1' })],
    ['of a later attempt', false, approval({}, { run: '10-3' })],
    ['of another name', false, approval({}, { name: 'Other' })],
    ['that somebody else gave with a copied mark', false, approval({ isSelf: false })],
    ['that carries no mark', false, approval({ body: 'Fine.' })],
    ['that is dismissed', false, approval({ state: 'DISMISSED' })],
    ['that is a comment', false, approval({ state: 'COMMENTED' })],
  ])('%s stands: %s', (_, stands, given) => {
    expect(standingApprovals([given], ours)).toEqual(stands ? [given] : []);
  });

  it('has any name where the settings could not be read', () => {
    expect(standingApprovals([approval({}, { name: 'Other' })], { ...ours, name: null })).toHaveLength(1);
  });
});

describe('a run that ends in an approval', () => {
  const again: Partial<Review> = {
    scope: { kind: 'incremental', since: head },
    coverage: { ...review().coverage, reviewed: [], earlier: ['a.ts'] },
  };

  it.each<[string, boolean, Partial<Review>]>([
    ['approves', true, { event: 'APPROVE' }],
    ['looks again at the very head that was reviewed, and nothing has come up', true, again],
    ['found something at that head', false, { ...again, outcome: 'findings' }],
    [
      'left something at that head',
      false,
      { ...again, coverage: { ...review().coverage, reviewed: [], unreviewed: [{ path: 'a.ts', reason: 'time' }] } },
    ],
    ['goes on from another head', false, { ...again, scope: { kind: 'incremental', since: 'e'.repeat(40) } }],
    ['is clean, and the model does not approve', false, {}],
    ['is skipped', false, { outcome: 'skipped', stop: { reason: 'skipped', why: '' } }],
  ])('%s: %s', (_, ends, changes) => {
    expect(bearsOutApproval(review(changes))).toBe(ends);
  });
});

describe('what was reviewed', () => {
  const moved = (sha: string) => ({ ref: 'main', sha });

  it.each([
    ['may be approved while nothing has changed', pullRequest, null],
    ['may not when its head moved', { ...pullRequest, head: moved('d'.repeat(40)) }, 'The head moved to dddddddddddd'],
    ['may not when its base moved', { ...pullRequest, base: moved('d'.repeat(40)) }, 'The base moved to dddddddddddd'],
    [
      'may not when its base is another branch',
      { ...pullRequest, base: { ...pullRequest.base, ref: 'dev' } },
      'The base branch',
    ],
    ['may not when it is closed', { ...pullRequest, state: 'closed' as const }, 'The pull request is closed'],
    ['may not when it is merged', { ...pullRequest, state: 'merged' as const }, 'The pull request is merged'],
    ['may not when it became a draft', { ...pullRequest, draft: true }, 'The pull request is a draft'],
    ['may not when GitHub does not say', null, 'GitHub did not say'],
  ] as const)('%s', (_, now, why) => {
    const reason = whyNotApprove(pullRequest, now);
    expect(why === null ? reason : reason?.startsWith(why)).toBe(why === null ? null : true);
  });
});
