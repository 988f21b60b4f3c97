import { describe, expect, it, vi } from 'vitest';
import { findPullRequest, gitHubPullRequestSource } from '../../../src/adapters/github/pull-request.ts';
import { explain } from '../../../src/core/errors.ts';
import { remark, thread } from '../../fakes/review-record.ts';
import { pageOf, reference, reply, type Script, scriptedGitHub } from './scripted-github.ts';
import { head, mergeBase, pullAnswers } from './some-review.ts';

const date = '2026-11-02T10:00:00Z';
const nobody = { author: null, committer: null, verified: null };
const said = (index: number, author: string) =>
  remark({
    author,
    body: `Remark ${index}`,
    date: '2026-11-02T11:00:00Z',
    id: `C${index}`,
    restId: 500 + index,
    url: `https://github.example/o/r/pull/5#c${index}`,
  });
const first = thread({ id: 'T0', path: 'src/a.ts', line: 10, originalLine: 10, comments: [said(0, 'bob')] });

const sourceOver = async (script: Script) => {
  const { github, log, requests } = await scriptedGitHub(script);
  return { ...gitHubPullRequestSource(github, reference), github, log, requests };
};
const readWith = async (script: Script) => (await sourceOver(script)).read();

describe('gitHubPullRequestSource', () => {
  it('reads an ordinary pull request in five requests', async () => {
    const parts = { pull: { commits: 2 }, commits: 2, comments: 2, threads: 3, threadComments: 1 };
    const { read, requests } = await sourceOver(pullAnswers(parts));
    const pull = await read();
    expect(requests).toHaveLength(5);
    expect(pull).toEqual({
      author: 'ada',
      base: { ref: 'main', sha: 'b'.repeat(40) },
      body: '',
      commitCount: 2,
      commits: [
        { date, author: 'ada', message: 'Step 0', sha: '0'.repeat(40), identity: { ...nobody, author: 'ada' } },
        { date, author: 'Ada', message: 'Step 1', sha: `${'0'.repeat(39)}1`, identity: nobody },
      ],
      conversation: [said(0, 'bob'), { ...said(1, 'github-actions[bot]'), isSelf: true }],
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
        first,
        { ...first, id: 'T1', isResolved: true, line: 11, originalLine: 11, resolvedBy: 'bob' },
        { ...first, id: 'T2', isOutdated: true, line: null, originalLine: 12 },
      ],
      title: 'Add a door',
    });
  });

  it('names the commits while the conversation is still being read', async () => {
    const answers = pullAnswers({});
    const { github } = await scriptedGitHub((asked, at) => (asked.path === '/graphql' ? 'hang' : answers(asked, at)));
    const named = new Promise((onCommits) => {
      gitHubPullRequestSource(github, reference, { onCommits })
        .read()
        .catch(() => undefined);
    });
    expect(await named).toEqual({ base: 'b'.repeat(40), head, mergeBase });
  });

  it('does not name those of a fork, which may yet be refused', async () => {
    const fork = { head: { ref: 'door', sha: head, repo: { full_name: 'eve/r' } } };
    const { github } = await scriptedGitHub(pullAnswers({ pull: fork }));
    const onCommits = vi.fn();
    const pull = await gitHubPullRequestSource(github, reference, { onCommits }).read();
    expect([pull.fromFork, onCommits.mock.calls]).toEqual([true, []]);
  });

  it('reads all pages of commits, comments, reviews, threads and of the comments in a thread', async () => {
    const many = { comments: 201, reviews: 201, threads: 201, threadComments: 230 };
    const { read, requests } = await sourceOver(pullAnswers({ pull: { commits: 250 }, commits: 250, ...many }));
    const pull = await read();
    expect([pull.commits.length, pull.conversation.length, pull.threads.length]).toEqual([250, 201, 201]);
    expect(pull.threads[0]?.comments.at(-1)?.body).toBe('Remark 229');
    expect(new Set(pull.threads[0]?.comments.map((comment) => comment.id)).size).toBe(230);
    expect(new Set(pull.reviews.map(({ restId }) => restId)).size).toBe(201);
    expect(pull.missing).toEqual([]);
    // 1 pull request, 1 merge base, 3 pages of commits, 1 first page of all that was said, 2 + 2 + 2 further ones, 2 more of the first thread, 1 of what is linked.
    expect(requests).toHaveLength(15);
  });

  it.each([
    ['from another repository', { head: { ref: 'door', sha: head, repo: { full_name: 'ada/r' } } }, { fromFork: true }],
    ['from a deleted fork', { head: { ref: 'door', sha: head, repo: null } }, { fromFork: true, mergeBase }],
    ['merged', { state: 'closed', merged: true }, { state: 'merged' }],
    ['closed', { state: 'closed', merged: false }, { state: 'closed' }],
  ])('says that a pull request is %s', async (_name, pull, expected) => {
    expect(await readWith(pullAnswers({ pull }))).toMatchObject(expected);
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

describe('a pull request that may not be read', () => {
  const permissions = { 'x-accepted-github-permissions': 'pull_requests=read; issues=read,contents=read' };
  const limit = { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '4070908800' };

  it.each([
    [
      401,
      {},
      'Bad credentials',
      'GitHub does not accept the token for pull request #5 in o/r. Bad credentials. Check `github-token`: it is wrong or has expired.',
    ],
    [
      403,
      permissions,
      'Resource not accessible by integration',
      'The token may not read pull request #5 in o/r. Resource not accessible by integration. Grant `pull-requests: read` or `issues: read` and `contents: read`.',
    ],
    [
      403,
      limit,
      'API rate limit exceeded',
      "GitHub's rate limit was reached for pull request #5 in o/r. API rate limit exceeded. Run it again after 2099-01-01T00:00:00.000Z.",
    ],
    [
      404,
      {},
      'Not Found',
      'There is no pull request #5 in o/r, or the token may not see it. Not Found. Check the repository and the number, and grant `pull-requests: read`.',
    ],
    [
      451,
      {},
      'Blocked',
      'GitHub answered 451 for pull request #5 in o/r. Blocked. Run it again later; https://www.githubstatus.com shows whether GitHub has an outage.',
    ],
  ])('explains %i with headers %o', async (status, headers, message, expected) => {
    const reading = readWith(() => reply(status, { message }, headers));
    await expect(reading.catch(explain)).resolves.toBe(expected);
    await expect(reading).rejects.toMatchObject({ name: 'UserError', cause: { status } });
  });

  it('keeps the page that a proxy answers with out of the explanation', async () => {
    const page = { status: 451, headers: { 'content-type': 'text/html' }, body: '<html>Blocked by the proxy</html>' };
    await expect(readWith(() => page).catch(explain)).resolves.toMatch(/^GitHub answered 451 for .*\. HTTP 451\. Run/);
  });

  it('explains that the merge base needs the contents', async () => {
    const answers = pullAnswers({});
    const reading = readWith((asked, server) =>
      asked.path.includes('/compare/') ? reply(403, { message: 'Not accessible' }) : answers(asked, server),
    );
    await expect(reading).rejects.toMatchObject({ name: 'UserError', hint: 'Grant `contents: read`.' });
  });
});

describe('findPullRequest', () => {
  const sha = 'a'.repeat(40);
  const ours = (number: number, more: object = {}) => ({
    number,
    state: 'open',
    head: { sha, repo: { full_name: 'ada/r' } },
    ...more,
  });
  const run = { headSha: sha, headBranch: 'door', headRepository: 'ada/r' };
  type Lists = { readonly ofBranch?: readonly object[]; readonly ofCommit?: readonly object[] };
  const findIn = async (lists: Lists, headRepository: string | null = 'ada/r') => {
    const { github, log } = await scriptedGitHub((asked, { url }) => {
      const branch = asked.query['state'] === 'open' && asked.query['head'] === 'ada:door';
      if (asked.path === '/repos/o/r/pulls' && branch) return pageOf(lists.ofBranch ?? [], { asked, url });
      if (asked.path === `/repos/o/r/commits/${sha}/pulls`) return pageOf(lists.ofCommit ?? [], { asked, url });
      return undefined;
    });
    return { ...(await findPullRequest(github, { owner: 'o', repository: 'r' }, { ...run, headRepository })), log };
  };

  it('finds it by the branch of the fork', async () => {
    expect(await findIn({ ofBranch: [ours(7)] })).toMatchObject({ found: true, number: 7, others: [] });
  });

  it('takes the first of several with the same head, and names the others', async () => {
    expect(await findIn({ ofBranch: [ours(9), ours(7)] })).toMatchObject({ found: true, number: 7, others: [9] });
  });

  it('finds it by the commit alone when the fork was deleted', async () => {
    const orphan = ours(7, { head: { sha, repo: null } });
    const log = [`GET /repos/o/r/commits/${sha}/pulls`];
    expect(await findIn({ ofCommit: [orphan] }, null)).toEqual({ found: true, number: 7, others: [], log });
  });

  const moved = ours(7, { head: { sha: 'b'.repeat(40), repo: { full_name: 'ada/r' } } });
  const movedOn = 'Pull request #7 has moved on from aaaaaaaaaaaa to bbbbbbbbbbbb.';
  const none = 'No pull request has aaaaaaaaaaaa as its head.';

  it.each<[string, Lists, string]>([
    [
      'another fork has the same commit',
      { ofCommit: [ours(7, { head: { sha, repo: { full_name: 'eve/r' } } })] },
      none,
    ],
    ['the commit is its head no more', { ofCommit: [moved] }, movedOn],
    ['the branch has moved on', { ofBranch: [moved] }, movedOn],
    [
      'it is closed',
      { ofCommit: [ours(7, { state: 'closed' })] },
      'Pull request #7, which has aaaaaaaaaaaa, is closed.',
    ],
    ['there is none', {}, none],
  ])('finds none when %s, and says so', async (_name, lists, reason) => {
    expect(await findIn(lists)).toMatchObject({ found: false, reason });
  });

  it('explains which permission is missing', async () => {
    const { github } = await scriptedGitHub(() => reply(403, { message: 'Resource not accessible by integration' }));
    const finding = findPullRequest(github, { owner: 'o', repository: 'r' }, run);
    await expect(finding).rejects.toMatchObject({ name: 'UserError', hint: 'Grant `pull-requests: read`.' });
  });
});
