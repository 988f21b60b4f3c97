import { describe, expect, it } from 'vitest';
import { push } from './push.ts';
import { play } from './review.ts';
import {
  defectFinding,
  defectLine,
  openShop,
  reviewOf,
  rewordedReviewOf,
  shopFile,
  shopText,
  titlesOf,
} from './shop-world.ts';

describe('the same commit again', () => {
  it('costs no model call, posts nothing, and still counts what stands', async () => {
    const { scenario, stage, say } = await openShop(2);
    say(reviewOf([0, 1]));
    await play(stage, scenario);
    const asked = stage.model.requests.length;
    const again = await play(stage, { ...scenario, inputs: { 'fail-on': 'warning' } });
    expect(titlesOf(stage.github)).toEqual(['price0 reads', 'price1 reads']);
    expect(stage.model.requests.length).toBe(asked);
    expect([again.outputs['outcome'], again.outputs['findings'], again.outputs['posted']]).toEqual([
      'findings',
      '2',
      '0',
    ]);
    expect(again.code).toBe(1);
  });

  it('is reviewed in full when the workflow asks for it, and nothing is said twice', async () => {
    const { scenario, stage, say } = await openShop(2);
    say(reviewOf([0, 1]));
    await play(stage, scenario);
    say(rewordedReviewOf([0, 1]));
    const again = await play(stage, { ...scenario, inputs: { incremental: 'false' } });
    expect(titlesOf(stage.github)).toEqual(['price0 reads', 'price1 reads']);
    expect([again.outputs['findings'], again.outputs['posted']]).toEqual(['2', '0']);
    expect(stage.github.conversation()).toHaveLength(1);
  });
});

describe('a push', () => {
  it('that changes other lines leaves the comments alone, whatever the model says of them now', async () => {
    const { scenario, stage, say } = await openShop(2);
    say(reviewOf([0, 1]));
    await play(stage, scenario);
    const text = `// A new first line.\n${shopText(0, 2)}`;
    const pushed = await push(stage, { files: { [shopFile(0)]: text } });
    say(rewordedReviewOf([0, 1]));
    const run = await play(pushed, scenario);
    expect(titlesOf(stage.github)).toEqual(['price0 reads', 'price1 reads']);
    expect([run.outputs['outcome'], run.outputs['findings'], run.outputs['posted']]).toEqual(['findings', '2', '0']);
  });

  it('that adds a defect posts that one alone', async () => {
    const { scenario, stage, say } = await openShop(1);
    say(reviewOf([0]));
    await play(stage, scenario);
    const pushed = await push(stage, { files: { [shopFile(0)]: shopText(0, 2) } });
    say(reviewOf([0, 1]));
    const run = await play(pushed, scenario);
    expect(titlesOf(stage.github)).toEqual(['price0 reads', 'price1 reads']);
    expect([run.outputs['findings'], run.outputs['posted']]).toEqual(['2', '1']);
    expect(run.summary).toContain('what changed since');
  });

  it('that mends everything ends clean, and the old comment says that it is outdated', async () => {
    const { scenario, stage, say } = await openShop(1);
    say(reviewOf([0]));
    await play(stage, scenario);
    const mended = shopText(0, 1).replace(defectLine(0), '  return items[items.length - 1] ?? 0;');
    const pushed = await push(stage, { files: { [shopFile(0)]: mended } });
    say(reviewOf([]));
    const run = await play(pushed, scenario);
    expect([run.outputs['outcome'], run.outputs['findings'], stage.github.reviews().length]).toEqual(['clean', '0', 1]);
    expect(stage.github.conversation()).toHaveLength(1);
    expect(stage.github.conversation()[0]?.body).toContain('No findings');
    const before = stage.github.writes().length;
    await play(pushed, scenario);
    expect(stage.github.writes().length - before).toBeLessThanOrEqual(1);
  });

  it('is looked at alone: files that it does not touch are not sent again', async () => {
    const { scenario, stage, say } = await openShop(11);
    say(reviewOf([0, 10]));
    await play(stage, scenario);
    const asked = stage.model.requests.length;
    const pushed = await push(stage, { files: { [shopFile(1)]: shopText(1, 12) } });
    say(reviewOf([11]));
    const run = await play(pushed, scenario);
    const prompts = JSON.stringify(stage.model.requests.slice(asked));
    expect([prompts.includes('price10('), prompts.includes('price11('), prompts.includes('price3(')]).toEqual([
      true,
      true,
      false,
    ]);
    expect([run.outputs['findings'], run.outputs['posted']]).toEqual(['3', '1']);
  });

  it('that moves a file takes its comments along', async () => {
    const { scenario, stage, say } = await openShop(1);
    say(reviewOf([0]));
    await play(stage, scenario);
    const pushed = await push(stage, { rename: [shopFile(0), 'src/till.ts'], files: {} });
    say({ ...reviewOf([0], (defect) => ({ ...defectFinding(defect), path: 'src/till.ts' })) });
    const run = await play(pushed, scenario);
    expect([titlesOf(stage.github), run.outputs['findings'], run.outputs['posted']]).toEqual([
      ['price0 reads'],
      '1',
      '0',
    ]);
  });

  it.each([
    ['the history was rewritten', { force: true }, {}],
    ['the settings changed', {}, { language: 'German' }],
  ] as const)('is reviewed in full when %s, and the summary says so', async (why, options, inputs) => {
    const { scenario, stage, say } = await openShop(2);
    say(reviewOf([0]));
    await play(stage, scenario);
    const pushed = await push(stage, {
      files: { [shopFile(0)]: shopText(0, 2), 'src/new.ts': 'export {};\n' },
      ...options,
    });
    say(reviewOf([0, 1]));
    const run = await play(pushed, { ...scenario, inputs });
    expect([titlesOf(stage.github), run.outputs['posted']]).toEqual([['price0 reads', 'price1 reads'], '1']);
    expect(run.summary).toContain(why);
  });
});
