import { expect, it } from 'vitest';
import type { StickyMark } from '../../../src/core/memory/mark.ts';
import type { Past } from '../../../src/core/memory/memory.ts';
import { recall } from '../../../src/core/memory/recall.ts';
import { withSignatures } from '../../../src/core/memory/signed-marks.ts';
import { keys, ownRemark, signedMark } from '../../fakes/discussion.ts';
import { pullRequest } from '../../fakes/review-record.ts';

const identity = { name: 'Review', run: '2-1', settings: '0123456789abcdef' };
const sticky: StickyMark = {
  kind: 'sticky',
  ...identity,
  run: '1-1',
  head: 'e'.repeat(40),
  mergeBase: pullRequest.mergeBase,
  unreviewed: [],
  others: [],
};
const past: Past = {
  canWrite: async () => true,
  relationOf: async () => 'ancestor',
  changesBetween: async () => [],
};

it.each([
  ['goes on where the last run ended', true, 'incremental'],
  ['is full while a part of what that run said cannot be read', false, 'full'],
])('a review %s', async (_, discussionRead, expected) => {
  const conversation = [ownRemark(`Reviewed.\n\n${signedMark(sticky, { in: 'summary', comment: 1 })}`)];
  const read = withSignatures({ ...pullRequest, conversation, discussionRead }, keys);
  const { scope } = await recall({ pullRequest: read, identity, incremental: true, heedsUnsigned: true, past });
  expect(scope.kind).toBe(expected);
});
