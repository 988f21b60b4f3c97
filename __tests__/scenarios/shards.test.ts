import { describe, expect, it } from 'vitest';
import type { ActionRun } from './harness.ts';
import { shopText, titlesOf } from './review.ts';
import { openShards } from './shards.ts';

const fields =
  (...names: readonly string[]) =>
  (run: Pick<ActionRun, 'code' | 'outputs'>) => [run.code, ...names.map((name) => run.outputs[name])];

describe('a review in shards', () => {
  it('comes to what one job comes to', async () => {
    const alone = await openShards(35);
    const one = await alone.alone();
    const jobs = await openShards(35);
    const shards = await jobs.reviewAll();
    expect([shards, jobs.stage.github.writes()]).toEqual([['1/4', '2/4', '3/4', '4/4'], []]);
    const asked = jobs.stage.model.requests.length;
    const posted = await jobs.post();
    const told = fields('outcome', 'findings', 'posted', 'unread', 'input-tokens', 'output-tokens', 'stop-reason');
    expect([told(posted), titlesOf(jobs.stage.github)]).toEqual([told(one), titlesOf(alone.stage.github)]);
    expect([posted.outputs['outcome'], asked]).toEqual(['findings', jobs.stage.model.requests.length]);
  });

  it('names what a shard left that handed nothing in, and is brought up to date when that job has run again', async () => {
    const jobs = await openShards(35);
    await jobs.reviewAll({}, { but: [2] });
    const first = await jobs.post({ 'require-complete': 'true' });
    expect(fields('outcome', 'posted', 'unread')(first)).toEqual([1, 'partial', '15', '1']);
    expect(first.summary).toContain('Shard 2 of 4 handed nothing in. Run its job again, and then this one.');
    await jobs.review('2/4', {}, { attempt: 2 });
    const second = await jobs.post({ 'require-complete': 'true' }, { attempt: 2 });
    expect(fields('outcome', 'findings', 'unread')(second)).toEqual([0, 'findings', '35', '0']);
    const titles = titlesOf(jobs.stage.github);
    expect([titles.length, new Set(titles).size, jobs.stage.github.conversation().length]).toEqual([25, 25, 1]);
  });

  it('is at most partial without `state-key`, and says what would make it whole', async () => {
    const jobs = await openShards(15);
    await jobs.reviewAll({ 'state-key': '' });
    const run = await jobs.post({ 'state-key': '' });
    expect(fields('outcome', 'posted')(run)).toEqual([0, 'partial', '15']);
    expect(run.summary).toContain('give all three jobs the same `state-key`');
  });

  it('does not use a file that somebody changed', async () => {
    const jobs = await openShards(15);
    await jobs.reviewAll();
    jobs.tamper(jobs.fileOf(2), (text) => text.replace('"reviewed":true', '"reviewed": true'));
    const run = await jobs.post();
    expect(fields('outcome', 'findings', 'unread')(run)).toEqual([0, 'partial', '10', '1']);
    expect(run.summary).toContain('was not used: it is not signed with the `state-key` of this job.');
  });
});

describe('what the model is shown', () => {
  const lines = (count: number, from = 0) =>
    Array.from(
      { length: count },
      (_, at) => `const value${from + at} = compute(${from + at}, 'some words to fill a line');`,
    );
  const long = [...lines(1_200), shopText(0, 10), ...lines(1_200, 1_200)].join('\n');
  const world = {
    base: {
      'README.md': '# Shop\n',
      'src/gone.ts': lines(30).join('\n'),
      'src/old-name.ts': `${lines(60).join('\n')}\n`,
      'src/end.ts': 'a\nb',
    },
    head: {
      'src/shop-0.ts': long,
      'src/shop-1.ts': `${shopText(1, 20)}const wide = '${'x'.repeat(40_000)}';\n`,
      'src/gone.ts': null,
      'src/old-name.ts': null,
      'src/new-name.ts': `${lines(60).join('\n').replace('value7 ', 'value7renamed ')}\n`,
      'src/end.ts': 'a\nc',
      'docs/shop.md': 'Words.\n',
    },
  };

  it.each(['thorough', 'quick'])(
    'is the same in shards as in one job, to the letter, with profile %s',
    async (profile) => {
      const inputs = { profile, 'files-per-batch': '3', 'max-total-tokens': '4000000', 'shard-tokens': '20000' };
      const alone = await openShards(0, { world });
      const jobs = await openShards(0, { world });
      const one = await alone.alone(inputs);
      const shards = await jobs.reviewAll(inputs);
      const posted = await jobs.post(inputs);
      const openings = ({ stage }: typeof jobs) =>
        new Set(
          stage.model.requests.map(({ messages }) =>
            messages
              .slice(0, 2)
              .map(({ text }) => text)
              .join('\n'),
          ),
        );
      expect(shards.length).toBeGreaterThan(1);
      expect([...openings(jobs)].toSorted()).toEqual([...openings(alone)].toSorted());
      const told = fields('outcome', 'findings', 'posted', 'stop-reason');
      expect([told(posted), titlesOf(jobs.stage.github)]).toEqual([told(one), titlesOf(alone.stage.github)]);
    },
  );
});
