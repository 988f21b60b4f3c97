import { describe, expect, it } from 'vitest';
import { type StickyMark, writeMark } from '../../../src/core/memory/mark.ts';
import { markOf } from '../../../src/core/memory/memory.ts';
import { priorMarks, stickyOf } from '../../../src/core/memory/prior-marks.ts';
import { withSignatures } from '../../../src/core/memory/signed-marks.ts';
import type { ReviewThread } from '../../../src/core/pull-request/pull-request.ts';
import {
  finding,
  keys,
  ownRemark,
  postedReview,
  pullRequest,
  remark,
  reviewer,
  signedComment,
  signedMark,
  thread,
} from '../../fakes/review-record.ts';

const at = { identity: reviewer, commit: 'a'.repeat(40), mergeBase: 'c'.repeat(40), redact: String };
const mark = markOf(finding(), at);
const body = `Words.\n\n${writeMark(mark)}`;
const own = thread({ comments: [ownRemark(body)] });

function inThreads(...threads: readonly ReviewThread[]) {
  return priorMarks({ ...pullRequest, threads }, 'Review').map((one) => one.mark);
}

describe('a mark in a thread', () => {
  it('counts in a comment of our own whose place it names', () => {
    expect(inThreads(own)).toEqual([mark]);
  });

  it.each<[string, ReviewThread]>([
    ['that somebody else wrote', thread({ comments: [remark({ body })] })],
    ['that answers somebody', thread({ comments: [remark(), ownRemark(body)] })],
    ['on another line', { ...own, originalLine: 13 }],
    ['on more lines', { ...own, originalStartLine: 10 }],
    ['on the other side', { ...own, side: 'LEFT' }],
    ['of another name', thread({ comments: [ownRemark(`${writeMark({ ...mark, name: 'Other' })}`)] })],
    ['of no version that we know', thread({ comments: [ownRemark(body.replace('v1', 'v9'))] })],
  ])('does not count in a comment %s', (_, other) => {
    expect(inThreads(other)).toEqual([]);
  });

  it('counts on the file when GitHub did not take its lines', () => {
    expect(inThreads({ ...own, subject: 'file', line: null, originalLine: null })).toEqual([mark]);
  });

  it('counts once, however many hold it', () => {
    const reviews = [postedReview({ body })];
    expect(priorMarks({ ...pullRequest, threads: [own], reviews }, 'Review')).toHaveLength(1);
  });
});

describe('a mark in a review', () => {
  it.each([
    ['of the same commit', {}, 1],
    ['of another commit', { commit: 'd'.repeat(40) }, 0],
    ['that somebody else wrote', { isSelf: false }, 0],
    ['that is not published', { state: 'PENDING' }, 0],
  ] as const)('%s: counts %o %d', (_, changes, count) => {
    const reviews = [postedReview({ body, ...changes })];
    expect(priorMarks({ ...pullRequest, reviews }, 'Review')).toHaveLength(count);
  });
});

const sticky: StickyMark = {
  ...{ kind: 'sticky', name: 'Review', run: '1-1', head: at.commit, mergeBase: at.mergeBase, settings: '' },
  unreviewed: [],
  others: [],
};

describe('the summary comment', () => {
  const here = { ...sticky, unreviewed: ['b.ts'], others: [mark, { ...mark, name: 'Other' }] };
  const signedIn1 = (one: StickyMark) => signedMark(one, { in: 'summary', comment: 1 });

  it('is the oldest signed one of our own of this name, with the findings of this name alone', () => {
    const of = (head: string) => ({ ...here, head: head.repeat(40) });
    const conversation = [
      remark({ body: signedIn1(of('e')) }),
      ownRemark(writeMark(of('f'))),
      ownRemark(signedIn1({ ...here, name: 'Other' })),
      ownRemark(signedIn1(here)),
      ownRemark(signedIn1(of('d'))),
    ];
    const read = withSignatures({ ...pullRequest, conversation }, keys);
    expect(stickyOf(read.conversation, 'Review')).toEqual({ ...here, others: [mark] });
  });

  it('is nothing when nobody of us wrote one', () => {
    expect(stickyOf([remark({ body: writeMark(here) })], 'Review')).toBeNull();
  });
});

describe('a finding whose comment was deleted', () => {
  const open = { ...sticky, open: [{ ...mark, comment: 1 }] };
  const conversation = [ownRemark(signedMark(open, { in: 'summary', comment: 9 }), { restId: 9 })];
  const held = (changes: Partial<typeof pullRequest>) =>
    priorMarks(withSignatures({ ...pullRequest, conversation, ...changes }, keys), 'Review').map((one) => one.held);
  const said = (title: string) => thread({ comments: [ownRemark(signedComment('Words.', { ...mark, title }))] });

  const rewritten = signedComment('Words.', mark).replace('Words', 'All is well');
  const deleted = { in: 'sticky', deleted: true } as const;
  it.each<[string, readonly ReviewThread[], object]>([
    ['is still known by the summary comment', [], deleted],
    ['is not one whose comment is there', [said(mark.title)], { in: 'thread' }],
    ['is not one whose comment has another title now', [said('Other words')], { in: 'thread' }],
    ['is one whose comment somebody rewrote', [thread({ comments: [ownRemark(rewritten)] })], deleted],
    ['is one whose comment holds no mark any more', [thread({ comments: [ownRemark('Never mind.')] })], deleted],
  ])('%s', (_, threads, expected) => {
    expect(held({ threads })).toMatchObject([expected]);
  });

  it('is not known by what a stranger wrote', () => {
    const copied = remark({ body: signedMark(open, { in: 'summary', comment: 9 }) });
    const unsigned = ownRemark(writeMark(open), { restId: 9 });
    expect([copied, unsigned].map((one) => held({ conversation: [one] }))).toEqual([[], []]);
  });
});
