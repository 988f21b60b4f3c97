import { describe, expect, it } from 'vitest';
import { push } from './push.ts';
import { play } from './review.ts';
import { openShop, reviewOf, shopFile, shopText, titlesOf } from './shop-world.ts';

const person = { viewer: 'postil-app[bot]' };
const mended = { files: { [shopFile(0)]: '/** Nothing is left. */\n' } };

describe('`review-event: request-changes`', () => {
  const inputs = { 'review-event': 'request-changes' };

  it('asks for changes, and takes it back when the reasons are gone', async () => {
    const { scenario, stage, say } = await openShop(1);
    say(reviewOf([0]));
    await play(stage, { ...scenario, inputs, start: 'bundle' });
    expect(stage.github.reviews().map(({ state }) => state)).toEqual(['CHANGES_REQUESTED']);
    say(reviewOf([]));
    const run = await play(await push(stage, mended), { ...scenario, inputs });
    expect([run.outputs['outcome'], stage.github.reviews().map(({ state }) => state)]).toEqual([
      'clean',
      ['DISMISSED'],
    ]);
  });

  it('keeps asking while what it is about stands, without saying it again', async () => {
    const { scenario, stage, say } = await openShop(1);
    say(reviewOf([0]));
    await play(stage, { ...scenario, inputs });
    await play(await push(stage, { files: { 'src/other.ts': 'export {};\n' } }), { ...scenario, inputs });
    expect(stage.github.reviews().map(({ state }) => state)).toEqual(['CHANGES_REQUESTED']);
  });
});

describe('`review-event: approve`', () => {
  const inputs = { 'review-event': 'approve' };

  it('approves a clean change of somebody who may write, once', async () => {
    const { scenario, stage, say } = await openShop(1, { github: person });
    say(reviewOf([]));
    await play(stage, { ...scenario, inputs });
    await play(stage, { ...scenario, inputs: { ...inputs, incremental: 'false' } });
    expect(stage.github.reviews().map(({ state }) => state)).toEqual(['APPROVED']);
  });

  it('takes an approval back when a later push is not clean', async () => {
    const { scenario, stage, say } = await openShop(1, { github: person });
    say(reviewOf([]));
    await play(stage, { ...scenario, inputs });
    say(reviewOf([0]));
    const pushed = await push(stage, { files: { [shopFile(0)]: `// Pushed.\n${shopText(0, 1)}` } });
    await play(pushed, { ...scenario, inputs });
    expect(stage.github.reviews().map(({ state }) => state)).toEqual(['DISMISSED', 'CHANGES_REQUESTED']);
  });

  it('does not approve what somebody without write permission wrote', async () => {
    const { scenario, stage, say } = await openShop(1, { github: { ...person, collaborators: { ada: 'read' } } });
    say(reviewOf([]));
    await play(stage, { ...scenario, inputs });
    expect(stage.github.reviews()).toEqual([]);
  });

  it('becomes a comment that says so, once, where GitHub does not permit it', async () => {
    const { scenario, stage, say } = await openShop(1);
    say(reviewOf([]));
    const run = await play(stage, { ...scenario, inputs });
    await play(stage, { ...scenario, inputs: { ...inputs, incremental: 'false' } });
    expect(stage.github.reviews().map(({ state }) => state)).toEqual(['COMMENTED']);
    expect(stage.github.reviews()[0]?.body).toContain('GitHub Actions is not permitted to approve pull requests');
    expect([run.outputs['outcome'], run.summary.includes('GitHub did not accept the approval')]).toEqual([
      'clean',
      true,
    ]);
  });

  it('asks for changes too, and that is a comment on a pull request of its own', async () => {
    const own = { github: person, pullRequest: { author: 'postil-app[bot]' } };
    const { scenario, stage, say } = await openShop(1, own);
    say(reviewOf([0]));
    await play(stage, { ...scenario, inputs });
    expect(stage.github.reviews().map(({ state }) => state)).toEqual(['COMMENTED']);
    expect(titlesOf(stage.github)).toEqual(['price0 reads']);
  });
});
