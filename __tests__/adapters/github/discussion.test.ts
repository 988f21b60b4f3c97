import { describe, expect, it } from 'vitest';
import { readDiscussion, readKnownDiscussion } from '../../../src/adapters/github/discussion.ts';
import { allPermissions } from '../../fakes/github-server/store.ts';
import { reference, reply, type Script, scriptedGitHub, smallWorld, strictGitHub } from './scripted-github.ts';
import { pullAnswers } from './some-review.ts';

describe('what was said on a pull request', () => {
  const open = async (...args: Parameters<typeof strictGitHub>) => {
    const strict = await strictGitHub(...args);
    return { ...strict, read: () => readDiscussion(strict.github, strict.reference) };
  };

  const ours = {
    path: 'src/lines.txt',
    line: 6,
    startLine: 5,
    comments: [{ author: 'github-actions[bot]', body: 'A bug.' }],
  };

  it('tells who resolved a thread, who voted it down, and who answered', async () => {
    const { fake, read } = await open({ threads: [ours] });
    fake.people.resolve('A bug', 'grace');
    fake.people.voteDown('A bug', 'eve');
    fake.people.voteDown('A bug', 'bob');
    fake.people.reply('A bug', { author: 'renovate[bot]', body: 'Noted.' });
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
    const { read } = await open({ threads: [ours], permissions: { ...allPermissions, ...permissions } });
    const [thread] = (await read()).threads;
    expect([thread?.comments[0]?.viewerCanMinimize, thread?.viewerCanResolve]).toEqual(expected);
  });

  it('knows the comments and reviews by the numbers of REST', async () => {
    const { fake, github, read } = await open({
      threads: [ours],
      conversation: [{ author: 'grace', body: 'Please mind the tests.' }],
    });
    const place = { owner: 'octo', repo: 'spoon', pull_number: smallWorld.pull.number };
    const posted = await github.rest.pulls.createReview({ ...place, event: 'REQUEST_CHANGES', body: 'Not yet.' });
    const { threads, conversation, reviews } = await read();
    const comments = await github.rest.pulls.listReviewComments(place);
    expect(threads.map(({ comments: [first] }) => first?.restId)).toEqual(comments.data.map(({ id }) => id));
    expect(threads.map(({ comments: [first] }) => first?.url)).toEqual(comments.data.map(({ html_url }) => html_url));
    expect(conversation.map(({ restId }) => restId)).toEqual(fake.conversation().map(({ id }) => id));
    expect(reviews).toMatchObject([
      {
        restId: posted.data.id,
        author: 'github-actions[bot]',
        isSelf: true,
        state: 'CHANGES_REQUESTED',
        commit: smallWorld.commits.head,
        body: 'Not yet.',
        url: posted.data.html_url,
      },
    ]);
  });

  it('comes whole in one request', async () => {
    const { fake, read } = await open({ threads: [ours, { ...ours, resolved: true }] });
    const { threads } = await read();
    expect([threads.map(({ resolvedBy }) => resolvedBy), fake.requests.length]).toEqual([[null, 'ada'], 1]);
  });

  it('is an error when it cannot be read', async () => {
    const { read } = await open({ permissions: { ...allPermissions, 'pull-requests': 'none' } });
    await expect(read()).rejects.toThrow('Resource not accessible by integration');
  });
});

describe('a discussion that GitHub tells in part', () => {
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
  const refused = 'Resource not accessible by integration';
  const all = 'The discussion (threads, comments and reviews) could not be read:';

  it.each<[string, Script, readonly number[], readonly string[], number]>([
    ['is one request when nothing is refused', answers, [3, 2, 0], [], 1],
    [
      'keeps what is not refused, and names what is',
      refusing('reviewThreads'),
      [0, 2, 0],
      [`The review threads could not be read: ${refused}.`],
      4,
    ],
    [
      'keeps the threads when the reviews cannot be had',
      refusing('reviews'),
      [3, 2, 0],
      [`The reviews could not be read: ${refused}.`],
      4,
    ],
    [
      'says it once when all is refused',
      refusing('reviewThreads', 'comments', 'reviews'),
      [0, 0, 0],
      [`${all} ${refused}.`],
      4,
    ],
    [
      'does not ask again for the parts when GitHub answers no query',
      () => reply(403, { message: 'Forbidden' }),
      [0, 0, 0],
      [`${all} Forbidden.`],
      1,
    ],
  ])('%s', async (_name, script, found, missing, asked) => {
    const { github, log } = await scriptedGitHub(script);
    const { threads, conversation, reviews, ...read } = await readKnownDiscussion(github, reference);
    expect([threads.length, conversation.length, reviews.length]).toEqual(found);
    expect([read.missing, log.length]).toEqual([missing, asked]);
  });
});
