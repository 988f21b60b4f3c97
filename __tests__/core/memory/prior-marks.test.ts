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
  signedComment,
  signedMark,
  thread,
} from '../../fakes/review-record.ts';

const at = {
  identity: { name: 'Review', run: '1-1', settings: '' },
  commit: 'a'.repeat(40),
  mergeBase: 'c'.repeat(40),
  redact: (text: string) => text,
};
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

describe('the summary comment', () => {
  const sticky: StickyMark = {
    kind: 'sticky',
    name: 'Review',
    run: '1-1',
    head: 'a'.repeat(40),
    mergeBase: 'c'.repeat(40),
    settings: '',
    unreviewed: ['b.ts'],
    others: [mark, { ...mark, name: 'Other' }],
  };

  const signedIn1 = (one: StickyMark) => signedMark(one, { in: 'summary', comment: 1 });

  it('is the oldest signed one of our own of this name, with the findings of this name alone', () => {
    const newer = { ...sticky, head: 'd'.repeat(40) };
    const conversation = [
      remark({ body: signedIn1({ ...sticky, head: 'e'.repeat(40) }) }),
      ownRemark(writeMark({ ...sticky, head: 'f'.repeat(40) })),
      ownRemark(signedIn1({ ...sticky, name: 'Other' })),
      ownRemark(signedIn1(sticky)),
      ownRemark(signedIn1(newer)),
    ];
    const read = withSignatures({ ...pullRequest, conversation }, keys);
    expect(stickyOf(read.conversation, 'Review')).toEqual({ ...sticky, others: [mark] });
  });

  it('is nothing when nobody of us wrote one', () => {
    expect(stickyOf([remark({ body: writeMark(sticky) })], 'Review')).toBeNull();
  });
});

describe('a finding whose comment was deleted', () => {
  const open = [{ ...mark, comment: 1 }];
  const sticky: StickyMark = {
    kind: 'sticky',
    name: 'Review',
    run: '1-1',
    head: at.commit,
    mergeBase: at.mergeBase,
    settings: '',
    unreviewed: [],
    others: [],
    open,
  };
  const conversation = [ownRemark(signedMark(sticky, { in: 'summary', comment: 9 }), { restId: 9 })];
  const held = (changes: Partial<typeof pullRequest>) =>
    priorMarks(withSignatures({ ...pullRequest, conversation, ...changes }, keys), 'Review').map((one) => one.held);
  const said = (title: string) => thread({ comments: [ownRemark(signedComment('Words.', { ...mark, title }))] });

  it('is still known by the summary comment', () => {
    expect(held({})).toEqual([{ in: 'sticky', deleted: true }]);
  });

  it('is not one whose comment is there, be it with another title now', () => {
    expect([held({ threads: [said(mark.title)] }), held({ threads: [said('Other words')] })]).toMatchObject([
      [{ in: 'thread' }],
      [{ in: 'thread' }],
    ]);
  });

  it('is one whose comment somebody rewrote: its words are not what was signed', () => {
    const [first] = said(mark.title).comments;
    const rewritten = thread({ comments: [ownRemark(first?.body.replace('Words', 'All is well') ?? '')] });
    expect(held({ threads: [rewritten] })).toEqual([{ in: 'sticky', deleted: true }]);
  });

  it('is one whose comment holds no mark any more', () => {
    const emptied = thread({ comments: [ownRemark('Never mind.')] });
    expect(held({ threads: [emptied] })).toEqual([{ in: 'sticky', deleted: true }]);
  });

  it('is not known by what a stranger wrote', () => {
    const copied = remark({ body: signedMark(sticky, { in: 'summary', comment: 9 }) });
    const unsigned = ownRemark(writeMark(sticky), { restId: 9 });
    expect([copied, unsigned].map((one) => held({ conversation: [one] }))).toEqual([[], []]);
  });
});
