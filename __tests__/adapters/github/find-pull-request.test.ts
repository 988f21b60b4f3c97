import { afterEach, describe, expect, it } from 'vitest';
import type { FinishedRequest } from '../../../src/adapters/github/attempts.ts';
import { createGitHub } from '../../../src/adapters/github/client.ts';
import { findPullRequest, type WorkflowRun } from '../../../src/adapters/github/pull-request.ts';
import { systemClock } from '../../../src/surroundings.ts';
import type { Outcome } from '../../fakes/loopback.ts';
import { pageOf, reply, type ScriptedGitHub, scriptedGitHub } from './scripted-github.ts';

const sha = 'a'.repeat(40);
const run: WorkflowRun = { headSha: sha, headBranch: 'door', headRepository: 'ada/r' };

function pull(number: number, more: object = {}) {
  return { number, state: 'open', head: { sha, repo: { full_name: 'ada/r' } }, ...more };
}

describe('findPullRequest', () => {
  let server: ScriptedGitHub | undefined;
  afterEach(() => server?.close());

  const findIn = async (
    lists: { readonly ofBranch?: readonly object[]; readonly ofCommit?: readonly object[] },
    event: WorkflowRun = run,
  ) => {
    server = await scriptedGitHub((asked, { url }) => {
      const branch = asked.query['state'] === 'open' && asked.query['head'] === 'ada:door';
      if (asked.path === '/repos/o/r/pulls' && branch) return pageOf(lists.ofBranch ?? [], { asked, url });
      if (asked.path === `/repos/o/r/commits/${sha}/pulls`) return pageOf(lists.ofCommit ?? [], { asked, url });
      return undefined;
    });
    return await findPullRequest(server.github, { owner: 'o', repository: 'r' }, event);
  };

  it('finds it by the branch of the fork', async () => {
    await expect(findIn({ ofBranch: [pull(7)] })).resolves.toEqual({ found: true, number: 7, others: [] });
  });

  it('takes the first of several with the same head, and names the others', async () => {
    const found = await findIn({ ofBranch: [pull(9), pull(7)] });
    expect(found).toEqual({ found: true, number: 7, others: [9] });
  });

  it('finds it by the commit when the fork was deleted', async () => {
    const orphan = pull(7, { head: { sha, repo: null } });
    const found = await findIn({ ofCommit: [orphan] }, { ...run, headRepository: null });
    expect(found).toEqual({ found: true, number: 7, others: [] });
    expect(server?.log).toEqual([`GET /repos/o/r/commits/${sha}/pulls`]);
  });

  it.each([
    [
      'another fork has the same commit',
      { sha, repo: { full_name: 'eve/r' } },
      'No pull request has aaaaaaaaaaaa as its head.',
    ],
    [
      'the commit is not its head',
      { sha: 'b'.repeat(40), repo: { full_name: 'ada/r' } },
      'Pull request #7 has moved on from aaaaaaaaaaaa to bbbbbbbbbbbb.',
    ],
  ])('does not take an open one when %s', async (_name, head, reason) => {
    await expect(findIn({ ofCommit: [pull(7, { head })] })).resolves.toEqual({ found: false, reason });
  });

  it('says that it moved on', async () => {
    const moved = pull(7, { head: { sha: 'b'.repeat(40), repo: { full_name: 'ada/r' } } });
    const found = await findIn({ ofBranch: [moved] });
    expect(found).toEqual({
      found: false,
      reason: 'Pull request #7 has moved on from aaaaaaaaaaaa to bbbbbbbbbbbb.',
    });
  });

  it('says that it is closed', async () => {
    const found = await findIn({ ofCommit: [pull(7, { state: 'closed' })] });
    expect(found).toEqual({ found: false, reason: 'Pull request #7, which has aaaaaaaaaaaa, is closed.' });
  });

  it('says that there is none', async () => {
    const found = await findIn({});
    expect(found).toEqual({ found: false, reason: 'No pull request has aaaaaaaaaaaa as its head.' });
  });

  it('explains which permission is missing', async () => {
    server = await scriptedGitHub(() => reply(403, { message: 'Resource not accessible by integration' }));
    const finding = findPullRequest(server.github, { owner: 'o', repository: 'r' }, run);
    await expect(finding).rejects.toMatchObject({ name: 'UserError', hint: 'Grant `pull-requests: read`.' });
  });
});

describe('createGitHub', () => {
  let server: ScriptedGitHub | undefined;
  afterEach(() => server?.close());

  const inTurn = (...answers: readonly Outcome[]) => {
    const left = [...answers];
    return () => left.shift();
  };
  const pull = { owner: 'o', repo: 'r', pull_number: 5 };
  const found = { number: 5, head: { sha: 'a' }, base: { sha: 'b' } };
  const secondary = (seconds: number) =>
    reply(403, { message: 'You have exceeded a secondary rate limit.' }, { 'retry-after': String(seconds) });

  it('refuses to start without a token', () => {
    const options = {
      token: '',
      apiUrl: '',
      graphqlUrl: '',
      userAgent: '',
      onWait: () => undefined,
      clock: systemClock,
    };
    expect(() => createGitHub(options)).toThrow('There is no GitHub token.');
  });

  it('reads again after a gateway error', async () => {
    server = await scriptedGitHub(inTurn(reply(502, 'Bad Gateway'), reply(200, found)));
    const answer = await server.github.rest.pulls.get(pull);
    expect(answer.data.number).toBe(5);
    expect(server.log).toEqual(['GET /repos/o/r/pulls/5', 'GET /repos/o/r/pulls/5']);
  });

  it('does not repeat a write by itself, whatever the error', async () => {
    server = await scriptedGitHub(inTurn(reply(502, 'Bad Gateway'), 'reset'));
    const review = { ...pull, event: 'COMMENT', body: 'text' } as const;
    await expect(server.github.rest.pulls.createReview(review)).rejects.toThrow('Bad Gateway');
    await expect(server.github.rest.pulls.createReview(review)).rejects.toThrow();
    expect(server.log).toHaveLength(2);
  });

  it('obeys retry-after of a secondary rate limit, for a write too, and tells that it waits', async () => {
    server = await scriptedGitHub(inTurn(secondary(1), reply(200, { id: 1, html_url: '' })));
    await server.github.rest.pulls.createReview({ ...pull, event: 'COMMENT', body: 'text' });
    expect(server.log).toHaveLength(2);
    expect(server.waits).toEqual([
      "GitHub's secondary rate limit asks for 1 s before POST /repos/o/r/pulls/5/reviews. Waiting.",
    ]);
  });

  it('does not wait longer than two minutes', async () => {
    server = await scriptedGitHub(inTurn(secondary(121)));
    await expect(server.github.rest.pulls.get(pull)).rejects.toThrow('secondary rate limit');
    expect(server.log).toHaveLength(1);
    expect(server.waits[0]).toContain('Not waiting that long.');
  });

  it('starts no write after the run was cancelled, and still reads', async () => {
    const run = new AbortController();
    server = await scriptedGitHub(() => reply(200, { ...found, data: {} }), { signal: run.signal });
    run.abort();
    await expect(server.github.rest.pulls.createReview({ ...pull, body: 'text' })).rejects.toThrow('cancelled');
    await server.github.rest.pulls.get(pull);
    await server.github.graphql('query { viewer { login } }', {});
    expect(server.log).toEqual(['GET /repos/o/r/pulls/5', 'POST /graphql']);
  });

  it('starts no write when the run is cancelled while it waits', async () => {
    const run = new AbortController();
    const options = { signal: run.signal, onWait: () => run.abort() };
    server = await scriptedGitHub(inTurn(secondary(1)), options);
    await expect(server.github.rest.pulls.createReview({ ...pull, body: 'text' })).rejects.toThrow('cancelled');
    expect(server.log).toHaveLength(1);
  });

  it('tells of every attempt with its status', async () => {
    const seen: FinishedRequest[] = [];
    const onRequest = (request: FinishedRequest) => seen.push(request);
    server = await scriptedGitHub(inTurn(reply(502, 'Bad Gateway'), reply(200, found)), { onRequest });
    await server.github.rest.pulls.get(pull);
    expect(seen.map(({ method, status }) => [method, status])).toEqual([
      ['GET', 502],
      ['GET', 200],
    ]);
    expect(seen[0]?.url).toBe(`${server.url}/repos/o/r/pulls/5`);
  });
});
