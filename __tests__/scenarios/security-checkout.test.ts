import { mkdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { submit } from '../fakes/model-server/script.ts';
import { temporaryFolder } from '../fakes/temporary-folder.ts';
import type { CheckoutOptions } from '../fakes/world/checkout.ts';
import { createWorld } from '../fakes/world/create-world.ts';
import { type EventName, eventOf } from '../fakes/world/event.ts';
import { git } from '../fakes/world/git.ts';
import { runAction } from './harness.ts';
import { play, review, type Scenario, setStage } from './review.ts';
import { totalWorld } from './total-world.ts';

const world = createWorld({ ...totalWorld, fork: true });

const scenario = (event: EventName, checkout: CheckoutOptions): Scenario => {
  const inputs = event === 'pull_request_target' || event === 'workflow_run' ? {} : { 'pull-request': '7' };
  return { world, event, checkout, inputs, model: [submit([])] };
};

describe('a workflow that has secrets and checks out a fork', () => {
  it.each([
    ['pull_request_target', { ref: 'refs/pull/7/head' }],
    ['pull_request_target', { ref: 'refs/pull/7/merge' }],
    ['workflow_run', { ref: 'refs/pull/7/head', depth: 0 }],
    ['workflow_dispatch', { ref: 'refs/pull/7/head' }],
    ['issues', { ref: 'refs/pull/7/merge' }],
  ] as const)('is refused on %s with %j, before the model is asked', async (event, checkout) => {
    const { model, run } = await review(scenario(event, checkout));
    expect([run.code, run.outputs['outcome'], model.requests.length]).toEqual([1, 'failed', 0]);
    expect(run.annotations[0]?.message).toContain('Remove the checkout step');
  });

  const fetched = ['fetch --quiet origin refs/pull/7/head'];
  const inside = (folder: string, more = '') => [
    `clone --quiet --no-checkout ${more} REMOTE ${folder}`,
    `-C ${folder} fetch --quiet origin refs/pull/7/head`,
    `-C ${folder} checkout --quiet FETCH_HEAD`,
  ];

  it.each<[string, readonly string[]]>([
    ['fetched', fetched],
    ['copied over the base', [...fetched, 'checkout --quiet FETCH_HEAD -- .']],
    ['merged', [...fetched, 'merge --quiet FETCH_HEAD']],
    ['squashed', [...fetched, 'merge --quiet --squash FETCH_HEAD']],
    ['picked', [...fetched, 'cherry-pick FETCH_HEAD']],
    ['of a renamed remote', ['remote rename origin theirs', 'fetch --quiet theirs refs/pull/7/head']],
    ['in a detached work tree', [...fetched, 'worktree add --quiet --detach deep/er/tree FETCH_HEAD']],
    ['in a work tree outside', [...fetched, 'worktree add --quiet --detach OUTSIDE FETCH_HEAD']],
    ['in a clone far below', inside('deep/er/and/deeper/pull')],
    ['as a submodule', inside('lib', '--separate-git-dir .git/lib')],
    ['in a bare repository', ['clone --quiet --bare REMOTE mirror', '-C mirror fetch --quiet origin refs/pull/7/head']],
  ])('is refused when the code of the fork is %s', async (_, commands) => {
    const stage = await setStage(scenario('pull_request_target', { ref: 'refs/heads/main', depth: 0 }));
    const workspace = stage.workspace ?? '';
    const outside = join(temporaryFolder(), 'tree');
    for (const command of commands) {
      const spelt = command.replace('REMOTE', world.remote.directory).replace('OUTSIDE', outside);
      await git(workspace, ['-c', 'user.name=ada', '-c', 'user.email=ada@example.com', ...spelt.split(/ +/)]);
    }
    const run = await play(stage, scenario('pull_request_target', {}));
    expect([run.code, run.outputs['outcome'], stage.model.requests.length]).toEqual([1, 'failed', 0]);
    expect(run.annotations[0]?.message).toContain('Remove the checkout step');
  });

  it('is refused when the fork lies in a folder of the workspace', async () => {
    const stage = await setStage(scenario('pull_request_target', { ref: 'refs/pull/7/head' }));
    const workspace = temporaryFolder();
    mkdirSync(join(workspace, 'work'));
    renameSync(stage.workspace ?? '', join(workspace, 'work', 'pull'));
    const again: Scenario = { ...scenario('pull_request_target', {}), start: 'bundle' };
    const run = await play({ ...stage, workspace }, again);
    expect([run.outputs['outcome'], stage.model.requests.length]).toEqual(['failed', 0]);
  });

  it('is refused when the head has moved since it was checked out', async () => {
    const moving = createWorld({ ...totalWorld, fork: true });
    const stage = await setStage({ ...scenario('pull_request_target', { ref: 'refs/pull/7/head' }), world: moving });
    const event = eventOf(moving, 'pull_request_target');
    moving.author.git('checkout', '--quiet', 'feature');
    const newer = moving.author.commit({ files: { 'src/more.ts': 'more();\n' } });
    moving.author.git('push', '--quiet', 'origin', `${newer}:refs/pull/7/head`);
    await stage.github.moveHead(newer);
    const run = await runAction({ event, workspace: stage.workspace, github: stage.github, model: stage.model });
    expect([run.outputs['outcome'], stage.model.requests.length]).toEqual(['failed', 0]);
  });

  it('is reviewed when it checks out its own branch only', async () => {
    const { run } = await review(scenario('pull_request_target', { ref: 'refs/heads/main' }));
    expect(run.outputs['outcome']).toBe('clean');
  });
});
