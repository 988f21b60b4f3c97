import { describe, expect, it } from 'vitest';
import { refusalsOf } from '../../../src/core/memory/refusals.ts';
import type { ReviewThread } from '../../../src/core/pull-request/pull-request.ts';
import { ownRemark, remark, thread } from '../../fakes/discussion.ts';

const canWrite = async (login: string) => login === 'grace' || login === 'linus';
const first = ownRemark('The last price is read past the end.');
const no = (author: string) => remark({ author, body: 'False positive.' });
const yes = (author: string) => remark({ author, body: 'Good catch, fixed.' });

async function said(changes: Partial<ReviewThread>): Promise<readonly string[]> {
  const refusals = await refusalsOf(thread({ comments: [first], ...changes }), canWrite);
  return refusals.map((one) => `${one.how} by ${one.by}${one.canWrite ? '' : ', who may not'}`);
}

describe('who refuses a finding', () => {
  it.each<[string, Partial<ReviewThread>, readonly string[]]>([
    ['nobody, in an open thread', {}, []],
    ['who resolves the thread', { isResolved: true, resolvedBy: 'grace' }, ['resolved by grace']],
    ['nobody, when we resolved it', { isResolved: true, resolvedBy: first.author }, []],
    ['nobody, when another bot did', { isResolved: true, resolvedBy: 'stale[bot]' }, []],
    ['with little weight its author', { isResolved: true, resolvedBy: 'ada' }, ['resolved by ada, who may not']],
    [
      'who votes it down',
      { comments: [{ ...first, thumbsDown: ['eve', 'linus'] }] },
      ['thumbs-down by eve, who may not', 'thumbs-down by linus'],
    ],
    ['who says no', { comments: [first, no('grace')] }, ['reply by grace']],
    ['not who changed their mind', { comments: [first, no('grace'), yes('grace')] }, []],
    ['not who changed it back', { comments: [first, yes('grace'), no('grace')] }, ['reply by grace']],
    [
      'not whom somebody who may write contradicts',
      { comments: [first, no('grace'), yes('linus')] },
      ['reply by grace, who may not'],
    ],
    [
      'who resolves it, whatever was answered',
      { isResolved: true, resolvedBy: 'grace', comments: [first, yes('linus')] },
      ['resolved by grace'],
    ],
    ['not we ourselves', { comments: [first, ownRemark('False positive.')] }, []],
  ])('%s', async (_, changes, expected) => {
    expect(await said(changes)).toEqual(expected);
  });
});
