import { describe, expect, it } from 'vitest';
import { play } from './review.ts';
import { openShop, reviewOf, titlesOf } from './shop-world.ts';

const runs = ['111', '222'].map((id) => ({ GITHUB_RUN_ID: id }));

describe('two runs at once', () => {
  it('say everything once: the later one takes back what it said twice and points to the other', async () => {
    const { scenario, stage, say } = await openShop(3);
    say(reviewOf([0, 1, 2]));
    const both = await Promise.all(
      runs.map((environment) => play(stage, { ...scenario, environment, start: 'bundle' })),
    );
    expect(titlesOf(stage.github).toSorted()).toEqual(['price0 reads', 'price1 reads', 'price2 reads']);
    expect(stage.github.conversation()).toHaveLength(1);
    expect(both.map(({ outputs }) => [outputs['outcome'], outputs['findings']])).toEqual([
      ['findings', '3'],
      ['findings', '3'],
    ]);
  });

  it('of two reviewers with names of their own do not touch each other', async () => {
    const { scenario, stage, say } = await openShop(1);
    say(reviewOf([0]));
    for (const name of ['One', 'Two']) await play(stage, { ...scenario, inputs: { name } });
    await play(stage, { ...scenario, inputs: { name: 'One' } });
    expect(titlesOf(stage.github)).toEqual(['price0 reads', 'price0 reads']);
    expect(stage.github.conversation().map(({ body }) => body.slice(0, 7))).toEqual(['### One', '### Two']);
  });
});
