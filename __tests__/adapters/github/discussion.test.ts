import { afterEach, describe, expect, it } from 'vitest';
import { createGitHub } from '../../../src/adapters/github/client.ts';
import { readDiscussion, readKnownDiscussion } from '../../../src/adapters/github/discussion.ts';
import { systemClock } from '../../../src/surroundings.ts';
import { type FakeGitHub, startGitHub } from '../../fakes/github-server/start-github.ts';
import { allPermissions, type GitHubWorld, type WorldPullRequest } from '../../fakes/github-server/store.ts';
import { createWorld } from '../../fakes/world/create-world.ts';
import { reference, reply, type Script, type ScriptedGitHub, scriptedGitHub } from './scripted-github.ts';
import { pullAnswers } from './some-review.ts';

const lines = Array.from({ length: 9 }, (_, index) => `line ${index + 1}`);
const world = createWorld({
  base: { 'a.ts': `${lines.join('\n')}\n` },
  head: { 'a.ts': `${lines.with(4, 'changed').join('\n')}\n` },
});

describe('what was said on a pull request', () => {
  let fake: FakeGitHub | undefined;
  afterEach(() => fake?.close());

  const open = async (pull: Partial<WorldPullRequest> = {}, more: Partial<GitHubWorld> = {}) => {
    const github = await startGitHub({ ...world.github, pullRequests: [{ ...world.pull, ...pull }], ...more });
    fake = github;
    const { apiUrl, graphqlUrl, serverUrl } = github;
    const { token, owner, repository } = world.github;
    const client = createGitHub({
      token,
      apiUrl,
      graphqlUrl,
      userAgent: 'test',
      onWait: () => undefined,
      clock: systemClock,
      pace: 'none',
    });
    const reference = { owner, repository, number: world.pull.number, serverUrl };
    return { github, client, read: () => readDiscussion(client, reference) };
  };

  const ours = { path: 'a.ts', line: 6, startLine: 5, comments: [{ author: 'github-actions[bot]', body: 'A bug.' }] };

  it('tells who resolved a thread, who voted it down, and who answered', async () => {
    const { github, read } = await open({ threads: [ours] });
    github.people.resolve('A bug', 'grace');
    github.people.voteDown('A bug', 'eve');
    github.people.voteDown('A bug', 'bob');
    github.people.reply('A bug', { author: 'renovate[bot]', body: 'Noted.' });
    const [thread] = (await read()).threads;
    expect(thread).toMatchObject({
      line: 6,
      startLine: 5,
      originalLine: 6,
      originalStartLine: 5,
      subject: 'line',
      side: 'RIGHT',
      isResolved: true,
      resolvedBy: 'grace',
    });
    expect(thread?.comments).toMatchObject([
      { author: 'github-actions[bot]', isSelf: true, thumbsDown: ['eve', 'bob'] },
      { author: 'renovate[bot]', isSelf: false, thumbsDown: [] },
    ]);
  });

  it('keeps the lines that an outdated thread was opened on', async () => {
    const { read } = await open({ threads: [{ ...ours, outdated: true }] });
    const [thread] = (await read()).threads;
    expect(thread).toMatchObject({ isOutdated: true, line: null, startLine: null });
    expect([thread?.originalStartLine, thread?.originalLine]).toEqual([5, 6]);
  });

  it.each([
    ['nothing with a token that reads', { 'pull-requests': 'read', contents: 'read' }, [false, false]],
    ['minimising with pull-requests: write', { 'pull-requests': 'write', contents: 'read' }, [true, false]],
    ['both with contents: write', { 'pull-requests': 'write', contents: 'write' }, [true, true]],
  ] as const)('tells what this run may do to it: %s', async (_, permissions, expected) => {
    const { read } = await open({ threads: [ours] }, { permissions: { ...allPermissions, ...permissions } });
    const [thread] = (await read()).threads;
    expect([thread?.comments[0]?.viewerCanMinimize, thread?.viewerCanResolve]).toEqual(expected);
  });

  it('knows the comments and reviews by the numbers of REST', async () => {
    const { github, client, read } = await open({
      threads: [ours],
      conversation: [{ author: 'grace', body: 'Please mind the tests.' }],
    });
    const place = { owner: 'octo', repo: 'spoon', pull_number: world.pull.number };
    const posted = await client.rest.pulls.createReview({ ...place, event: 'REQUEST_CHANGES', body: 'Not yet.' });
    const { threads, conversation, reviews } = await read();
    const comments = await client.rest.pulls.listReviewComments(place);
    expect(threads.map(({ comments: [first] }) => first?.restId)).toEqual(comments.data.map(({ id }) => id));
    expect(threads.map(({ comments: [first] }) => first?.url)).toEqual(comments.data.map(({ html_url }) => html_url));
    expect(conversation.map(({ restId }) => restId)).toEqual(github.conversation().map(({ id }) => id));
    expect(reviews).toMatchObject([
      {
        restId: posted.data.id,
        author: 'github-actions[bot]',
        isSelf: true,
        state: 'CHANGES_REQUESTED',
        commit: world.commits.head,
        body: 'Not yet.',
        url: posted.data.html_url,
      },
    ]);
  });

  it('comes whole in one request', async () => {
    const { github, read } = await open({ threads: [ours, { ...ours, resolved: true }] });
    const { threads } = await read();
    expect([threads.map(({ resolvedBy }) => resolvedBy), github.requests.length]).toEqual([[null, 'ada'], 1]);
  });

  it('is an error when it cannot be read', async () => {
    const { read } = await open({}, { permissions: { ...allPermissions, 'pull-requests': 'none' } });
    await expect(read()).rejects.toThrow('Resource not accessible by integration');
  });
});

describe('a discussion that GitHub tells in part', () => {
  let server: ScriptedGitHub | undefined;
  afterEach(() => server?.close());

  const answers = pullAnswers({ comments: 2, threads: 3, threadComments: 1 });

  /** GitHub refuses every query that asks for one of the connections. */
  const refusing = (...connections: readonly string[]): Script => {
    const forbidden = { type: 'FORBIDDEN', message: 'Resource not accessible by integration' };
    return (asked, to) => {
      const query = JSON.stringify(asked.body);
      const errors = connections
        .filter((name) => query.includes(`${name}(first: 100, after: $after)`))
        .map((name) => ({ ...forbidden, path: ['repository', 'pullRequest', name] }));
      if (errors.length === 0) return answers(asked, to);
      return reply(200, { data: { repository: { pullRequest: null } }, errors });
    };
  };
  const counted = async (script: Script) => {
    server = await scriptedGitHub(script);
    const { threads, conversation, reviews, missing } = await readKnownDiscussion(server.github, reference);
    return { found: [threads.length, conversation.length, reviews.length], missing, asked: server.log.length };
  };

  it('is one request when nothing is refused', async () => {
    expect(await counted(answers)).toEqual({ found: [3, 2, 0], missing: [], asked: 1 });
  });

  it('keeps what is not refused, and names what is', async () => {
    expect(await counted(refusing('reviewThreads'))).toEqual({
      found: [0, 2, 0],
      missing: ['The review threads could not be read: Resource not accessible by integration.'],
      asked: 4,
    });
  });

  it('keeps the threads when the reviews cannot be had', async () => {
    const { found, missing } = await counted(refusing('reviews'));
    expect([found, missing]).toEqual([
      [3, 2, 0],
      ['The reviews could not be read: Resource not accessible by integration.'],
    ]);
  });

  it('says it once when all is refused', async () => {
    const { found, missing } = await counted(refusing('reviewThreads', 'comments', 'reviews'));
    expect([found, missing]).toEqual([
      [0, 0, 0],
      ['The discussion (threads, comments and reviews) could not be read: Resource not accessible by integration.'],
    ]);
  });

  it('does not ask again for the parts when GitHub answers no query', async () => {
    const forbidden: Script = () => reply(403, { message: 'Forbidden' });
    expect(await counted(forbidden)).toEqual({
      found: [0, 0, 0],
      missing: ['The discussion (threads, comments and reviews) could not be read: Forbidden.'],
      asked: 1,
    });
  });
});
