import { describe, expect, it } from 'vitest';
import type { CommitIdentity, PullRequest } from '../../../src/core/pull-request/pull-request.ts';
import { reasonToSkip, strangersNote } from '../../../src/core/review/reason-to-skip.ts';
import { parseSettings } from '../../../src/core/settings/parse-settings.ts';
import { pullRequest } from '../../fakes/review-record.ts';

const { settings } = parseSettings([], null);
const bot: CommitIdentity = { author: 'dependabot[bot]', committer: 'web-flow', verified: true };

function pullOf(identities: readonly (CommitIdentity | null)[], changes: Partial<PullRequest> = {}): PullRequest {
  const commits = identities.map((identity, index) => ({
    sha: String(index).repeat(40),
    message: 'Bump it',
    author: 'dependabot[bot]',
    date: '',
    ...(identity === null ? {} : { identity }),
  }));
  return { ...pullRequest, author: 'dependabot[bot]', commits, commitCount: commits.length, ...changes };
}

function uncounted(count: number): PullRequest {
  const { commitCount: _, ...pull } = pullOf(Array.from({ length: count }, () => bot));
  return pull;
}

function isSkipped(pull: PullRequest, skipAuthors = settings.skipAuthors): boolean {
  const skipped = reasonToSkip(pull, { ...settings, skipAuthors }) !== null;
  expect(strangersNote(pull, { ...settings, skipAuthors })).toHaveLength(skipped ? 0 : 1);
  return skipped;
}

describe('a pull request of an author in `skip-authors`', () => {
  it.each<[string, boolean, PullRequest]>([
    ['whose commits are all theirs', true, pullOf([bot, bot])],
    ['who committed them itself', true, pullOf([{ ...bot, committer: 'dependabot[bot]' }])],
    ['on a server that says nothing of signatures', true, pullOf([{ ...bot, verified: null }])],
    ['with the commit of somebody else', false, pullOf([bot, { ...bot, author: 'eve', committer: 'eve' }])],
    ['with a commit that somebody else made in their name', false, pullOf([{ ...bot, committer: 'eve' }])],
    ["with a commit that carries a bot's address and no good signature", false, pullOf([{ ...bot, verified: false }])],
    ["with a commit that nobody's account made", false, pullOf([{ author: null, committer: null, verified: false }])],
    ['whose commits could not be read', false, pullOf([])],
    ['of whose commits GitHub lists a part', false, pullOf([bot], { commitCount: 251 })],
    ['of as many commits as GitHub lists, on a server that does not count them', false, uncounted(250)],
    ['of fewer commits, on a server that does not count them', true, uncounted(249)],
    ['whose commits do not say who made them', false, pullOf([null])],
  ])('%s is skipped: %s', (_, skipped, pull) => {
    expect(isSkipped(pull)).toBe(skipped);
  });

  it('is skipped without signatures when the author is a person', () => {
    const ada = { author: 'Ada', committer: 'ada', verified: false };
    expect(isSkipped(pullOf([ada], { author: 'ada' }), ['ADA'])).toBe(true);
  });
});
