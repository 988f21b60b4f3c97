import { describe, expect, it } from 'vitest';
import type { ActionRun } from './harness.ts';
import { push, shopFile, shopText, titlesOf } from './review.ts';
import { openShards, shardsOf } from './shards.ts';

const told = (run: Pick<ActionRun, 'code' | 'outputs'>) => [
  run.code,
  ...['outcome', 'findings', 'posted'].map((name) => run.outputs[name]),
];

const titles = (to: number) => Array.from({ length: to }, (_, at) => `price${at} reads`).toSorted();

type Jobs = Awaited<ReturnType<typeof openShards>>;

/** The plan and all shards after a push, and the job that posts. */
async function again(jobs: Jobs, at: Jobs['stage'], inputs: Readonly<Record<string, string>> = {}) {
  for (const shard of shardsOf(await jobs.plan(inputs, { at }))) await jobs.review(shard, inputs, { at });
  return await jobs.post(inputs, { at });
}

describe('a shard that is missing', () => {
  it('is named with its files, and its second attempt alone adds what it finds', async () => {
    const jobs = await openShards(20);
    const shards = await jobs.reviewAll({}, { but: [2] });
    const first = await jobs.post({ 'review-event': 'approve', 'require-complete': 'true' });
    expect([shards, told(first)]).toEqual([
      ['1/2', '2/2'],
      [1, 'partial', '10', '10'],
    ]);
    const [summary] = jobs.stage.github.conversation();
    expect(summary?.body).toContain('Shard 2 of 2 handed nothing in');
    expect(summary?.body).toContain(shopFile(1));
    expect(jobs.stage.github.reviews().map(({ state }) => state)).not.toContain('APPROVED');
    await jobs.review('2/2', {}, { attempt: 2 });
    const second = await jobs.post({ 'require-complete': 'true' }, { attempt: 2 });
    expect(told(second)).toEqual([0, 'findings', '20', '10']);
    expect(titlesOf(jobs.stage.github).toSorted()).toEqual(titles(20));
    expect(jobs.stage.github.conversation()).toHaveLength(1);
    expect(jobs.stage.github.conversation()[0]?.body).not.toContain('handed nothing in');
    // A shard that runs again now has what was posted in its memory: it still reviews the same.
    await jobs.review('1/2', {}, { attempt: 3 });
    expect(told(await jobs.post({}, { attempt: 3 }))).toEqual([0, 'findings', '20', '0']);
  });

  it('is looked at again after the next push, and of the rest only what changed', async () => {
    const jobs = await openShards(20);
    await jobs.reviewAll({}, { but: [2] });
    await jobs.post();
    const at = await push(jobs.stage, { files: { 'src/shop-2.ts': shopText(2, 25) } });
    const asked = jobs.stage.model.requests.length;
    const post = await again(jobs, at);
    const prompts = jobs.stage.model.requests.slice(asked).map(({ prompt }) => prompt);
    const shown = [0, 1, 2].map((index) =>
      prompts.some((prompt) => prompt.includes(`export function price${index}1(`)),
    );
    expect([told(post), shown]).toEqual([
      [0, 'findings', '25', '15'],
      [false, true, true],
    ]);
    expect(titlesOf(jobs.stage.github).toSorted()).toEqual(titles(25));
  });
});

describe('shards without a key', () => {
  it('leave what they were for to the next review that has one', async () => {
    const jobs = await openShards(10);
    await jobs.plan();
    await jobs.review('1/1', { 'api-key': '' });
    expect(told(await jobs.post()).slice(0, 2)).toEqual([0, 'skipped']);
    const at = await push(jobs.stage, { files: { 'src/shop-1.ts': shopText(1, 20) } });
    expect(told(await again(jobs, at))).toEqual([0, 'findings', '20', '15']);
  });

  it('make the review partial where others have one', async () => {
    const jobs = await openShards(20);
    const [first = '', second = ''] = shardsOf(await jobs.plan());
    await jobs.review(first, { 'api-key': '' });
    await jobs.review(second);
    expect(told(await jobs.post())).toEqual([0, 'partial', '10', '10']);
    expect(jobs.stage.github.conversation()[0]?.body).toContain('Shard 1 of 2 had no API key');
  });
});
