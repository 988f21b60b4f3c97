import { describe, expect, it } from 'vitest';
import { submit } from '../fakes/model-server/script.ts';
import { createWorld } from '../fakes/world/create-world.ts';
import type { EventName } from '../fakes/world/event.ts';
import { play, review, setStage, totalWorld, wrongLineFinding, wrongLineNumber } from './review.ts';

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

const found = [submit([wrongLineFinding])];

describe('a pull request is reviewed', () => {
  it.each([
    ['that a coding agent opened', { author: 'copilot-swe-agent[bot]' }],
    ['without a description', { body: '' }],
  ])('%s', async (_, pullRequest) => {
    const { github } = await review({ world: { ...totalWorld, pullRequest }, model: found });
    expect(github.comments().map(({ line }) => line)).toEqual([wrongLineNumber]);
  });

  it('whose fork was deleted meanwhile', async () => {
    const made = createWorld({ ...totalWorld, fork: true });
    const pull = { ...made.pull, head: { ...made.pull.head, repository: null } };
    const world = { ...made, pull, github: { ...made.github, pullRequests: [pull] } };
    const { github, run } = await review({ world, model: found });
    expect([github.comments().length, run.outputs['outcome']]).toEqual([1, 'findings']);
  });

  it('that is a draft, when the workflow wants that', async () => {
    const world = { ...totalWorld, pullRequest: { draft: true } };
    const { github } = await review({ world, model: found, inputs: { 'review-drafts': 'true' } });
    expect(github.comments()).toHaveLength(1);
  });

  it('for what its author changed, and not for what main did meanwhile', async () => {
    const main = { 'src/elsewhere.ts': 'export const secretOfMain = 1;\n' };
    const { model } = await review({ world: { ...totalWorld, main }, model: found });
    expect(model.requests.some(({ prompt }) => prompt.includes('secretOfMain'))).toBe(false);
  });

  it('with its title, text, commits and all that was said, as data', async () => {
    const { model } = await review({
      world: {
        base: totalWorld.base,
        head: [totalWorld.head, { 'README.md': '# Spoons\n' }],
        pullRequest: {
          title: 'Title of it',
          body: 'Text of it',
          conversation: [{ author: 'ada', body: 'Said below' }],
          threads: [{ path: 'src/total.ts', line: 4, comments: [{ author: 'ada', body: 'Said at the line' }] }],
        },
      },
      model: found,
    });
    const prompt = model.requests[0]?.messages.at(-1)?.text ?? '';
    for (const words of ['Title of it', 'Text of it', 'Change the files, step 2', 'Said below', 'Said at the line']) {
      expect(prompt).toContain(words);
    }
    expect(prompt.indexOf('Title of it')).toBeGreaterThan(prompt.indexOf('<untrusted-'));
  });
});

describe('a run without a pull request of its own', () => {
  it('on workflow_dispatch says which input names one', async () => {
    const { run } = await review({ world: totalWorld, model: [], event: 'workflow_dispatch' });
    expect([run.code, run.outputs['outcome']]).toEqual([1, 'failed']);
    expect(run.annotations[0]?.message).toMatch(/workflow_dispatch.*pull-request/s);
  });

  it('after a workflow run whose pull request is closed is skipped', async () => {
    const world = { ...totalWorld, pullRequest: { state: 'closed' as const } };
    const { run } = await review({ world, model: [], event: 'workflow_run' });
    expect([run.code, run.outputs['outcome']]).toEqual([0, 'skipped']);
  });

  it('on issues is held of the number that the input names', async () => {
    const { github } = await review({
      world: totalWorld,
      model: found,
      event: 'issues',
      inputs: { 'pull-request': '7' },
    });
    expect(github.comments()).toHaveLength(1);
  });

  it('that names one which does not exist fails, and says so', async () => {
    const { run } = await review({
      world: totalWorld,
      model: [],
      event: 'workflow_dispatch',
      inputs: { 'pull-request': '99' },
    });
    expect([run.code, run.outputs['outcome']]).toEqual([1, 'failed']);
    expect(run.annotations[0]?.message).toContain('99');
  });
});

it('a review that is run again on the same commit reads the same', async () => {
  const scenario = { world: totalWorld, model: () => submit([wrongLineFinding]), inputs: { 'dry-run': 'true' } };
  const stage = await setStage(scenario);
  const runs = [await play(stage, scenario), await play(stage, scenario)];
  const [first, second] = runs.map(({ outputs: { 'cached-tokens': _, ...outputs } }) => outputs);
  expect(second).toEqual(first);
  const [one, other] = stage.model.requests.map(({ prompt }) => prompt);
  expect(one).toBe(other);
});
