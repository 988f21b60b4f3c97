import { afterEach, describe, expect, it, vi } from 'vitest';
import { gitHubPullRequestSource } from '../../../src/adapters/github/pull-request.ts';
import { reference, reply, type Script, type ScriptedGitHub, scriptedGitHub } from './scripted-github.ts';
import { head, mergeBase, pullAnswers } from './some-review.ts';

const date = '2026-11-02T10:00:00Z';
const nobody = { author: null, committer: null, verified: null };
const remark = {
  author: 'bob',
  body: 'Remark 0',
  date: '2026-11-02T11:00:00Z',
  id: 'C0',
  isMinimized: false,
  isSelf: false,
  restId: 500,
  thumbsDown: [],
  url: 'https://github.example/o/r/pull/5#c0',
  viewerCanMinimize: false,
};
const own = {
  ...remark,
  author: 'github-actions[bot]',
  body: 'Remark 1',
  id: 'C1',
  isSelf: true,
  restId: 501,
  url: 'https://github.example/o/r/pull/5#c1',
};
const thread = {
  comments: [remark],
  id: 'T0',
  isOutdated: false,
  isResolved: false,
  line: 10,
  originalLine: 10,
  originalStartLine: null,
  path: 'src/a.ts',
  resolvedBy: null,
  side: 'RIGHT',
  startLine: null,
  subject: 'line',
  viewerCanResolve: false,
};

describe('gitHubPullRequestSource', () => {
  let server: ScriptedGitHub | undefined;
  afterEach(() => server?.close());

  const sourceOver = async (script: Script) => {
    server = await scriptedGitHub(script);
    return gitHubPullRequestSource(server.github, reference);
  };
  const readWith = async (script: Script) => (await sourceOver(script)).read();

  it('reads an ordinary pull request in five requests', async () => {
    const pull = await readWith(
      pullAnswers({ pull: { commits: 2 }, commits: 2, comments: 2, threads: 3, threadComments: 1 }),
    );
    expect(server?.log).toHaveLength(5);
    expect(pull).toEqual({
      author: 'ada',
      base: { ref: 'main', sha: 'b'.repeat(40) },
      body: '',
      commitCount: 2,
      commits: [
        { date, author: 'ada', message: 'Step 0', sha: '0'.repeat(40), identity: { ...nobody, author: 'ada' } },
        { date, author: 'Ada', message: 'Step 1', sha: `${'0'.repeat(39)}1`, identity: nobody },
      ],
      conversation: [remark, own],
      discussionRead: true,
      draft: false,
      fromFork: false,
      head: { ref: 'door', sha: 'a'.repeat(40) },
      labels: ['feature'],
      linked: { checks: [], issues: [], otherIssues: 0 },
      mergeBase: 'c'.repeat(40),
      missing: [],
      number: 5,
      repository: 'o/r',
      reviews: [],
      serverUrl: 'https://github.example',
      state: 'open',
      threads: [
        thread,
        { ...thread, id: 'T1', isResolved: true, line: 11, originalLine: 11, resolvedBy: 'bob' },
        { ...thread, id: 'T2', isOutdated: true, line: null, originalLine: 12 },
      ],
      title: 'Add a door',
    });
  });

  it('names the commits while the conversation is still being read', async () => {
    const answers = pullAnswers({});
    server = await scriptedGitHub((asked, at) => (asked.path === '/graphql' ? 'hang' : answers(asked, at)));
    const { github } = server;
    const named = new Promise((onCommits) => {
      gitHubPullRequestSource(github, reference, { onCommits })
        .read()
        .catch(() => undefined);
    });
    expect(await named).toEqual({ base: 'b'.repeat(40), head, mergeBase });
  });

  it('does not name those of a fork, which may yet be refused', async () => {
    const fork = { head: { ref: 'door', sha: head, repo: { full_name: 'eve/r' } } };
    server = await scriptedGitHub(pullAnswers({ pull: fork }));
    const onCommits = vi.fn();
    const pull = await gitHubPullRequestSource(server.github, reference, { onCommits }).read();
    expect([pull.fromFork, onCommits.mock.calls]).toEqual([true, []]);
  });

  it('reads all pages of commits, comments, reviews, threads and of the comments in a thread', async () => {
    const parts = {
      pull: { commits: 250 },
      commits: 250,
      comments: 201,
      reviews: 201,
      threads: 201,
      threadComments: 230,
    };
    const pull = await readWith(pullAnswers(parts));
    expect([pull.commits.length, pull.conversation.length, pull.threads.length]).toEqual([250, 201, 201]);
    expect(pull.threads[0]?.comments.at(-1)?.body).toBe('Remark 229');
    expect(new Set(pull.threads[0]?.comments.map((comment) => comment.id)).size).toBe(230);
    expect(new Set(pull.reviews.map(({ restId }) => restId)).size).toBe(201);
    expect(pull.missing).toEqual([]);
    // 1 pull request, 1 merge base, 3 pages of commits, 1 first page of all that was said, 2 + 2 + 2 further ones, 2 more of the first thread, 1 of what is linked.
    expect(server?.log).toHaveLength(15);
  });

  it.each([
    ['another repository', { full_name: 'ada/r' }],
    ['a deleted fork', null],
  ])('knows that a head in %s is a fork', async (_name, repo) => {
    const pull = await readWith(pullAnswers({ pull: { head: { ref: 'door', sha: head, repo } } }));
    expect([pull.fromFork, pull.mergeBase]).toEqual([true, mergeBase]);
  });

  it.each([
    ['merged', { state: 'closed', merged: true }],
    ['closed', { state: 'closed', merged: false }],
    ['open', { state: 'open', merged: false }],
  ])('says that a pull request is %s', async (state, pull) => {
    expect((await readWith(pullAnswers({ pull }))).state).toBe(state);
  });

  it('names what GitHub does not let it read, and goes on', async () => {
    const answers = pullAnswers({ pull: { commits: 300 }, commits: 250 });
    const pull = await readWith((asked, server) => {
      if (asked.path !== '/graphql') return answers(asked, server);
      const errors = [{ type: 'FORBIDDEN', message: 'Resource not accessible by integration' }];
      return reply(200, { data: { repository: null }, errors });
    });
    expect(pull.missing).toEqual([
      'GitHub lists 250 of 300 commits: the other messages could not be read.',
      'The discussion (threads, comments and reviews) could not be read: Resource not accessible by integration.',
    ]);
    expect(pull.commits).toHaveLength(250);
  });

  it('names a part whose answer has another shape than was asked for', async () => {
    const answers = pullAnswers({});
    const pull = await readWith((asked, server) =>
      asked.path === '/graphql' ? reply(200, { data: { repository: {} } }) : answers(asked, server),
    );
    expect(pull.missing[0]).toMatch(
      /^The discussion \(threads, comments and reviews\) could not be read: GitHub's answer has an unexpected shape/,
    );
  });

  it('knows the head as it is now', async () => {
    const source = await sourceOver(pullAnswers({}));
    await expect(source.currentHead()).resolves.toBe(head);
  });
});
