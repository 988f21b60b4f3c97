import { describe, expect, it } from 'vitest';
import { countReviews } from '../../../src/core/memory/count-reviews.ts';
import { markOf } from '../../../src/core/memory/finding-mark.ts';
import type { Mark } from '../../../src/core/memory/mark.ts';
import { writeMark } from '../../../src/core/memory/mark-text.ts';
import { withSignatures } from '../../../src/core/memory/signed-marks.ts';
import type { PullRequest } from '../../../src/core/pull-request/pull-request.ts';
import { keys, ownRemark, postedReview, signedComment, signedMark, thread } from '../../fakes/discussion.ts';
import { finding, pullRequest } from '../../fakes/review-record.ts';

const identity = { name: 'Review', run: '9-1', settings: '' };

function sticky(run: string, more: object = {}): Mark {
  const empty = { head: 'e'.repeat(40), mergeBase: '', settings: '', unreviewed: [], others: [] };
  return { kind: 'sticky', name: 'Review', run, ...empty, ...more };
}

function posted(run: string, name = 'Review'): Mark {
  return { kind: 'review', name, run, commit: 'a'.repeat(40), settings: '' };
}

function count(said: Partial<PullRequest>): number {
  return countReviews(withSignatures({ ...pullRequest, ...said }, keys), identity);
}

const comment = (mark: Mark) => ownRemark(signedMark(mark, { in: 'summary', comment: 1 }));
const inReview = (mark: Mark) => postedReview({ body: signedMark(mark, { in: 'review' }) });

describe('the number of earlier reviews', () => {
  it.each<[string, Partial<PullRequest>, number]>([
    ['is none at first', {}, 0],
    ['is what the summary comment counted', { conversation: [comment(sticky('8-1', { reviews: 12 }))] }, 12],
    ['leaves this run out', { conversation: [comment(sticky('9-1', { reviews: 12 }))] }, 11],
    ['is at least one where an older version did not count', { conversation: [comment(sticky('8-1'))] }, 1],
    [
      'is that of the runs that posted, where there is no summary comment',
      { reviews: ['7-1', '7-2', '8-1', '8-1', '9-1'].map((run) => inReview(posted(run))) },
      3,
    ],
    [
      'counts a run that left comments alone',
      {
        threads: ['5-1', '6-1'].map((run) => {
          const at = { identity: { ...identity, run }, commit: '', mergeBase: '', redact: (text: string) => text };
          const opening = ownRemark(signedComment('Words.', markOf(finding(), at)));
          return thread({ comments: [opening, comment(posted('7-1'))] });
        }),
      },
      2,
    ],
    ['knows nothing of another name', { reviews: [inReview(posted('7-1', 'Other'))] }, 0],
    [
      'believes no mark that is not signed',
      {
        conversation: [ownRemark(writeMark(sticky('8-1', { reviews: 50 })))],
        reviews: [postedReview({ body: writeMark(posted('7-1')) })],
      },
      0,
    ],
    [
      'believes no mark that somebody else wrote',
      {
        conversation: [{ ...comment(sticky('8-1', { reviews: 50 })), isSelf: false }],
        reviews: [{ ...inReview(posted('7-1')), isSelf: false }],
      },
      0,
    ],
  ])('%s', (_, said, expected) => {
    expect(count(said)).toBe(expected);
  });
});
