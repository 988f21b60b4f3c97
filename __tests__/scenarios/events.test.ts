import { describe, expect, it } from 'vitest';
import { submit } from '../fakes/model-server/script.ts';
import { createWorld } from '../fakes/world/create-world.ts';
import type { EventName } from '../fakes/world/event.ts';
import type { ActionRun } from './harness.ts';
import { play, review, setStage, totalWorld, wrongLineFinding, wrongLineNumber } from './review.ts';

const found = [submit([wrongLineFinding])];

it('a run is skipped, and the job passes, for a draft, a closed pull request, and on a push', async () => {
  const stage = await setStage({ world: totalWorld, model: [] });
  const { people } = stage.github;
  const runs: ActionRun[] = [];
  const skip = async (event: EventName = 'pull_request') =>
    runs.push(await play(stage, { world: totalWorld, model: [], event }));
  await skip('push');
  people.change({ draft: true });
  await skip();
  people.change({ draft: false, state: 'closed' });
  await skip();
  await skip('workflow_run');
  expect(runs.map(({ code, outputs }) => [code, outputs['outcome']])).toEqual(runs.map(() => [0, 'skipped']));
  expect([stage.model.attempts, stage.github.writes()]).toEqual([[], []]);
  expect([runs[1]?.log.includes('draft'), runs[2]?.log.includes('closed')]).toEqual([true, true]);
});

it.each<[string, EventName, Record<string, string>]>([
  ['the pull request behind a workflow run', 'workflow_run', {}],
  ['the number that a manual run names', 'workflow_dispatch', { 'pull-request': '7' }],
  ['the number that an input names on issues', 'issues', { 'pull-request': '7' }],
  ['its pull request, without a checkout on pull_request_target', 'pull_request_target', {}],
])('a run reviews %s', async (_, event, inputs) => {
  const { github } = await review({
    world: { ...totalWorld, fork: event === 'workflow_run' },
    model: found,
    event,
    inputs,
    checkout: null,
  });
  expect(github.comments().map(({ line }) => line)).toEqual([wrongLineNumber]);
});

it.each<[string, EventName, Record<string, string>, RegExp]>([
  ['names no pull request', 'issues', {}, /issues.*pull-request/s],
  ['names no pull request', 'workflow_dispatch', {}, /workflow_dispatch.*pull-request/s],
  ['names one that does not exist', 'workflow_dispatch', { 'pull-request': '99' }, /99/],
])('a run that %s on %s fails, and says the way out', async (_, event, inputs, words) => {
  const { run } = await review({ world: totalWorld, model: [], event, inputs });
  expect([run.code, run.outputs['outcome']]).toEqual([1, 'failed']);
  expect(run.annotations[0]?.message).toMatch(words);
});

describe('a pull request is reviewed', () => {
  it('that a coding agent opened as a draft, without a description, from a fork that is gone, and for its own change', async () => {
    const made = createWorld({
      ...totalWorld,
      fork: true,
      main: { 'src/elsewhere.ts': 'export const secretOfMain = 1;\n' },
      pullRequest: { author: 'copilot-swe-agent[bot]', body: '', draft: true },
    });
    const pull = { ...made.pull, head: { ...made.pull.head, repository: null } };
    const world = { ...made, pull, github: { ...made.github, pullRequests: [pull] } };
    const { github, model } = await review({ world, model: found, inputs: { 'review-drafts': 'true' } });
    expect(github.comments().map(({ line }) => line)).toEqual([wrongLineNumber]);
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
