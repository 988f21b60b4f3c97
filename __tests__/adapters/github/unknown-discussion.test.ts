import { describe, expect, it } from 'vitest';
import { readKnownDiscussion } from '../../../src/adapters/github/discussion.ts';
import { inEnglish } from '../../../src/core/messages/languages.ts';
import type { FaultAnswer } from '../../fakes/github-server/store.ts';
import { reference, reply, scriptedGitHub, smallWorld, strictGitHub } from './scripted-github.ts';

const queries = { method: 'POST', path: /graphql$/ };

describe('a discussion that is not proven complete', () => {
  const answer = (pullRequest: unknown) => reply(200, { data: { repository: { pullRequest } } });
  const none = { totalCount: 0, pageInfo: { hasNextPage: false, endCursor: null }, nodes: [] };
  const nothing = { reviewThreads: none, comments: none, reviews: none };
  const two = { ...none, totalCount: 2 };
  const broken = (fault: FaultAnswer) => [{ match: queries, times: 99, before: fault }];

  /** Three threads with a comment each, two comments below, and a review. */
  const openWith = async (more: Parameters<typeof strictGitHub>[0] = {}) => {
    const bug = { path: 'src/lines.txt', line: 6, comments: [{ author: 'github-actions[bot]', body: 'A bug.' }] };
    const hm = { author: 'ada', body: 'Hm.' };
    const strict = await strictGitHub({ threads: [bug, bug, bug], conversation: [hm, hm], ...more });
    const { head: commit } = smallWorld.commits;
    const review = { author: 'ada', body: 'Not yet.', commit, createdAt: '2026-11-02T10:00:00Z' };
    strict.fake.reviews().push({ id: 1, ...review, state: 'CHANGES_REQUESTED' });
    return { ...strict, read: () => readKnownDiscussion(strict.github, strict.reference) };
  };

  const listOf = (...nodes: readonly object[]) => ({ ...none, totalCount: nodes.length, nodes });
  const own = { author: { login: 'postil' }, viewerDidAuthor: true, url: 'https://g', body: 'Hm.' };
  const said = { ...own, id: 'C1', fullDatabaseId: '1', createdAt: '2026-11-02T10:00:00Z' };
  const judged = { ...own, id: 'R1', fullDatabaseId: null, state: 'APPROVED', commit: null };
  const lines = { path: 'src/lines.txt', line: 6, startLine: null, originalLine: null, diffSide: 'RIGHT' };
  const started = { ...lines, id: 'T1', isResolved: false, isOutdated: false, comments: listOf(said) };
  it.each<[string, object, readonly number[]]>([
    ['threads', { ...nothing, reviewThreads: two }, [3, 0, 0]],
    ['a thread that is null', { ...nothing, reviewThreads: { ...none, totalCount: 1, nodes: [null] } }, [3, 0, 0]],
    ['comments', { ...nothing, comments: two }, [0, 2, 0]],
    ['reviews', { ...nothing, reviews: two }, [0, 0, 1]],
    ['a comment without a number', { ...nothing, comments: listOf({ ...said, fullDatabaseId: null }) }, [0, 2, 0]],
    ['one of ours without a text', { ...nothing, comments: listOf({ ...said, body: '' }) }, [0, 2, 0]],
    ['a comment twice', { ...nothing, comments: listOf(said, said, said) }, [0, 2, 0]],
    ['a review without a number', { ...nothing, reviews: listOf(judged, { ...judged, id: 'R2' }) }, [0, 0, 1]],
    ['a thread of ours without lines', { ...nothing, reviewThreads: listOf(started) }, [3, 0, 0]],
    ['a thread without comments', { ...nothing, reviewThreads: listOf({ ...started, comments: none }) }, [3, 0, 0]],
  ])('is read over REST as far as GraphQL contradicts itself: %s', async (_name, pull, expected) => {
    const { read } = await openWith({ faults: broken(answer(pull)) });
    const { threads, conversation, reviews, missing } = await read();
    expect([[threads.length, conversation.length, reviews.length], missing]).toEqual([expected, []]);
  });

  it('is read over REST where the pull request counts more than GraphQL', async () => {
    const { github, reference: subject } = await openWith({ faults: broken(answer(nothing)) });
    const counts = { comments: 2, review_comments: 3 };
    const { threads, conversation, missing } = await readKnownDiscussion(github, subject, counts);
    expect([threads.length, conversation.length, missing]).toEqual([3, 2, []]);
  });

  it('is not known where REST lists nothing and does not count', async () => {
    const { number, base, head } = smallWorld.pull;
    const uncounted = { number, base, head, comments: null, review_comments: null };
    const pull = { match: { method: 'GET', path: /\/pulls\/7$/ }, times: 99, before: reply(200, uncounted) };
    const { read } = await openWith({ faults: [...broken('status 502'), pull] });
    expect((await read()).missing.map(inEnglish)).toEqual([
      'The review threads could not be read: Server Error.',
      'The conversation could not be read: Server Error.',
    ]);
  });

  it.each([
    ['knows a bot by its login where REST does not say that it is one', { login: 'postil[bot]' }, [true], []],
    ['does not know who wrote a mark of ours', null, [], ['The conversation could not be read: HTTP 404.']],
  ])('%s', async (_name, user, isSelf, missing) => {
    const body = '<!-- postil:v9 mark -->';
    const comment = { id: 1, node_id: 'IC_1', user, body, html_url: 'https://g', created_at: '2026-11-02T10:00:00Z' };
    const pull = { number: 5, head: { sha: 'a' }, base: { sha: 'b' }, comments: 1, review_comments: 0 };
    const { github } = await scriptedGitHub(({ path }) => {
      if (path.endsWith('/issues/5/comments')) return reply(200, [comment]);
      if (path.endsWith('/pulls/5/comments') || path.endsWith('/reviews')) return reply(200, []);
      return path.endsWith('/pulls/5') ? reply(200, pull) : undefined;
    });
    const told = await readKnownDiscussion(github, reference);
    expect([
      told.conversation.map((one) => one.isSelf),
      told.missing.map((one) => inEnglish(one).replace('Not Found', 'HTTP 404')),
    ]).toEqual([isSelf, missing]);
  });
});
