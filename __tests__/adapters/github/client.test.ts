import { afterEach, describe, expect, it } from 'vitest';
import type { FinishedRequest } from '../../../src/adapters/github/attempts.ts';
import { createGitHub } from '../../../src/adapters/github/client.ts';
import { systemClock } from '../../../src/compose.ts';
import type { Outcome } from '../../fakes/loopback.ts';
import { reply, type ScriptedGitHub, scriptedGitHub } from './scripted-github.ts';

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
