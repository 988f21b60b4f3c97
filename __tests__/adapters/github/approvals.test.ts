import { describe, expect, it } from 'vitest';
import { type ApprovalOptions, keptApproval } from '../../../src/adapters/github/approval-recorder.ts';
import { lastWordsLimits } from '../../../src/adapters/github/attempts.ts';
import { createGitHub } from '../../../src/adapters/github/client.ts';
import { readReviews } from '../../../src/adapters/github/discussion.ts';
import { readPresentState } from '../../../src/adapters/github/pull-request.ts';
import { writeMark } from '../../../src/core/history/mark.ts';
import { inEnglish } from '../../../src/core/messages/languages.ts';
import { verbatim } from '../../../src/core/messages/message.ts';
import type { PullRequest } from '../../../src/core/pull-request/pull-request.ts';
import { whyNotApprove } from '../../../src/core/review/approval.ts';
import type { Review } from '../../../src/core/review/review.ts';
import { systemClock } from '../../../src/run/machine.ts';
import { readOnly } from '../../fakes/github-server/world.ts';
import { printed } from '../../fakes/printed.ts';
import { recordOf, pullRequest as somePull } from '../../fakes/review-record.ts';
import { head, smallWorld, strictGitHub } from './scripted-github.ts';

const pullRequest: PullRequest = {
  ...somePull,
  head: { ref: 'feature', sha: head },
  base: { ref: 'main', sha: smallWorld.commits.base },
};
const skipped: Partial<Review> = {
  pullRequest,
  outcome: 'skipped',
  stop: { reason: 'skipped', why: verbatim('A draft.') },
};

/** A pull request that run 10 approved, and the keeper of run 11. */
async function approved(changes: Partial<ApprovalOptions> = {}, world: Parameters<typeof strictGitHub>[0] = {}) {
  const strict = await strictGitHub({ viewer: 'postil-app[bot]', ...world });
  const { fake, github, reference } = strict;
  const { apiUrl, graphqlUrl } = fake;
  const { token, viewer: author } = fake.world;
  const mark = writeMark({
    ...{ kind: 'review', name: 'Review', run: '10-1', state: 1, commit: head, settings: '' },
    event: 'APPROVE',
  });
  fake.reviews().push({ id: 1, author, state: 'APPROVED', body: mark, commit: head, createdAt: '' });
  const look = () => readReviews(github, reference);
  const told = { userAgent: 'test', onWait: () => undefined, clock: systemClock, pace: 'none' } as const;
  const lastWords = () => createGitHub({ token, apiUrl, graphqlUrl, limits: lastWordsLimits(Date.now()), ...told });
  const keeper = keptApproval(
    { github, lastWords, reference },
    {
      t: inEnglish,
      name: 'Review',
      run: '11-1',
      known: await look(),
      mayApprove: true,
      look,
      whyNotApprove: async () => whyNotApprove(pullRequest, await readPresentState(github, reference)),
      ...changes,
    },
  );
  const settle = (review: Partial<Review>) => keeper.deliver(recordOf({ pullRequest, ...review }));
  return { ...strict, settle, states: () => fake.reviews().map(({ state }) => state) };
}

describe('an approval that an earlier run gave', () => {
  it.each<[string, Partial<Review>, Partial<ApprovalOptions>?]>([
    ['was skipped', skipped],
    ['failed', { outcome: 'failed', stop: { reason: 'failed', message: 'No.', hint: '' } }],
    ['failed before it read the pull request', { pullRequest: null, outcome: 'failed' }],
    ['could not read the reviews when it began', { pullRequest: null, outcome: 'failed' }, { known: null, name: null }],
    ['met a limit', { outcome: 'partial' }],
    ['found something', { outcome: 'findings' }],
    ['is clean without an approval', {}],
    ['may no longer approve, as the workflow says', { event: 'APPROVE' }, { mayApprove: false }],
  ])('is dismissed by a later run that %s', async (_, review, changes) => {
    const { settle, states } = await approved(changes);
    const delivery = await settle(review);
    expect([delivery.status, states()]).toEqual(['delivered', ['DISMISSED']]);
  });

  it('is dismissed with the last words of a cancelled run', async () => {
    const { settle, states } = await approved({}, { signal: AbortSignal.abort() });
    await settle({ outcome: 'partial', stop: { reason: 'cancelled' } });
    expect(states()).toEqual(['DISMISSED']);
  });

  it('stays when this run approves the same head', async () => {
    const { settle, states, fake } = await approved();
    const before = fake.writes().length;
    const delivery = await settle({ event: 'APPROVE' });
    expect([delivery.status, states(), fake.writes().length - before]).toEqual(['skipped', ['APPROVED'], 0]);
  });

  it('is dismissed when the pull request was closed after it was approved', async () => {
    const { settle, states, fake } = await approved();
    fake.people.change({ state: 'closed' });
    const delivery = await settle({ event: 'APPROVE' });
    expect([printed(delivery).reason, states()]).toEqual([
      'An earlier approval was dismissed: The pull request is now closed.',
      ['DISMISSED'],
    ]);
  });

  it('stays when a later run gave it', async () => {
    const { settle, states } = await approved({ run: '9-1' });
    await settle(skipped);
    expect(states()).toEqual(['APPROVED']);
  });
});

describe('an approval that cannot be dismissed', () => {
  const refused = { match: { method: 'PUT', path: /dismissals$/ }, times: 1, before: 'status 403' } as const;

  it('is reported, with what to do', async () => {
    const { settle } = await approved({}, { faults: [refused] });
    const { status, reason } = printed(await settle(skipped));
    expect([status, reason]).toEqual([
      'refused',
      expect.stringMatching(/^An earlier approval could not be dismissed: .+ Dismiss \S+ yourself, and grant/),
    ]);
  });

  it('is not sought where Postil does not approve and none stood', async () => {
    const { settle, fake } = await approved({ known: [], mayApprove: false }, { permissions: readOnly });
    const before = fake.requests.length;
    expect([(await settle(skipped)).status, fake.requests.length - before]).toEqual(['skipped', 0]);
  });

  it('fails where it cannot be learned whether one stands', async () => {
    const look = () => Promise.reject(new Error('no answer'));
    const asked = async (mayApprove: boolean) =>
      (await (await approved({ known: null, look, mayApprove })).settle(skipped)).status;
    expect([await asked(true), await asked(false)]).toEqual(['failed', 'skipped']);
  });
});
