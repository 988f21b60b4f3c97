import { afterEach, describe, expect, it } from 'vitest';
import { apiRepository } from '../../../src/adapters/github/api-repository.ts';
import { createGitHub } from '../../../src/adapters/github/client.ts';
import { gitHubPullRequestSource } from '../../../src/adapters/github/pull-request-source.ts';
import { reviewSink } from '../../../src/adapters/github/review-sink.ts';
import { systemClock } from '../../../src/compose.ts';
import { type FakeGitHub, startGitHub } from '../../fakes/github-server/start-github.ts';
import { type GitHubWorld, readOnly } from '../../fakes/github-server/world.ts';
import { createWorld } from '../../fakes/world/create-world.ts';
import { someComment, somePost, someReview } from './some-review.ts';

const lines = Array.from({ length: 40 }, (_, index) => `line ${index + 1}`);
const world = createWorld({
  base: { 'src/lines.txt': `${lines.join('\n')}\n`, 'other.txt': 'other\n' },
  head: { 'src/lines.txt': `${lines.with(4, 'line 5 changed').join('\n')}\n` },
});

describe('the adapter against a strict GitHub', () => {
  let fake: FakeGitHub | undefined;
  afterEach(() => fake?.close());

  const open = async (more: Partial<GitHubWorld> = {}) => {
    fake = await startGitHub({ ...world.github, ...more });
    const { owner, repository, token } = fake.world;
    const { apiUrl, graphqlUrl, serverUrl } = fake;
    const told = { userAgent: 'postil-test', onWait: () => undefined, clock: systemClock };
    const github = createGitHub({ token, apiUrl, graphqlUrl, pace: 'none', ...told });
    const number = fake.world.pullRequests[0]?.number ?? 0;
    const reference = { owner, repository, number, serverUrl };
    return { fake, github, reference, source: gitHubPullRequestSource(github, reference) };
  };

  it('reads a pull request, its changes and its files', async () => {
    const { github, reference, source } = await open();
    const pullRequest = await source.read();
    const changes = await source.changes(pullRequest);
    const { base, head, mergeBase } = pullRequest;
    const commits = { base: base.sha, head: head.sha, mergeBase };
    const files = apiRepository(github, { ...reference, commits });
    expect(pullRequest.missing).toEqual([]);
    expect(changes).toMatchObject({ missing: [], files: [{ path: 'src/lines.txt', additions: 1, deletions: 1 }] });
    expect((await files.listFiles('head')).map(({ path }) => path)).toEqual(['other.txt', 'src/lines.txt']);
    const [before, after] = await Promise.all([
      files.readFile('src/lines.txt', 'merge-base'),
      files.readFile('src/lines.txt', 'head'),
    ]);
    expect(before).toMatchObject({ text: expect.stringContaining('\nline 5\n') });
    expect(after).toMatchObject({ text: expect.stringContaining('\nline 5 changed\n') });
  });

  const post = somePost([], {
    comments: [
      someComment({ findingIds: ['f1'], path: 'src/lines.txt', startLine: 4, line: 5, body: 'Good' }),
      someComment({ findingIds: ['f2'], path: 'src/lines.txt', line: 30, body: 'Off the diff' }),
      someComment({ findingIds: ['f3'], path: 'other.txt', line: 1, body: 'Off the files' }),
    ],
  });

  const usual = {
    whyNotApprove: async () => null,
    identity: { name: 'Review', run: '1-1', settings: '0123456789abcdef' },
    signs: false,
    render: () => post,
    look: async () => ({ threads: [], conversation: [], reviews: [] }),
    blocking: () => false,
  };

  it('places what can be placed, and says what cannot', async () => {
    const { fake, github, reference, source } = await open();
    const commit = (await source.currentHead()) ?? '';
    const sink = reviewSink({ ...usual, github, reference, commit, currentHead: source.currentHead });
    const delivery = await sink.deliver(someReview());
    expect(delivery.delivered.map(({ findingId, place }) => [findingId, place])).toEqual([
      ['f1', 'inline'],
      ['f2', 'file'],
    ]);
    expect(delivery.reason).toContain('other.txt:1 (Unprocessable Entity: Pull request review thread path is invalid');
    expect(fake.comments().map(({ startLine, line, body }) => [startLine, line, body])).toEqual([
      [4, 5, 'Good'],
      [null, null, 'Line 30:\n\nOff the diff'],
    ]);
    expect(fake.reviews()).toHaveLength(1);
  });

  it('is refused with a read-only token, and changes nothing', async () => {
    const { fake, github, reference, source } = await open({ permissions: readOnly });
    const commit = 'a'.repeat(40);
    const sink = reviewSink({ ...usual, github, reference, commit, currentHead: source.currentHead });
    const delivery = await sink.deliver(someReview());
    expect(delivery.status).toBe('refused');
    expect(fake.writes().map(({ status }) => status)).toEqual([403]);
  });
});
