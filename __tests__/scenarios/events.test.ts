import { describe, expect, it } from 'vitest';
import { submit } from '../fakes/model-server/script.ts';
import type { EventName } from '../fakes/world/event.ts';
import { review } from './review.ts';
import { totalWorld, wrongLineFinding, wrongLineNumber } from './total-world.ts';

describe('a run is skipped, and the job passes,', () => {
  it.each([
    ['for a draft', { draft: true }, /draft/],
    ['for a closed pull request', { state: 'closed' as const }, /closed/],
    ['for a merged pull request', { state: 'merged' as const }, /merged|closed/],
    ['for an author that the workflow skips', { author: 'renovate[bot]' }, /renovate/],
  ])('%s', async (_, pullRequest, words) => {
    const { author = 'ada' } = { author: 'ada', ...pullRequest };
    const authors = [`${author} <${author}@users.noreply.github.com>`];
    const { model, run } = await review({ world: { ...totalWorld, authors, pullRequest }, model: [] });
    expect([run.code, run.outputs['outcome'], model.attempts]).toEqual([0, 'skipped', []]);
    expect(run.log).toMatch(words);
  });

  it.each<EventName>(['push', 'merge_group'])('on %s', async (event) => {
    const { run, github } = await review({ world: totalWorld, model: [], event, start: 'bundle' });
    expect([run.code, run.outputs['outcome'], github.writes()]).toEqual([0, 'skipped', []]);
  });

  it('when there is nothing to review', async () => {
    const head = { 'package-lock.json': '{}\n' };
    const { run } = await review({ world: { ...totalWorld, head }, model: [], inputs: { 'skip-kinds': 'lock-files' } });
    expect([run.code, run.outputs['outcome']]).toEqual([0, 'skipped']);
    expect(run.summary).toContain('package-lock.json');
  });
});

describe('a review is held', () => {
  it.each<[string, EventName, Record<string, string>]>([
    ['of the pull request behind a workflow run', 'workflow_run', {}],
    ['of the number that a manual run names', 'workflow_dispatch', { 'pull-request': '7' }],
    ['without a checkout on pull_request_target', 'pull_request_target', {}],
  ])('%s', async (_, event, inputs) => {
    const { github } = await review({
      world: { ...totalWorld, fork: event === 'workflow_run' },
      model: [submit([wrongLineFinding])],
      event,
      inputs,
      checkout: null,
    });
    expect(github.comments().map(({ line }) => line)).toEqual([wrongLineNumber]);
  });
});

describe('an event without a pull request', () => {
  it('ends with a message that names it and the way out', async () => {
    const { run } = await review({ world: totalWorld, model: [], event: 'issues', start: 'bundle' });
    expect(run.code).toBe(1);
    expect(run.annotations[0]?.message).toMatch(/issues.*pull-request/s);
  });
});
