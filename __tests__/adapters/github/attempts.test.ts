import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { writePace } from '../../../src/adapters/github/answers.ts';
import type { RequestLimits } from '../../../src/adapters/github/attempts.ts';
import { createGitHub, type GitHubOptions } from '../../../src/adapters/github/client.ts';
import { systemClock } from '../../../src/run/surroundings.ts';
import type { Outcome } from '../../fakes/loopback.ts';
import { FakeClock } from '../../fakes/memory-repository.ts';
import { reply, type ScriptedGitHub, scriptedGitHub } from './scripted-github.ts';

const pull = { owner: 'o', repo: 'r', pull_number: 5 };
const found = { number: 5, head: { sha: 'a' }, base: { sha: 'b' } };
const json = { 'content-type': 'application/json' };
const dripping: Outcome = { status: 200, headers: json, body: '', chunks: ['{"number"', ': 5'], ending: 'stay' };
const cutByReset: Outcome = { status: 200, headers: json, body: '', chunks: ['{"number": 5'], ending: 'reset' };
const cut: Outcome = { status: 200, headers: json, body: '{"number": 5, "he' };
const empty: Outcome = { status: 200, headers: json, body: '' };
const badGateway = reply(502, 'Bad Gateway');
const page: Outcome = { status: 200, headers: { 'content-type': 'text/html' }, body: '<html>Please log in</html>' };

const secondaryLimit = (seconds: number) =>
  reply(403, { message: 'You have exceeded a secondary rate limit.' }, { 'retry-after': String(seconds) });

describe('a request to GitHub', () => {
  /** The answers in turn, the last one again and again. */
  const open = async (
    answers: readonly Outcome[],
    { limits, ...more }: Partial<Omit<GitHubOptions, 'limits'>> & { limits?: Partial<RequestLimits> } = {},
  ) => {
    let asked = 0;
    const next = () => answers[Math.min(asked++, answers.length - 1)];
    return await scriptedGitHub(next, { ...more, limits: { attempt: 5_000, ...limits } });
  };
  const readingOf = ({ github }: ScriptedGitHub) =>
    github.rest.pulls.get(pull).then(
      ({ data }) => `#${data.number}`,
      (error: unknown) => (error instanceof Error ? error.message : ''),
    );
  const write = ({ github }: ScriptedGitHub) =>
    github.rest.pulls.createReview({ ...pull, event: 'COMMENT', body: 'text' });

  it('needs a token', () => {
    const none = { token: '', apiUrl: '', graphqlUrl: '', userAgent: '', onWait: () => undefined, clock: systemClock };
    expect(() => createGitHub(none)).toThrow('There is no GitHub token.');
  });

  it.each<[string, Outcome]>([
    ['says nothing', 'hang'],
    ['drips', dripping],
  ])('ends at its deadline when the server %s, and all its attempts together end, too', async (_name, answer) => {
    const clock = new FakeClock();
    const opened = await open([answer], { clock, limits: { attempt: 30_000, patience: 60_000 } });
    const said = await clock.drive(readingOf(opened), () => clock.isHanging(opened.log.length));
    expect([said, opened.log.length, clock.now()]).toEqual(['there was no whole answer within 30 s', 2, 60_000]);
  });

  it.each<[string, Outcome]>([
    ['broken off', cutByReset],
    ['cut', cut],
    ['empty', empty],
    ['a page of a proxy', page],
    ['of another shape', reply(200, { number: '5' })],
    ['the error of a gateway', badGateway],
  ])('takes an answer that is %s for none, and reads again', async (_name, answer) => {
    const opened = await open([answer, reply(200, found)]);
    expect([await readingOf(opened), opened.log.length]).toEqual(['#5', 2]);
  });

  it('is not tried twice while GitHub answers nothing at all, so that many silent ones do not take the whole run', async () => {
    const clock = new FakeClock();
    const opened = await open(['hang'], { clock, limits: { patience: 60_000 } });
    const counts: number[] = [];
    for (const _ of ['one', 'two', 'three', 'four']) {
      const before = opened.log.length;
      await clock.drive(readingOf(opened), () => clock.isHanging(opened.log.length));
      counts.push(opened.log.length - before);
    }
    expect(counts).toEqual([4, 2, 1, 1]);
    // Six of five seconds, then a tenth of that each.
    expect(clock.now()).toBe(6 * 5_000 + 2 * 500);
  });

  it('names the endpoint whose answer stays broken', async () => {
    expect(await readingOf(await open([cut]))).toBe(
      'the answer to GET /repos/o/r/pulls/5 is broken: it is cut, or no JSON',
    );
  });

  it.each<[string, Outcome]>([
    ['broken off', cutByReset],
    ['empty', empty],
  ])('does not take a list that is %s for one that holds nothing', async (_name, answer) => {
    const { github } = await open([answer]);
    const listing = github.paginate(github.rest.pulls.listReviews, pull);
    await expect(listing).rejects.toMatchObject({ status: 500 });
  });

  it.each<[string, Outcome, object]>([
    ['is cut', cut, { name: 'BrokenAnswer' }],
    ['is the error of a gateway', badGateway, { status: 502 }],
    ['never comes', 'reset', { status: 500 }],
  ])('is sent once when it writes, although its answer %s', async (_name, answer, error) => {
    const opened = await open([answer]);
    await expect(write(opened)).rejects.toMatchObject(error);
    expect(opened.log).toEqual(['POST /repos/o/r/pulls/5/reviews']);
  });

  it('obeys retry-after of a secondary rate limit, for a write too, and tells that it waits', async () => {
    const opened = await open([secondaryLimit(1), reply(200, { id: 1, html_url: '' })]);
    await write(opened);
    expect([opened.log.length, opened.waits]).toEqual([
      2,
      ["GitHub's secondary rate limit asks for 1 s before POST /repos/o/r/pulls/5/reviews. Waiting."],
    ]);
  });

  it('meets a rate limit in any 429, whatever its words, and in a query that says so with 200', async () => {
    const slow = reply(429, { message: 'Slow down, please' }, { 'retry-after': '0' });
    const opened = await open([slow, reply(200, found)]);
    expect([await readingOf(opened), opened.waits.length]).toEqual(['#5', 1]);
    const limited = reply(200, { errors: [{ type: 'RATE_LIMITED', message: 'No more' }] }, { 'retry-after': '0' });
    const { github } = await open([limited, reply(200, { data: { viewer: 1 } })]);
    expect(await github.graphql('query { viewer }', {})).toEqual({ viewer: 1 });
  });

  it.each([
    ['more than two minutes', 121, Number.POSITIVE_INFINITY],
    ['until after the end of the run', 60, 30_000],
  ])('does not wait out a rate limit that takes %s', async (_name, seconds, left) => {
    const limits = { end: Date.now() + left };
    const opened = await open([secondaryLimit(seconds), reply(200, found)], { limits });
    expect(await readingOf(opened)).toContain('secondary rate limit');
    expect([opened.log.length, opened.waits[0]]).toEqual([1, expect.stringContaining('Not waiting that long.')]);
  });

  it('is not sent when the time of the run is over', async () => {
    const opened = await open([reply(200, found)], { limits: { end: Date.now() } });
    expect([await readingOf(opened), opened.log]).toEqual(['the time of the run is over', []]);
  });

  it('ends soon after the run is cancelled while it hangs', async () => {
    const run = new AbortController();
    const opened = await open(['hang'], { signal: run.signal, limits: { afterCancel: 10, attempt: 60_000 } });
    const reading = readingOf(opened);
    await expect.poll(() => opened.log.length).toBe(1);
    run.abort();
    expect(await reading).toBe('the run was cancelled');
  });

  it.each([
    ['reads', readingOf],
    ['writes', (opened: ScriptedGitHub) => write(opened).catch(() => undefined)],
  ])('ends the wait for a rate limit when the run is cancelled, if it %s', async (_name, send) => {
    const run = new AbortController();
    const opened = await open([secondaryLimit(100)], { signal: run.signal, onWait: () => run.abort() });
    await send(opened);
    expect(opened.log).toHaveLength(1);
  });

  it('is not sent after the run was cancelled when it writes, and still when it reads', async () => {
    const opened = await open([reply(200, { ...found, data: {} })], { signal: AbortSignal.abort() });
    await expect(write(opened)).rejects.toThrow('cancelled');
    await opened.github.rest.pulls.get(pull);
    await opened.github.graphql('query { viewer { login } }', {});
    expect(opened.log).toEqual(['GET /repos/o/r/pulls/5', 'POST /graphql']);
  });

  it('reads no further than its cap, be the answer of 600 MB or a small one that unpacks to more', async () => {
    const piece = Buffer.alloc(100_000, ' ');
    let written = 0;
    const endless = function* () {
      for (; written < 6_000; written += 1) yield piece;
    };
    const large: Outcome = { status: 200, headers: json, body: '', pieces: endless() };
    const limits = { maxBytes: 1_000_000 };
    expect(await readingOf(await open([large, reply(404, {})], { limits }))).not.toBe('#5');
    expect(written).toBeLessThan(600);
    const packed = gzipSync(Buffer.alloc(50_000_000, ' '));
    const bomb: Outcome = { status: 200, headers: { ...json, 'content-encoding': 'gzip' }, body: packed };
    expect(await readingOf(await open([bomb], { limits }))).toBe('the answer is larger than 1 MB');
  });

  it.each<[string, (page: number) => number]>([
    ['names itself as the next page', (page) => page],
    ['always has another page', (page) => page + 1],
  ])('does not follow a list that %s', async (_name, next) => {
    let pages = 0;
    const { github, log } = await scriptedGitHub(({ query, url }) => {
      const page = next(Number(query.get('page') ?? 1));
      pages += 1;
      // An end all the same, so that the test has one.
      return reply(200, [], pages > 300 ? {} : { link: `<${url}?page=${page}>; rel="next"` });
    });
    await expect(github.paginate(github.rest.pulls.listCommits, pull)).rejects.toThrow(
      "GitHub's list has more pages than Postil reads, or no end",
    );
    expect(log.length).toBeLessThanOrEqual(101);
  });

  it('is not repeated at an address to which nothing can be sent', async () => {
    let attempts = 0;
    const wait: typeof systemClock.wait = (milliseconds, signal) => {
      // The deadline of each.
      attempts += 1;
      return systemClock.wait(milliseconds, signal);
    };
    const opened = await open(['hang'], { apiUrl: 'http://127.0.0.1:9', clock: { ...systemClock, wait } });
    expect([await readingOf(opened), attempts]).toEqual(['bad port', 1]);
  });
});

describe('writePace', () => {
  it('lets three writes go at once, and then one a second', () => {
    let now = 0;
    const pace = writePace('github', () => now);
    expect([pace(), pace(), pace(), pace(), pace()]).toEqual([0, 0, 0, 1000, 2000]);
    now = 60_000;
    expect([pace(), pace(), pace(), pace()]).toEqual([0, 0, 0, 1000]);
  });
});
