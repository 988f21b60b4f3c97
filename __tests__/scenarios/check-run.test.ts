import { describe, expect, it } from 'vitest';
import { submit } from '../fakes/model-server/script.ts';
import { review } from './review.ts';
import { reviewOf, shopWorld } from './shop-world.ts';
import { totalWorld } from './total-world.ts';

const inputs = { 'check-run': 'true', name: 'Careful review' };
const many = Array.from({ length: 60 }, (_, index) => index);

describe('`check-run: true`', () => {
  it('makes a check with all annotations, in pages of 50, and none by commands', async () => {
    const { github, run } = await review({
      world: shopWorld(60),
      model: [reviewOf(many)],
      inputs: { ...inputs, 'max-comments': '100', 'files-per-batch': '100' },
      start: 'bundle',
    });
    const [check] = github.checkRuns();
    expect(check?.content).toMatchObject({ name: 'Careful review', status: 'completed', conclusion: 'success' });
    expect([check?.annotations.length, run.annotations]).toEqual([60, []]);
    const pages = github.writes().filter(({ method, path }) => method === 'PATCH' && path.includes('/check-runs/'));
    expect(pages.length).toBeGreaterThanOrEqual(3);
  });

  it.each([
    ['failure', reviewOf([0]), { 'fail-on': 'warning' }],
    ['success', reviewOf([0]), { 'fail-on': 'critical' }],
    ['success', submit([]), {}],
    ['neutral', reviewOf([0]), { 'max-total-tokens': '1000' }],
  ] as const)('concludes with %s', async (conclusion, answer, more) => {
    const { github } = await review({ world: shopWorld(1), model: () => answer, inputs: { ...inputs, ...more } });
    expect(github.checkRuns().map(({ content }) => [content['status'], content['conclusion']])).toEqual([
      ['completed', conclusion],
    ]);
  });

  it('falls back to workflow commands without `checks: write`, and says so once', async () => {
    const permissions = { contents: 'read', 'pull-requests': 'write', issues: 'write', checks: 'read' } as const;
    const world = { ...shopWorld(1), github: { permissions } };
    const { github, run } = await review({ world, model: [reviewOf([0])], inputs });
    expect([github.checkRuns(), run.annotations.length, run.outputs['posted']]).toEqual([[], 1, '1']);
    expect(run.log).toContain('`checks: write`');
    expect(run.code).toBe(0);
  });

  it('is completed when the review fails', async () => {
    const { github, run } = await review({
      world: totalWorld,
      model: () => ({ kind: 'fault', status: 401, body: { error: { message: 'Incorrect API key' } }, headers: {} }),
      inputs,
    });
    expect([run.outputs['outcome'], github.checkRuns().map(({ content }) => content['conclusion'])]).toEqual([
      'failed',
      ['failure'],
    ]);
  });
});
