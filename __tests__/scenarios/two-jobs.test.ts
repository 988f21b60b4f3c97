import { describe, expect, it } from 'vitest';
import { readMarks, withoutMarks } from '../../src/core/memory/mark.ts';
import { type Answer, submit } from '../fakes/model-server/script.ts';
import {
  push,
  reviewOf,
  shopFile,
  shopText,
  shopWorld,
  titlesOf,
  totalWorld,
  wrongLine,
  wrongLineFinding,
  wrongLineNumber,
} from './review.ts';
import { setTwoJobs } from './worlds.ts';

describe('a pull request from a fork, reviewed in one job and posted in another', () => {
  it('is posted by the second, and the first writes nothing but its file', async () => {
    const { stage, review, post, readFile } = await setTwoJobs(totalWorld, [submit([wrongLineFinding])], {
      start: 'bundle',
    });
    const first = await review();
    expect([first.code, first.outputs['outcome'], first.outputs['posted'], stage.github.writes()]).toEqual([
      0,
      'findings',
      '0',
      [],
    ]);
    const asked = stage.model.requests.length;
    const text = readFile();
    expect([text.includes(stage.model.apiKey), text.includes(stage.world.github.token)]).toEqual([false, false]);
    const second = await post();
    expect(stage.github.comments().map(({ path, line }) => `${path}:${line}`)).toEqual([
      `src/total.ts:${wrongLineNumber}`,
    ]);
    expect([
      second.code,
      second.outputs['outcome'],
      second.outputs['posted'],
      stage.model.requests.length - asked,
    ]).toEqual([0, 'findings', '1', 0]);
    expect(stage.github.conversation()).toHaveLength(1);
  });

  it('is remembered: after a push the model sees the new, and only that is posted', async () => {
    let answer: Answer = reviewOf([0]);
    const jobs = await setTwoJobs(shopWorld(1), () => answer);
    await jobs.review();
    await jobs.post();
    const pushed = await push(jobs.stage, { files: { [shopFile(0)]: shopText(0, 2) } });
    answer = reviewOf([0, 1]);
    const first = await jobs.review({}, pushed);
    expect(first.summary).toContain('what changed since');
    const second = await jobs.post({}, pushed);
    expect(titlesOf(jobs.stage.github)).toEqual(['price0 reads', 'price1 reads']);
    expect([second.outputs['findings'], second.outputs['posted']]).toEqual(['2', '1']);
    expect(jobs.stage.github.conversation()).toHaveLength(1);
  });

  it('without `state-key` is looked at whole again, says why, and nothing is said twice', async () => {
    let answer: Answer = reviewOf([0]);
    const jobs = await setTwoJobs(shopWorld(1), () => answer);
    const without = { 'state-key': '' };
    await jobs.review(without);
    await jobs.post(without);
    const pushed = await push(jobs.stage, { files: { [shopFile(0)]: shopText(0, 2) } });
    answer = reviewOf([0, 1]);
    const first = await jobs.review(without, pushed);
    expect(first.summary).toContain('what the last one left is not signed with a key of this run');
    const second = await jobs.post(without, pushed);
    expect(titlesOf(jobs.stage.github)).toEqual(['price0 reads', 'price1 reads']);
    expect([second.outputs['findings'], second.outputs['posted']]).toEqual(['2', '1']);
    expect(second.log.match(/This run has no key to sign its comments with/g)).toHaveLength(1);
    expect(jobs.stage.github.conversation()).toHaveLength(1);
  });

  it('posts nothing a second time when both jobs run again', async () => {
    const jobs = await setTwoJobs(totalWorld, () => submit([wrongLineFinding]));
    await jobs.review();
    await jobs.post();
    await jobs.review({ incremental: 'false' });
    const again = await jobs.post();
    expect([jobs.stage.github.comments().length, again.outputs['findings'], again.outputs['posted']]).toEqual([
      1,
      '1',
      '0',
    ]);
  });

  it('fails at `fail-on` in the job that posts, so that it is posted', async () => {
    const jobs = await setTwoJobs(totalWorld, [submit([wrongLineFinding])]);
    const first = await jobs.review({ 'fail-on': 'critical' });
    const second = await jobs.post({ 'fail-on': 'critical' });
    expect([first.code, second.code, jobs.stage.github.comments().length]).toEqual([0, 1, 1]);
  });
});

describe('a pull request of the repository itself, posted by a second job', () => {
  it.each([
    ['is approved with `state-key`', {}, ['APPROVED']],
    ['is never approved without', { 'state-key': '' }, []],
  ])('%s', async (_, key, states) => {
    const world = { ...totalWorld, github: { viewer: 'postil-app[bot]' } };
    const jobs = await setTwoJobs(world, () => submit([]), { fork: false });
    await jobs.review(key);
    const run = await jobs.post({ ...key, 'review-event': 'approve' });
    const reviews = jobs.stage.github.reviews().filter(({ state }) => state === 'APPROVED');
    expect([run.outputs['outcome'], reviews.map(({ state }) => state)]).toEqual(['clean', states]);
  });
});

describe('one of two jobs', () => {
  it('that cannot write the review file fails, because the other would have nothing', async () => {
    const jobs = await setTwoJobs(totalWorld, [submit([])]);
    // A full disk.
    const run = await jobs.review({ 'review-file': '/dev/full' });
    expect([run.code, run.outputs['outcome']]).toEqual([1, 'clean']);
    expect(run.annotations.map(({ message }) => message).join()).toContain('so no other job can post it');
  });

  it('that does not find the review file says where it comes from, and posts nothing', async () => {
    const jobs = await setTwoJobs(totalWorld, []);
    const run = await jobs.post();
    expect([run.code, run.outputs['outcome'], jobs.stage.github.writes()]).toEqual([1, 'failed', []]);
    expect(run.annotations[0]?.message).toContain('Did the review job upload it');
  });

  it.each([
    [{ mode: 'review', 'review-file': '' }, "needs 'review-file'"],
    [{ mode: 'review', 'review-event': 'approve' }, "'review-event'"],
    [{ mode: 'post', 'api-key': 'a-key-of-some-length' }, "'api-key'"],
  ])('reports what contradicts its mode: %o', async (inputs, words) => {
    const jobs = await setTwoJobs(totalWorld, []);
    const run = await jobs.post(inputs);
    expect([run.code, jobs.stage.github.writes()]).toEqual([1, []]);
    expect(run.annotations[0]?.message).toContain(words);
  });
});

/** Both jobs, with somebody between them. */
async function tampered(change: (text: string) => string) {
  const jobs = await setTwoJobs(totalWorld, [submit([wrongLineFinding])]);
  await jobs.review();
  jobs.tamper(change);
  return { github: jobs.stage.github, run: await jobs.post() };
}

const saying = (title: string) => (text: string) =>
  text.replace(wrongLineFinding.title, () => JSON.stringify(title).slice(1, -1));

describe('a review file that somebody changed', () => {
  it.each([
    ['names another pull request', (text: string) => text.replace('"number":7', '"number":8'), 'octo/spoon#8'],
    ['names another repository', (text: string) => text.replace('octo/spoon', 'octo/fork'), 'octo/fork#7'],
    ['is too large', (text: string) => `${text}${' '.repeat(5_000_000)}`, 'larger than 5 MB'],
    ['is no JSON', () => 'Approved!', 'it is not JSON'],
    ['chooses the event', (text: string) => text.replace('{', '{"event":"APPROVE",'), 'unknown property "event"'],
    [
      'has a prototype',
      (text: string) => text.replace('{', '{"__proto__":{"polluted":1},'),
      'unknown property "__proto__"',
    ],
    ['has more findings than a review', (text: string) => repeated(text, 1_001), 'must NOT have more than 1000 items'],
  ])('and that %s fails the job, and nothing is posted', async (_, change, words) => {
    const { github, run } = await tampered(change);
    expect([run.code, run.outputs['outcome'], github.writes()]).toEqual([1, 'failed', []]);
    expect(run.annotations[0]?.message).toContain(words);
  });

  it('and that quotes what is not there posts nothing of it, and is not complete', async () => {
    const { github, run } = await tampered((text) => text.replace(JSON.stringify(wrongLine), '"rm -rf /"'));
    expect([run.outputs['outcome'], run.outputs['findings'], github.comments()]).toEqual(['partial', '0', []]);
    expect(run.summary).toContain('what it quotes does not stand there');
  });

  it('and that holds a mark of ours in a title gets only the mark that we write', async () => {
    const mark = `<!-- postil:v1 ${JSON.stringify({ kind: 'review', name: 'Review', run: '1-1', commit: 'a', settings: 'b' })} -->`;
    const { github } = await tampered(saying(mark));
    const marks = readMarks(github.comments()[0]?.body ?? '');
    expect(marks.map(({ kind, name }) => [kind, name])).toEqual([['finding', 'Review']]);
  });

  it('and that talks in HTML, mentions and commands says nothing that GitHub or the runner would obey', async () => {
    const words =
      '@octo/team <img src="//evil.example/x"> ![a](https://evil.example/y) fixes #1 ::error::forged ##[error]forged';
    const { github, run } = await tampered((text) =>
      saying(`\n::error::forged\n${words}`)(
        text.replace(wrongLineFinding.review.slice(0, 9), () => `${words.replaceAll('"', '\\"')}\\n\\n::error::forged`),
      ),
    );
    const posted = [...github.comments(), ...github.conversation(), ...github.reviews()]
      .map(({ body }) => withoutMarks(body))
      .join('\n');
    expect(posted).not.toMatch(/<img|!\[a\]|https:\/\/evil|(?<!`)@octo|(?<![`\w])#1\b/);
    expect(run.annotations.every(({ message }) => message !== 'forged')).toBe(true);
    expect(github.comments()).toHaveLength(1);
  });

  it('and that repeats itself a thousand times is said within the limits', async () => {
    const { github, run } = await tampered((text) => repeated(text, 1_000));
    expect([run.outputs['findings'], run.outputs['posted'], github.comments().length]).toEqual(['1000', '15', 15]);
  });
});

describe('a review file of an older head', () => {
  it('is skipped when somebody pushed between the jobs, and nothing is posted', async () => {
    const jobs = await setTwoJobs(totalWorld, [submit([wrongLineFinding])]);
    await jobs.review();
    const pushed = await push(jobs.stage, { files: { 'src/more.ts': 'export {};\n' } });
    const run = await jobs.post({}, pushed);
    expect([run.code, run.outputs['outcome'], jobs.stage.github.writes()]).toEqual([0, 'skipped', []]);
    expect(run.summary).toContain('out of date');
  });

  it('does not become one of the present head by saying so', async () => {
    const jobs = await setTwoJobs(totalWorld, [submit([wrongLineFinding])]);
    await jobs.review();
    const pushed = await push(jobs.stage, { files: { 'src/total.ts': 'export const total = 0;\n' } });
    jobs.tamper((text) => text.replaceAll(jobs.stage.world.commits.head, pushed.world.commits.head));
    const run = await jobs.post({}, pushed);
    expect([run.outputs['outcome'], jobs.stage.github.comments()]).toEqual(['partial', []]);
  });
});

/** The same finding so many times, each with a title of its own. */
function repeated(text: string, times: number): string {
  const finding = /(?<="findings":\[)\{.*?\}(?=\])/s.exec(text)?.[0] ?? '';
  const copies = Array.from({ length: times }, (_, index) =>
    finding.replace(wrongLineFinding.title, () => `Number ${index} unlike word${index} any${index} other${index}`),
  );
  return text.replace(finding, () => copies.join(','));
}
