import { describe, expect, it } from 'vitest';
import type { Answer } from '../fakes/model-server/script.ts';
import { submit } from '../fakes/model-server/script.ts';
import { push } from './push.ts';
import { reviewOf, shopFile, shopText, shopWorld, titlesOf } from './shop-world.ts';
import { totalWorld, wrongLineFinding, wrongLineNumber } from './total-world.ts';
import { setTwoJobs } from './two-jobs.ts';

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
  ])('is told what its mode does not go with: %o', async (inputs, words) => {
    const jobs = await setTwoJobs(totalWorld, []);
    const run = await jobs.post(inputs);
    expect([run.code, jobs.stage.github.writes()]).toEqual([1, []]);
    expect(run.annotations[0]?.message).toContain(words);
  });
});
