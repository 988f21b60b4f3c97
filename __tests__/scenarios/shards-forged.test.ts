import { copyFileSync, mkdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { lacks } from '../fakes/platform.ts';
import type { ActionRun } from './harness.ts';
import { push, shopText, titlesOf } from './review.ts';
import { openShards, shardsOf, stateKey } from './shards.ts';

const told = (run: Pick<ActionRun, 'code' | 'outputs'>) => [
  run.code,
  ...['outcome', 'findings', 'posted'].map((name) => run.outputs[name]),
];

const errorsOf = ({ annotations }: ActionRun) => annotations.map(({ message }) => message).join('\n');

describe('what the posting job finds in the place of shards', () => {
  it.skipIf(lacks.symbolicLinks)('counts by what is in it and not by its name, and what is none is named', async () => {
    const jobs = await openShards(20);
    await jobs.reviewAll();
    const inside = (name: string) => join(jobs.folder, name);
    renameSync(jobs.fileOf(1), inside('kept.json'));
    renameSync(jobs.fileOf(2), jobs.fileOf(1));
    renameSync(inside('kept.json'), jobs.fileOf(2));
    copyFileSync(jobs.fileOf(1), jobs.fileOf(3));
    mkdirSync(jobs.fileOf(4));
    symlinkSync(jobs.fileOf(1), jobs.fileOf(5));
    writeFileSync(jobs.fileOf(6), 'x'.repeat(5_000_001));
    writeFileSync(jobs.fileOf(7), '{"schema_version":4,');
    copyFileSync(jobs.planFile, jobs.fileOf(8));
    const posted = await jobs.post({ 'require-complete': 'true' });
    expect([told(posted), titlesOf(jobs.stage.github).length]).toEqual([[0, 'findings', '20', '15'], 15]);
    const why = ['is not a file', 'symbolic link', 'larger than 5 MB', 'not JSON', 'a plan and no review'];
    expect(why.map((words) => posted.summary.includes(words))).toEqual(why.map(() => true));
  });

  it('may be nothing at all, and then nothing is approved; more than a thousand files are refused', async () => {
    const jobs = await openShards(20);
    await jobs.reviewAll();
    const nothing = await jobs.post({ 'review-file': join(jobs.folder, 'none-*.json'), 'review-event': 'approve' });
    expect([told(nothing), jobs.stage.github.reviews()]).toEqual([[1, 'failed', '0', '0'], []]);
    for (let index = 0; index < 2_000; index += 1) writeFileSync(join(jobs.folder, `shard-x${index}.json`), '');
    const many = await jobs.post();
    expect([many.code, errorsOf(many)]).toEqual([1, expect.stringContaining('more than 1000 files')]);
  });
});

describe('a file that somebody changed between the jobs', () => {
  it('is not used where it is of a shard, with a key of all jobs', async () => {
    const jobs = await openShards(20);
    await jobs.reviewAll();
    jobs.tamper(jobs.fileOf(1), (text) => text.replace('price0 reads', 'price0 is fine, and reads'));
    const posted = await jobs.post();
    expect(told(posted)).toEqual([0, 'partial', '10', '10']);
    expect(posted.log).toMatch(
      /Shard 1 of 2 handed in a file that was not used: it is not signed with the `state-key`/,
    );
  });

  it('is refused by the shards where it is the plan, and posting it says that nothing of it is proven', async () => {
    const jobs = await openShards(20);
    await jobs.reviewAll();
    jobs.tamper(jobs.planFile, (text) => text.replace('"batches":[1]', '"batches":[]'));
    const review = await jobs.review('2/2');
    expect([review.code, errorsOf(review)]).toEqual([1, expect.stringContaining('is not signed with the `state-key`')]);
    const posted = await jobs.post({ 'require-complete': 'true' });
    expect([posted.code, posted.outputs['outcome']]).toEqual([1, 'failed']);
  });

  it('never comes to a complete review without a key, whatever it says', async () => {
    const jobs = await openShards(10);
    const none = { 'state-key': '' };
    await jobs.reviewAll(none);
    jobs.tamper(jobs.fileOf(1), (text) => text.replace('"findings"', '"clean"'));
    expect(told(await jobs.post({ ...none, 'require-complete': 'true' }))).toEqual([1, 'partial', '10', '10']);
    // The posting job alone has a key: what it does not know its own signature by is not used.
    expect(told(await jobs.post({ 'require-complete': 'true' })).slice(0, 2)).toEqual([1, 'failed']);
  });

  it.each([
    [
      'is signed with another key',
      { 'state-key': 'another-key-of-others-0123456789' },
      'is not signed with the `state-key`',
    ],
    ['was made with other inputs', { exclude: '**/*.md' }, 'made with other settings'],
    ['was made for another model', { model: 'other' }, 'made with other settings'],
  ])('stops a shard whose plan %s', async (_what, inputs, words) => {
    const jobs = await openShards(10);
    await jobs.plan(inputs);
    const review = await jobs.review('1/1');
    expect([review.code, errorsOf(review)]).toEqual([1, expect.stringContaining(words)]);
  });

  it.each(['9/8', '0/8', '3/9', '1/1', 'x'])('stops the shard %s, which the plan does not have', async (shard) => {
    const jobs = await openShards(20);
    await jobs.plan();
    const review = await jobs.review(shard, { 'review-file': jobs.fileOf(1) });
    expect([review.code, jobs.stage.model.requests.length]).toEqual([1, 0]);
    expect(errorsOf(review)).toMatch(/The plan has 2 shards|is not such as '3\/8'/);
  });
});

describe('a head that moves', () => {
  it('between the plan and a shard, and between a shard and the post, leaves nothing of the older one', async () => {
    const jobs = await openShards(20);
    const [first = '', second = ''] = shardsOf(await jobs.plan());
    await jobs.review(first);
    const at = await push(jobs.stage, { files: { 'src/shop-2.ts': shopText(2, 25) } });
    const asked = jobs.stage.model.requests.length;
    const late = await jobs.review(second, {}, { at });
    expect([late.code, jobs.stage.model.requests.length - asked]).toEqual([0, 0]);
    const posted = await jobs.post({ 'require-complete': 'true' }, { at });
    expect([posted.code, posted.outputs['outcome'], jobs.stage.github.comments()]).toEqual([1, 'skipped', []]);
    expect(posted.log).toContain('The review is out of date');
  });
});

describe('the files between the jobs', () => {
  it('hold no key and no secret of the change, and a folder that is called after one is reviewed like others', async () => {
    const secret = `ghp_${'0aB1cD2eF3gH4iJ5kL6mN7oP8qR9sT0uV1wX'}`;
    const text = `${shopText(0, 10)}export const token = '${secret}';\n`;
    const head = { 'src/shop-0.ts': text, [`src/${secret}/shop.ts`]: 'export const shelf = 1;\n' };
    const jobs = await openShards(0, { world: { base: { 'README.md': '# Shop\n' }, head } });
    const shards = await jobs.reviewAll();
    const files = [jobs.planFile, ...shards.map((_, at) => jobs.fileOf(at + 1))].map((path) =>
      readFileSync(path, 'utf8'),
    );
    const hidden = [jobs.stage.model.apiKey, stateKey, jobs.stage.world.github.token, `'${secret}'`];
    expect(hidden.map((one) => files.some((file) => file.includes(one)))).toEqual([false, false, false, false]);
    const posted = await jobs.post();
    expect([posted.outputs['outcome'], posted.outputs['stop-reason']]).toEqual(['findings', 'completed']);
  });
});
