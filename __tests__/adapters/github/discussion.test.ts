import { describe, expect, it } from 'vitest';
import { readDiscussion, readKnownDiscussion } from '../../../src/adapters/github/discussion.ts';
import { allPermissions, type Fault } from '../../fakes/github-server/store.ts';
import { reply, smallWorld, strictGitHub } from './scripted-github.ts';

const ours = {
  ...{ path: 'src/lines.txt', line: 6, startLine: 5 },
  comments: [{ author: 'github-actions[bot]', body: 'A bug.' }],
};

describe('what was said on a pull request', () => {
  const open = async (...args: Parameters<typeof strictGitHub>) => {
    const strict = await strictGitHub(...args);
    return { ...strict, read: () => readDiscussion(strict.github, strict.reference) };
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

  it.each([true, 'with its line'] as const)(
    'keeps the lines that a thread was opened on: outdated is %s',
    async (outdated) => {
      const { read } = await open({ threads: [{ ...ours, outdated }] });
      const [thread] = (await read()).threads;
      expect(thread).toMatchObject({ isOutdated: true, line: null, startLine: null });
      expect([thread?.originalStartLine, thread?.originalLine]).toEqual([5, 6]);
    },
  );

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
});

describe('a discussion that GitHub tells in part', () => {
  const refused = 'Resource not accessible by integration';
  const all = 'discussion (threads, comments and reviews)';
  /** GitHub refuses every query that asks for this connection. */
  const refusing = (name: string) => {
    const errors = [{ type: 'FORBIDDEN', message: refused, path: ['repository', 'pullRequest', name] }];
    const match = { method: 'POST', path: /graphql$/, body: new RegExp(`\\b${name}\\(first: 100, after: \\$after\\)`) };
    return { match, times: 9, before: reply(200, { data: { repository: { pullRequest: null } }, errors }) };
  };

  const readWith = async (faults: readonly Fault[]) => {
    const remark = { author: 'ada', body: 'Hm.' };
    const world = { threads: [ours, ours, ours], conversation: [remark, remark], faults };
    const { fake, github, reference } = await strictGitHub(world);
    const { threads, conversation, reviews, missing } = await readKnownDiscussion(github, reference);
    return { found: [threads.length, conversation.length, reviews.length], missing, asked: fake.requests.length };
  };

  it.each([
    ['is one request when nothing is refused', [], [3, 2, 0], [], 1],
    ['keeps what is not refused, and names what is', ['reviewThreads'], [0, 2, 0], ['review threads'], 4],
    ['keeps the threads when the reviews cannot be had', ['reviews'], [3, 2, 0], ['reviews'], 4],
    ['says it once when all is refused', ['reviewThreads', 'comments', 'reviews'], [0, 0, 0], [all], 4],
  ])('%s', async (_name, connections, found, parts, asked) => {
    const missing = parts.map((part) => `The ${part} could not be read: ${refused}.`);
    expect(await readWith(connections.map(refusing))).toEqual({ found, missing, asked });
  });

  it('is not asked for again by its parts when GitHub answers no query', async () => {
    const before = reply(403, { message: 'Forbidden' });
    const missing = [`The ${all} could not be read: Forbidden.`];
    const answer = await readWith([{ match: { method: 'POST', path: /graphql$/ }, times: 9, before }]);
    expect(answer).toEqual({ found: [0, 0, 0], missing, asked: 1 });
  });
});
