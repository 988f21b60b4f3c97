import { describe, expect, it } from 'vitest';
import { readDiscussion, readKnownDiscussion } from '../../../src/adapters/github/discussion.ts';
import { inEnglish } from '../../../src/core/messages/languages.ts';
import { allPermissions, type Fault, type FaultAnswer } from '../../fakes/github-server/world.ts';
import { reply, smallWorld, strictGitHub } from './scripted-github.ts';

const bug = { author: 'github-actions[bot]', body: 'A bug.' };
const ours = { ...{ path: 'src/lines.txt', line: 6, startLine: 5 }, comments: [bug] };

describe('what was said on a pull request', () => {
  const open = async (...args: Parameters<typeof strictGitHub>) => {
    const strict = await strictGitHub(...args);
    return { ...strict, read: () => readDiscussion(strict.github, strict.reference) };
  };

  it('tells who resolved a thread, who voted it down and when, who answered, and who edited that', async () => {
    const { fake, read } = await open({ threads: [ours] });
    fake.people.resolve('A bug', 'grace');
    fake.people.voteDown('A bug', 'eve', '2026-11-03T08:00:00Z');
    fake.people.voteDown('A bug', 'bob');
    fake.people.reply('A bug', { author: 'renovate[bot]', body: 'Noted.' });
    fake.people.edit('Noted.', 'eve', '2026-11-04T08:00:00Z');
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
      { author: 'renovate[bot]', isSelf: false, thumbsDown: [], edited: { date: '2026-11-04T08:00:00Z' } },
    ]);
    expect(thread?.comments.map(({ thumbsDownDates, edited }) => [thumbsDownDates?.[0], edited?.by])).toEqual([
      ['2026-11-03T08:00:00Z', undefined],
      [undefined, 'eve'],
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

/** Queries, each of which GitHub breaks in the same way. */
const queries = { method: 'POST', path: /graphql$/ };
const refused = 'Resource not accessible by integration';
const answer = (pullRequest: unknown) => reply(200, { data: { repository: { pullRequest } } });
const none = { totalCount: 0, pageInfo: { hasNextPage: false, endCursor: null }, nodes: [] };
const nothing = { reviewThreads: none, comments: none, reviews: none };
const two = { ...none, totalCount: 2 };
const listOf = (...nodes: readonly unknown[]) => ({ ...none, totalCount: nodes.length, nodes });
const broken = (fault: FaultAnswer) => [{ match: queries, times: 99, before: fault }];

/** Three threads with a comment each, two comments below, and a review. */
async function openSaid(faults: readonly Fault[] = []) {
  const hm = { author: 'ada', body: 'Hm.' };
  const strict = await strictGitHub({ threads: [ours, ours, ours], conversation: [hm, hm] });
  const { head: commit } = smallWorld.commits;
  const review = { author: 'ada', body: 'Not yet.', commit, createdAt: '2026-11-02T10:00:00Z' };
  strict.fake.reviews().push({ id: 1, ...review, state: 'CHANGES_REQUESTED' });
  strict.fake.breaks(...faults);
  const read = async (counts: Parameters<typeof readKnownDiscussion>[2] = {}) => {
    const { threads, conversation, reviews, missing } = await readKnownDiscussion(
      strict.github,
      strict.reference,
      counts,
    );
    return {
      listed: [threads.length, conversation.length, reviews.length],
      missing: missing.map((one) => inEnglish(one).replace(/ could not be read: .*$/, '')),
    };
  };
  return { ...strict, read };
}

describe('a discussion that GraphQL does not tell is unknown', () => {
  const all = ['The discussion (threads, comments and reviews)'];

  it.each<[string, FaultAnswer]>([
    ['answers 502', 'status 502'],
    ['breaks off', 'reset'],
    ['answers 403', 'status 403'],
    ['refuses every query', reply(200, { data: null, errors: [{ type: 'FORBIDDEN', message: refused }] })],
    ['answers null', reply(200, { data: null })],
    ['answers nothing', reply(200, {})],
    ['answers what is no JSON', { status: 200, headers: {}, body: '{"data": {"repo' }],
    ['knows no repository', reply(200, { data: { repository: null } })],
    ['answers empty data', answer({})],
    ['answers null for each list', answer({ reviewThreads: null, comments: null, reviews: null })],
    ['counts all and lists none', answer({ reviewThreads: two, comments: two, reviews: two })],
  ])('when it %s', async (_name, fault) => {
    const { read, github, reference } = await openSaid(broken(fault));
    expect(await read()).toEqual({ listed: [0, 0, 0], missing: all });
    await expect(readDiscussion(github, reference)).rejects.toThrow();
  });

  it('and is asked for no more where GraphQL gave no answer', async () => {
    const { read, fake, github, reference } = await openSaid(broken('status 403'));
    await read();
    await expect(readDiscussion(github, reference)).rejects.toThrow();
    expect(fake.requests.length).toBe(1);
  });
});

describe('a discussion that GraphQL tells in part', () => {
  const own = { author: { login: 'postil' }, viewerDidAuthor: true, url: 'https://g', body: 'Hm.' };
  const said = { ...own, id: 'C1', fullDatabaseId: '1', createdAt: '2026-11-02T10:00:00Z' };
  const judged = { ...own, id: 'R1', fullDatabaseId: null, state: 'APPROVED', commit: null };
  const lines = { path: 'src/lines.txt', line: 6, startLine: null, originalLine: null, diffSide: 'RIGHT' };
  const started = { ...lines, id: 'T1', isResolved: false, isOutdated: false, comments: listOf(said) };

  it.each<[string, object, string]>([
    ['threads that it counts alone', { reviewThreads: two }, 'The review threads'],
    ['a thread that is null', { reviewThreads: listOf(null) }, 'The review threads'],
    ['a thread of ours without lines', { reviewThreads: listOf(started) }, 'The review threads'],
    ['a thread without comments', { reviewThreads: listOf({ ...started, comments: none }) }, 'The review threads'],
    ['fewer comments in a thread', { reviewThreads: listOf({ ...started, comments: two }) }, 'The review threads'],
    ['comments that it counts alone', { comments: two }, 'The conversation'],
    ['a comment without a number', { comments: listOf({ ...said, fullDatabaseId: null }) }, 'The conversation'],
    ['a number that is none', { comments: listOf({ ...said, fullDatabaseId: 'one' }) }, 'The conversation'],
    ['one of ours without a text', { comments: listOf({ ...said, body: '' }) }, 'The conversation'],
    ['a comment twice', { comments: listOf(said, said, said) }, 'The conversation'],
    ['reviews that it counts alone', { reviews: two }, 'The reviews'],
    ['a review without a number', { reviews: listOf(judged) }, 'The reviews'],
  ])('is unknown as far as it contradicts itself: %s', async (_name, pull, missing) => {
    const { read } = await openSaid(broken(answer({ ...nothing, ...pull })));
    expect(await read()).toEqual({ listed: [0, 0, 0], missing: [missing] });
  });

  it('is unknown where the pull request counts more', async () => {
    const { read } = await openSaid(broken(answer(nothing)));
    expect((await read({ comments: 2, review_comments: 3 })).missing).toEqual([
      'The review threads',
      'The conversation',
    ]);
  });

  it('is believed when the second answer does not contradict itself', async () => {
    const { read, fake } = await openSaid([
      { match: queries, times: 1, before: answer({ ...nothing, reviewThreads: two }) },
    ]);
    expect(await read()).toEqual({ listed: [3, 0, 0], missing: [] });
    expect(fake.requests.length).toBe(2);
  });

  /** GitHub refuses every query that asks for this connection. */
  const refusing = (name: string) => {
    const errors = [{ type: 'FORBIDDEN', message: refused, path: ['repository', 'pullRequest', name] }];
    const match = { ...queries, body: new RegExp(`\\b${name}\\(first: 100, after: \\$after\\)`) };
    return { match, times: 9, before: reply(200, { data: { repository: { pullRequest: null } }, errors }) };
  };

  it.each([
    ['is one request when nothing is refused', [], [3, 2, 1], [], 1],
    ['keeps the conversation where threads are refused', ['reviewThreads'], [0, 2, 1], ['The review threads'], 4],
    ['keeps the threads where reviews are refused', ['reviews'], [3, 2, 0], ['The reviews'], 4],
  ])('%s', async (_name, connections, listed, missing, requests) => {
    const { read, fake } = await openSaid(connections.map(refusing));
    expect([await read(), fake.requests.length]).toEqual([{ listed, missing }, requests]);
  });

  it('takes a deleted account for the user ghost, whose vote is nobody’s', async () => {
    const reactions = { nodes: [{ user: null, createdAt: '2026-11-02T10:00:00Z' }] };
    const ghosts = listOf({ ...said, author: null, viewerDidAuthor: false, reactions });
    const { github, reference } = await openSaid(broken(answer({ ...nothing, comments: ghosts })));
    expect((await readDiscussion(github, reference)).conversation).toMatchObject([{ author: 'ghost', thumbsDown: [] }]);
  });
});
