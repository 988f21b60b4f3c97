import { describe, expect, it } from 'vitest';
import { markOf } from '../../../src/core/memory/finding-mark.ts';
import { lessonOf } from '../../../src/core/memory/lesson.ts';
import { writeMark } from '../../../src/core/memory/mark-text.ts';
import type { Comment, ReviewThread } from '../../../src/core/pull-request/pull-request.ts';
import { ownRemark, remark, thread } from '../../fakes/discussion.ts';
import { finding } from '../../fakes/review-record.ts';

const at = {
  identity: { name: 'Any', run: '1-1', settings: '' },
  commit: 'a'.repeat(40),
  mergeBase: '',
  redact: String,
};
const body = `Words.\n\n${writeMark(markOf(finding({ ruleId: 'no-x' }), at))}`;
// As a person on a laptop sees it: the viewer is not who posted.
const ours = ownRemark(body, { isSelf: false, date: '2026-11-01T10:00:00Z' });
const no = remark({ author: 'grace', body: 'By design.', date: '2026-11-02T10:00:00Z', url: 'https://x.example/r2' });

const context = {
  isOurs: ({ author }: Comment) => author === 'github-actions[bot]',
  canWrite: async (login: string) => ['grace', 'linus'].includes(login),
};

function taughtBy(comments: readonly Comment[], more: Partial<ReviewThread> = {}) {
  return lessonOf(thread({ comments, ...more }), context);
}

describe('what a thread teaches', () => {
  it('is the finding, and what somebody who may write said against it', async () => {
    expect(await taughtBy([ours, no])).toEqual({
      path: 'src/cart.ts',
      title: finding().title,
      ruleId: 'no-x',
      by: 'grace',
      words: 'By design.',
      date: '2026-11-02T10:00:00Z',
      url: 'https://x.example/r2',
    });
  });

  it('is a 👎 without words', async () => {
    const lesson = await taughtBy([{ ...ours, thumbsDown: ['eve', 'grace'] }]);
    expect([lesson?.by, lesson?.words, lesson?.date]).toEqual(['grace', null, ours.date]);
  });

  it('is what the person says who runs the command', async () => {
    expect((await taughtBy([ours, { ...no, isSelf: true }]))?.by).toBe('grace');
  });

  it.each<[string, readonly Comment[], Partial<ReviewThread>]>([
    ['nothing when nobody answered', [ours], {}],
    ['nothing by being resolved: what was mended is resolved too', [ours], { isResolved: true, resolvedBy: 'grace' }],
    ['nothing by the no of somebody who may not write', [ours, { ...no, author: 'eve' }], {}],
    ['nothing by an answer that is no no', [ours, { ...no, body: 'How did you see that?' }], {}],
    ['nothing when it was taken back', [ours, no, { ...no, author: 'linus', body: 'Good catch, fixed.' }], {}],
    [
      'nothing when it was voted down and then agreed with',
      [
        { ...ours, thumbsDown: ['grace'] },
        { ...no, body: 'My mistake, fixed.' },
      ],
      {},
    ],
    ['nothing when somebody else opened the thread', [remark({ body, author: 'eve' }), no], {}],
    ['nothing when the place is another than its mark says', [ours, no], { originalLine: 99 }],
    ['nothing when there is no mark in it', [{ ...ours, body: 'Words.' }, no], {}],
    ['nothing when it is empty', [], {}],
  ])('is %s', async (_, comments, more) => {
    expect(await taughtBy(comments, more)).toBeNull();
  });
});
