import { describe, expect, it, vi } from 'vitest';
import { gitHubPullRequestSource } from '../../../src/adapters/github/pull-request.ts';
import { explain } from '../../../src/core/errors.ts';
import { inEnglish } from '../../../src/core/messages/languages.ts';
import type { GitHubWorld, WorldPullRequest } from '../../fakes/github-server/world.ts';
import { remark, thread } from '../../fakes/review-record.ts';
import { createWorld } from '../../fakes/world/create-world.ts';
import { reference, reply, type Script, scriptedGitHub, strictGitHub } from './scripted-github.ts';

/** A pull request of so many commits, of which GitHub knows the author of the first. */
const worldOf = (commits: number) =>
  createWorld({
    base: { 'src/a.ts': 'one\n' },
    head: Array.from({ length: commits }, (_, index) => ({ 'src/a.ts': `${index}\n` })),
    authors: ['Ada <ada@users.noreply.github.com>'],
    pullRequest: { labels: ['feature'], commits },
  });
const world = worldOf(2);
const { base, head, mergeBase } = world.commits;

type Options = Parameters<typeof gitHubPullRequestSource>[2];

async function sourceOver(pull: Partial<WorldPullRequest> = {}, more: Partial<GitHubWorld & Options> = {}) {
  const pullRequests = [{ ...world.pull, ...pull }];
  const { github, reference, fake } = await strictGitHub({ ...world.github, ...more, pullRequests });
  return { ...gitHubPullRequestSource(github, reference, more), fake };
}

const bob = (body: string) => ({ author: 'bob', body });
const date = '2026-11-02T10:00:00Z';
const page = 'https://github.example/octo/spoon/pull/7';
const asking = { method: 'POST', path: /graphql$/ };
const forbidden = 'Resource not accessible by integration';
const overRest = { method: 'GET', path: /\/(?:issues|pulls)\/7\/(?:comments|reviews)$/ };

describe('gitHubPullRequestSource', () => {
  it('reads an ordinary pull request in five requests', async () => {
    const said = { path: 'src/a.ts', line: 1 };
    const threads = [
      { ...said, comments: [bob('One.')] },
      { ...said, comments: [bob('Two.')], resolved: true, resolvedBy: 'bob' },
      { ...said, comments: [bob('Three.')], outdated: true },
    ];
    const conversation = [bob('Hm.'), { author: 'github-actions[bot]', body: 'Read.' }];
    const { read, fake } = await sourceOver({ threads, conversation });
    const pull = await read();
    expect(fake.requests).toHaveLength(5);
    const remarkOf = (restId: number, body: string) => {
      const place = { id: `PRRC_${restId}`, restId, url: `${page}#discussion_r${restId}` };
      return remark({ author: 'bob', body, date, thumbsDownDates: [], ...place, viewerCanMinimize: true });
    };
    const first = thread({ id: 'PRRT_1003', ...said, originalLine: 1, comments: [remarkOf(1004, 'One.')] });
    const below = (restId: number) => ({ id: `IC_${restId}`, restId, url: `${page}#issuecomment-${restId}` });
    expect(pull).toEqual({
      author: 'ada',
      base: { ref: 'main', sha: base },
      body: 'Because it should.',
      commitCount: 2,
      commits: [
        {
          author: 'ada',
          date: '2026-01-01T12:02:00+00:00',
          message: 'Change the files, step 1',
          sha: world.remote.git('rev-parse', `${head}^`),
          identity: { author: 'ada', committer: 'ada', verified: false },
        },
        {
          author: 'Ada Lovelace',
          date: '2026-01-01T12:03:00+00:00',
          message: 'Change the files, step 2',
          sha: head,
          identity: { author: null, committer: null, verified: false },
        },
      ],
      conversation: [
        { ...remarkOf(1001, 'Hm.'), ...below(1001) },
        { ...remarkOf(1002, 'Read.'), ...below(1002), author: 'github-actions[bot]', isSelf: true },
      ],
      discussionRead: true,
      draft: false,
      fromFork: false,
      head: { ref: 'feature', sha: head },
      labels: ['feature'],
      linked: { checks: [], issues: [], otherIssues: 0 },
      mergeBase,
      missing: [],
      number: 7,
      repository: 'octo/spoon',
      reviews: [],
      serverUrl: fake.serverUrl,
      state: 'open',
      threads: [
        first,
        { ...first, id: 'PRRT_1005', isResolved: true, resolvedBy: 'bob', comments: [remarkOf(1006, 'Two.')] },
        { ...first, id: 'PRRT_1007', isOutdated: true, line: null, comments: [remarkOf(1008, 'Three.')] },
      ],
      title: 'Change how it works',
    });
  });

  it('names the commits while the conversation is still being read', async () => {
    const named = new Promise((onCommits) => {
      sourceOver({}, { onCommits, faults: [{ match: asking, times: 9, before: 'hang' }] })
        .then(({ read }) => read())
        .catch(() => undefined);
    });
    expect(await named).toEqual({ base, head, mergeBase });
  });

  it('does not name those of a fork, which may yet be refused', async () => {
    const onCommits = vi.fn();
    const { read } = await sourceOver({ head: { ...world.pull.head, repository: 'eve/spoon' } }, { onCommits });
    expect([(await read()).fromFork, onCommits.mock.calls]).toEqual([true, []]);
  });

  it('reads all pages of commits, comments, reviews, threads and of the comments in a thread', async () => {
    const many = (count: number) => Array.from({ length: count }, (_, index) => bob(`Remark ${index}`));
    const threads = many(201).map((comment) => ({ path: 'src/a.ts', line: 1, comments: [comment] }));
    const first = { path: 'src/a.ts', line: 1, comments: many(230) };
    const { pull: given, github } = worldOf(250);
    const said = { conversation: many(201), threads: threads.with(0, first) };
    const { read, fake } = await sourceOver({ ...given, ...said }, github);
    const review = { author: 'bob', body: '', state: 'COMMENTED', commit: head, createdAt: date } as const;
    fake.reviews().push(...many(201).map((_, id) => ({ id, ...review })));
    const pull = await read();
    expect([pull.commits.length, pull.conversation.length, pull.threads.length]).toEqual([250, 201, 201]);
    expect(pull.threads[0]?.comments.at(-1)?.body).toBe('Remark 229');
    expect(new Set(pull.threads[0]?.comments.map((comment) => comment.id)).size).toBe(230);
    expect(new Set(pull.reviews.map(({ restId }) => restId)).size).toBe(201);
    expect(pull.missing).toEqual([]);
    // 1 pull request, 1 merge base, 3 pages of commits, 1 first page of all that was said, 2 + 2 + 2 further ones, 2 more of the first thread, 1 of what is linked.
    expect(fake.requests).toHaveLength(15);
  });

  it('takes what GitHub sends as null for what is not there', async () => {
    const sent = {
      ...{ number: 7, title: null, body: null, user: null, state: 'open', merged: null, draft: null, commits: null },
      labels: [{ name: 'kept' }, { name: null }, null],
      base: { ref: 'main', sha: base, repo: null },
      head: { ref: null, sha: head, repo: { full_name: 'octo/spoon' } },
    };
    const match = { method: 'GET', path: /\/pulls\/7$/ };
    const { read } = await sourceOver({}, { faults: [{ match, times: 9, before: reply(200, sent) }] });
    expect(await read()).toMatchObject({
      ...{ title: '', body: '', author: 'ghost', state: 'open', draft: false, labels: ['kept'], fromFork: false },
      ...{ base: { ref: 'main', sha: base }, head: { ref: head, sha: head }, missing: [] },
    });
  });

  it('names commits that GitHub counts and does not list', async () => {
    const match = { method: 'GET', path: /\/pulls\/7\/commits$/ };
    const { read } = await sourceOver({}, { faults: [{ match, times: 9, before: reply(200, []) }] });
    expect((await read()).missing.map(inEnglish)).toEqual([
      'GitHub lists 0 of 2 commits: the other messages could not be read.',
    ]);
  });

  const layer = { ...world.pull, number: 6, title: 'Below', head: { ...world.pull.head, ref: 'layer-1' } };
  const onLayer = { base: { ref: 'layer-1', sha: mergeBase } };
  const declaring = (declared: object) => ({ ...onLayer, stack: { position: 2, size: 2, base: declared } });
  const below = [{ number: 6, title: 'Below' }];
  it.each<[string, Partial<WorldPullRequest>, readonly WorldPullRequest[], object | undefined, number]>([
    ['a release branch', { base: { ref: 'release', sha: base } }, [layer], undefined, 6],
    ['the branch of another', onLayer, [layer], { base: { ref: 'main', sha: base }, below }, 7],
    ['the branch of a closed one', onLayer, [{ ...layer, state: 'closed' }], undefined, 6],
    [
      'a branch of the name that a fork has',
      onLayer,
      [{ ...layer, head: { ...layer.head, repository: 'octo/fork' } }],
      undefined,
      6,
    ],
    [
      'a stack of GitHub',
      declaring({ ref: 'main', sha: head }),
      [layer],
      { base: { ref: 'main', sha: head }, below },
      6,
    ],
    [
      'a stack in another shape',
      declaring({ branch: 'evil' }),
      [layer],
      { base: { ref: 'main', sha: base }, below },
      7,
    ],
    ['a stack whose base is no commit', declaring({ ref: 'main', sha: '--upload-pack=x' }), [], undefined, 6],
  ])('says what it stands on: %s', async (_name, pull, others, expected, requests) => {
    const onCommits = vi.fn();
    const { github, reference, fake } = await strictGitHub({
      ...world.github,
      pullRequests: [{ ...world.pull, ...pull }, ...others],
    });
    const { stack, mergeBase } = await gitHubPullRequestSource(github, reference, { onCommits }).read();
    expect([stack, fake.requests.length]).toEqual([expected, requests]);
    const settings = stack?.base.sha ?? pull.base?.sha;
    expect(onCommits.mock.calls).toEqual([[{ base: settings, head, mergeBase }]]);
  });

  it.each([403, 502] as const)('stops when GitHub answers %d to what it stands on', async (status) => {
    const match = { method: 'GET', path: /\/pulls$/ };
    const { read } = await sourceOver(onLayer, { faults: [{ match, times: 9, before: `status ${status}` }] });
    const reading = expect(read()).rejects;
    await reading.toMatchObject({
      name: 'UserError',
      message: expect.stringContaining('list of open pull requests from layer-1'),
    });
  });

  it.each<[string, Partial<WorldPullRequest>, object]>([
    ['from another repository', { head: { ...world.pull.head, repository: 'ada/spoon' } }, { fromFork: true }],
    ['from a deleted fork', { head: { ...world.pull.head, repository: null } }, { fromFork: true, mergeBase }],
    ['merged', { state: 'merged' }, { state: 'merged' }],
    ['closed', { state: 'closed' }, { state: 'closed' }],
  ])('says that a pull request is %s', async (_name, pull, expected) => {
    expect(await (await sourceOver(pull)).read()).toMatchObject(expected);
  });

  it('names what GitHub does not let it read, and goes on', async () => {
    const before = reply(200, { data: { repository: null }, errors: [{ type: 'FORBIDDEN', message: forbidden }] });
    const faults = [asking, overRest].map((match) => ({ match, times: 99, before }));
    const { read } = await sourceOver({ commits: 300 }, { faults });
    const pull = await read();
    expect(pull.missing.map(inEnglish)).toEqual([
      'GitHub lists 2 of 300 commits: the other messages could not be read.',
      `The discussion (threads, comments and reviews) could not be read: ${forbidden}.`,
    ]);
    expect(pull.commits).toHaveLength(2);
  });

  it('names a part whose answer has another shape than was asked for', async () => {
    const faults = [
      { match: asking, times: 9, before: reply(200, { data: { repository: {} } }) },
      { match: overRest, times: 9, before: 'status 404' } as const,
    ];
    const { read } = await sourceOver({}, { faults });
    expect((await read()).missing.map(inEnglish)[0]).toMatch(
      /^The discussion \(threads, comments and reviews\) could not be read: GitHub's answer has an unexpected shape/,
    );
  });

  it('knows the head as it is now', async () => {
    await expect((await sourceOver()).currentHead()).resolves.toBe(head);
  });
});

describe('a pull request that may not be read', () => {
  const readWith = async (script: Script) => {
    const { github } = await scriptedGitHub(script);
    return await gitHubPullRequestSource(github, reference).read();
  };
  const permissions = { 'x-accepted-github-permissions': 'pull_requests=read; issues=read,contents=read' };
  const limit = { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '4070908800' };

  const subject = 'pull request #5 in o/r';
  const later = 'Run it again later; https://www.githubstatus.com shows whether GitHub has an outage.';
  const grants = 'Grant `pull-requests: read` or `issues: read` and `contents: read`.';
  const check = 'Check the repository and the number, and grant `pull-requests: read`.';
  const wrong = 'Check `github-token`, on the command line GITHUB_TOKEN: it is wrong or has expired.';
  const again = 'Run it again after 2099-01-01T00:00:00.000Z.';

  it.each([
    [401, {}, 'Bad credentials', `GitHub does not accept the token for ${subject}`, wrong],
    [403, permissions, 'Resource not accessible', `The token may not read ${subject}`, grants],
    [403, limit, 'API rate limit exceeded', `GitHub's rate limit was reached for ${subject}`, again],
    [404, {}, 'Not Found', `There is no ${subject}, or the token may not see it`, check],
    [451, {}, 'Blocked', `GitHub answered 451 for ${subject}`, later],
  ])('explains %i with headers %o', async (status, headers, message, what, hint) => {
    const reading = readWith(() => reply(status, { message }, headers));
    await expect(reading.catch(explain)).resolves.toBe(`${what}. ${message}. ${hint}`);
    await expect(reading).rejects.toMatchObject({ name: 'UserError', cause: { status } });
  });

  it('keeps the page that a proxy answers with out of the explanation', async () => {
    const page = { status: 451, headers: { 'content-type': 'text/html' }, body: '<html>Blocked by the proxy</html>' };
    await expect(readWith(() => page).catch(explain)).resolves.toMatch(/^GitHub answered 451 for .*\. HTTP 451\. Run/);
  });

  it('explains that the merge base needs the contents', async () => {
    const before = reply(403, { message: 'Not accessible' });
    const faults = [{ match: { method: 'GET', path: /\/compare\// }, times: 1, before }];
    const reading = (await sourceOver({}, { faults })).read();
    await expect(reading).rejects.toMatchObject({ name: 'UserError', hint: 'Grant `contents: read`.' });
  });
});
