import { describe, expect, it } from 'vitest';
import { readDiscussion, readKnownDiscussion } from '../../../src/adapters/github/discussion.ts';
import { inEnglish } from '../../../src/core/messages/languages.ts';
import { allPermissions, type Fault, type FaultAnswer } from '../../fakes/github-server/store.ts';
import { reference, reply, scriptedGitHub, smallWorld, strictGitHub } from './scripted-github.ts';

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

describe('a discussion that GraphQL does not tell', () => {
  const answer = (pullRequest: unknown) => reply(200, { data: { repository: { pullRequest } } });
  const none = { totalCount: 0, pageInfo: { hasNextPage: false, endCursor: null }, nodes: [] };
  const nothing = { reviewThreads: none, comments: none, reviews: none };
  const two = { ...none, totalCount: 2 };
  const broken = (fault: FaultAnswer) => [{ match: queries, times: 99, before: fault }];

  const openWith = async (more: Parameters<typeof strictGitHub>[0] = {}) => {
    const conversation = [
      { author: 'ada', body: 'Hm.' },
      { author: 'github-actions[bot]', body: 'Read.' },
    ];
    const other = { path: 'src/lines.txt', line: 5, comments: [{ author: 'ada', body: 'Why?' }] };
    const threads = [ours, { ...ours, outdated: true }, other];
    const strict = await strictGitHub({ threads, conversation, ...more });
    strict.fake.people.reply('Why?', { author: 'grace', body: 'Because.' });
    strict.fake.people.reply('Why?', { author: 'ada', body: 'I see.' });
    strict.fake.people.voteDown('A bug', 'eve');
    const { head: commit } = smallWorld.commits;
    const createdAt = '2026-11-02T10:00:00Z';
    const review = { author: 'github-actions[bot]', body: 'Not yet.', commit, createdAt };
    strict.fake.reviews().push({ id: 1, ...review, state: 'CHANGES_REQUESTED' });
    return { ...strict, read: () => readKnownDiscussion(strict.github, strict.reference) };
  };

  /** What REST cannot tell, as it is told then. */
  const overRest = ({ threads, conversation, reviews, missing }: Awaited<ReturnType<typeof readKnownDiscussion>>) => {
    const unseen = { isMinimized: false, viewerCanMinimize: false };
    const known = { isStateUnknown: true, isResolved: false, resolvedBy: null, viewerCanResolve: false };
    return {
      threads: threads.map(({ comments, ...thread }) => ({
        ...{ ...thread, ...known, id: `REST_${comments[0]?.restId}` },
        comments: comments.map((comment) => ({ ...comment, ...unseen })),
      })),
      conversation: conversation.map((comment) => ({ ...comment, ...unseen })),
      reviews,
      missing,
    };
  };

  it.each<[string, readonly Fault[]]>([
    ['answers 502', broken('status 502')],
    ['breaks off', broken('reset')],
    ['answers 403', broken('status 403')],
    ['refuses every query', broken(reply(200, { data: null, errors: [{ type: 'FORBIDDEN', message: refused }] }))],
    ['answers null', broken(reply(200, { data: null }))],
    ['answers nothing', broken(reply(200, {}))],
    ['answers what is no JSON', broken({ status: 200, headers: {}, body: '{"data": {"repo' })],
    ['knows no repository', broken(reply(200, { data: { repository: null } }))],
    ['answers empty data', broken(answer({}))],
    ['answers null for each list', broken(answer({ reviewThreads: null, comments: null, reviews: null }))],
    ['counts all and lists none', broken(answer({ reviewThreads: two, comments: two, reviews: two }))],
  ])('is read over REST when it %s, as GraphQL would tell it', async (_name, faults) => {
    const { read, fake } = await openWith();
    const told = await read();
    fake.breaks(...faults);
    expect(await read()).toEqual(overRest(told));
    expect([told.threads.length, told.conversation.length, told.reviews.length, told.missing]).toEqual([3, 2, 3, []]);
    expect(told.threads.map(({ comments }) => comments.map(({ thumbsDown }) => thumbsDown.length))[0]).toEqual([1]);
  });

  it('is read over REST where a thread has more comments than GraphQL lists', async () => {
    const { read, fake } = await openWith();
    const [thread] = fake.threads();
    const node = {
      path: 'src/lines.txt',
      line: 6,
      startLine: 5,
      diffSide: 'RIGHT',
      isResolved: false,
      isOutdated: false,
    };
    const reviewThreads = { ...none, totalCount: 1, nodes: [{ id: thread?.id, ...node, comments: two }] };
    fake.breaks(...broken(answer({ ...nothing, reviewThreads })));
    expect((await read()).threads.map(({ id }) => id.startsWith('REST_'))).toEqual([true, true, true]);
  });

  it('is believed when the second answer does not contradict itself', async () => {
    const { read, fake } = await openWith({
      faults: [{ match: queries, times: 1, before: answer({ ...nothing, reviewThreads: two }) }],
    });
    expect((await read()).threads.map(({ id }) => id.startsWith('PRRT_'))).toEqual([true, true, true]);
    expect(fake.requests.length).toBe(2);
  });

  const lists = /\/(?:issues|pulls)\/7\/(?:comments|reviews)$/;
  const untold: readonly [string, FaultAnswer, RegExp, readonly string[]][] = [
    ['all', 'status 403', lists, ['The discussion (threads, comments and reviews) could not be read: Server Error.']],
    ['reviews', 'status 403', /\/reviews$/, ['The reviews could not be read: Server Error.']],
    [
      'threads that are counted',
      reply(200, []),
      /\/pulls\/7\/comments$/,
      ['The review threads could not be read: Server Error.'],
    ],
    [
      'comments that are counted',
      reply(200, []),
      /\/issues\/7\/comments$/,
      ['The conversation could not be read: Server Error.'],
    ],
  ];
  it.each(untold)('is not known where REST does not tell it either: %s', async (_name, fault, path, missing) => {
    const rest = { match: { method: 'GET', path }, times: 99, before: fault };
    const { read, github, reference: subject } = await openWith({ faults: [...broken('status 502'), rest] });
    expect((await read()).missing.map(inEnglish)).toEqual(missing);
    await expect(readDiscussion(github, subject)).rejects.toMatchObject({ status: 502 });
  });

  it('does not know reviews of which REST lists the comments alone', async () => {
    const { read, fake, github } = await openWith();
    const place = { owner: 'octo', repo: 'spoon', pull_number: 7 };
    const comments = [{ path: 'src/lines.txt', line: 5, side: 'RIGHT', body: 'Hm.' }] as const;
    await github.rest.pulls.createReview({ ...place, event: 'COMMENT', comments: [...comments] });
    const rest = { match: { method: 'GET', path: /\/reviews$/ }, times: 99, before: reply(200, []) };
    fake.breaks(...broken('status 502'), rest);
    expect((await read()).missing.map(inEnglish)).toEqual(['The reviews could not be read: Server Error.']);
  });

  it('is asked of GraphQL no more where that gave no answer', async () => {
    const { read, fake, github, reference: subject } = await openWith({ faults: broken('status 403') });
    await read();
    await readDiscussion(github, subject);
    expect(fake.requests.filter(({ path }) => path.endsWith('/graphql')).length).toBe(1);
  });

  it.each([
    ['a job, which may not ask who it is, by bots', 'ghs_', 'github-actions[bot]', ['github-actions[bot]']],
    ['a person, who may', 'ghp_', 'grace', ['grace']],
  ])('is known as our own when the token is that of %s', async (_name, prefix, viewer, expected) => {
    const token = `${prefix}${'secret'.repeat(6)}`;
    const conversation = ['ada', 'grace', 'github-actions[bot]'].map((author) => ({ author, body: 'Hm.' }));
    const { read, fake } = await openWith({ conversation, token, viewer, faults: broken('status 502') });
    const own = (await read()).conversation.filter(({ isSelf }) => isSelf).map(({ author }) => author);
    expect([own, fake.requests.some(({ path }) => path.endsWith('/user'))]).toEqual([expected, prefix === 'ghp_']);
  });

  it('counts nobody as voting it down whose vote cannot be read', async () => {
    const votes = { match: { method: 'GET', path: /\/reactions$/ }, times: 99, before: 'status 403' } as const;
    const { read } = await openWith({ faults: [...broken('status 502'), votes] });
    expect((await read()).threads.map(({ comments: [first] }) => first?.thumbsDown)).toEqual([[], [], []]);
  });

  it('takes a deleted account for the user ghost, and no text for an empty one', async () => {
    const comment = {
      id: 1,
      node_id: 'IC_1',
      user: null,
      body: null,
      html_url: 'https://g',
      created_at: '2026-11-02T10:00:00Z',
    };
    const pull = { number: 5, head: { sha: 'a' }, base: { sha: 'b' }, comments: 1, review_comments: 2 };
    const opener = { ...comment, in_reply_to_id: 77, path: 'a.ts' };
    const review = { ...comment, state: 'COMMENTED', commit_id: null };
    const { github } = await scriptedGitHub(({ path }) => {
      if (path.endsWith('/issues/5/comments')) return reply(200, [comment]);
      if (path.endsWith('/pulls/5/comments')) return reply(200, [opener, { ...opener, id: 2 }]);
      if (path.endsWith('/reviews')) return reply(200, [review]);
      return path.endsWith('/pulls/5') ? reply(200, pull) : undefined;
    });
    const { threads, conversation, reviews, missing } = await readKnownDiscussion(github, reference);
    const ghost = { author: 'ghost', body: '', isSelf: false };
    expect([conversation, reviews, missing]).toMatchObject([[ghost], [{ ...ghost, commit: null }], []]);
    // The comment that opened the thread is gone, and what is left of it is one thread.
    expect(threads.map(({ comments }) => comments)).toMatchObject([[ghost, ghost]]);
  });
});

describe('a discussion that GraphQL tells in part', () => {
  /** GitHub refuses every query that asks for this connection. */
  const refusing = (name: string) => {
    const errors = [{ type: 'FORBIDDEN', message: refused, path: ['repository', 'pullRequest', name] }];
    const match = { ...queries, body: new RegExp(`\\b${name}\\(first: 100, after: \\$after\\)`) };
    return { match, times: 9, before: reply(200, { data: { repository: { pullRequest: null } }, errors }) };
  };
  const readWith = async (connections: readonly string[]) => {
    const remark = { author: 'ada', body: 'Hm.' };
    const world = { threads: [ours, ours, ours], conversation: [remark, remark], faults: connections.map(refusing) };
    const { fake, github, reference: subject } = await strictGitHub(world);
    const { threads, missing } = await readKnownDiscussion(github, subject);
    const gets = fake.requests.filter(({ method }) => method === 'GET').length;
    return {
      resolvable: threads.map((one) => one.isStateUnknown !== true),
      missing,
      asked: [fake.requests.length, gets],
    };
  };

  it.each([
    ['is one request when nothing is refused', [], true, [1, 0]],
    ['asks REST for what is refused alone', ['reviewThreads'], false, [6, 2]],
    ['keeps the threads when the reviews cannot be had', ['reviews'], true, [6, 2]],
  ])('%s', async (_name, connections, whole, asked) => {
    expect(await readWith(connections)).toEqual({ resolvable: [whole, whole, whole], missing: [], asked });
  });
});
