import { describe, expect, it } from 'vitest';
import { readOnly } from '../fakes/github-server/world.ts';
import { submit } from '../fakes/model-server/script.ts';
import { changeEvent } from '../fakes/world/event.ts';
import { fixedOf, openShop, play, push, reviewOf, setStage, shopFile, shopWorld, totalWorld } from './review.ts';

const table = 'hot: bug >= warning\nsize/S: changed <= 10\ncalm: findings = 0';

it('labels follow what is found and how large the change is, from push to push', async () => {
  const { stage, say, runJob } = await openShop(1);
  stage.github.people.change({ labels: ['mine', 'calm'] });
  const labels: unknown[] = [];
  const run = async (at: typeof stage) => {
    await runJob({ labels: table }, at);
    labels.push(stage.github.pull().given.labels);
  };
  say(reviewOf([0]));
  await run(stage);
  const larger = await push(stage, { files: { 'src/other.ts': 'export {};\n'.repeat(20) } });
  say(reviewOf([]));
  await run(larger);
  say(fixedOf('export {};'));
  await run(await push(larger, { files: { [shopFile(0)]: 'export {};\n' } }));
  expect(labels).toEqual([
    ['mine', 'hot', 'size/S'],
    ['mine', 'hot'],
    ['mine', 'calm'],
  ]);
});

it('a finding that somebody declined counts for no label, and the edit that starts the run is enough', async () => {
  const { scenario, stage, say, runJob } = await openShop(1);
  say(reviewOf([0]));
  await runJob({ labels: table });
  stage.github.people.resolve('price0 reads', 'ada');
  await play(stage, { ...scenario, event: changeEvent(stage.world, 'edited'), inputs: { labels: table } });
  expect(stage.github.pull().given.labels).toEqual(['size/S', 'calm']);
});

describe('a review that is not whole', () => {
  it('sets a label that what it knows is enough for, and removes none and calls nothing calm', async () => {
    const world = { ...shopWorld(1), pullRequest: { labels: ['hot'] } };
    const rows = `${table}\nfull: files = 1`;
    const scenario = { world, model: [], inputs: { labels: rows, 'max-total-tokens': '1000' } };
    const stage = await setStage(scenario);
    const run = await play(stage, scenario);
    expect([run.outputs['outcome'], stage.github.pull().given.labels]).toEqual(['partial', ['hot', 'size/S', 'full']]);
  });

  it('of a pull request that is skipped changes no label', async () => {
    const scenario = { world: { ...totalWorld, pullRequest: { draft: true, labels: ['hot'] } }, model: [] };
    const stage = await setStage(scenario);
    await play(stage, { ...scenario, inputs: { labels: table } });
    expect([stage.github.pull().given.labels, stage.github.writes()]).toEqual([['hot'], []]);
  });
});

it.each([
  ['a dry run', { 'dry-run': 'true' }],
  ['a job that only reviews', { mode: 'review', 'review-file': 'review.json' }],
])('%s sets no label', async (_, inputs) => {
  const scenario = { world: totalWorld, model: [submit([])], inputs: { labels: table, ...inputs } };
  const stage = await setStage(scenario);
  await play(stage, scenario);
  expect([stage.github.pull().given.labels, stage.github.writes()]).toEqual([[], []]);
});

it('a token that may not write leaves the labels, fails nothing, and the log says why', async () => {
  const world = { ...totalWorld, fork: true, github: { permissions: readOnly } };
  const scenario = { world, model: [submit([])], inputs: { labels: table } };
  const { run, stage } = await setStage(scenario).then(async (at) => ({ stage: at, run: await play(at, scenario) }));
  expect([run.code, run.outputs['outcome'], stage.github.pull().given.labels]).toEqual([0, 'clean', []]);
  expect(run.log).toMatch(/labels: .*Not changed: size\/S, calm \(Resource not accessible/);
});

it('a label that the repository does not have is named, and does not keep the others away', async () => {
  const github = { labels: ['calm'], permissions: { ...readOnly, 'pull-requests': 'write' } as const };
  const scenario = { world: { ...totalWorld, github }, model: [submit([])], inputs: { labels: table } };
  const stage = await setStage(scenario);
  const run = await play(stage, scenario);
  expect([run.code, stage.github.pull().given.labels]).toEqual([0, ['calm']]);
  expect(run.summary).toMatch(/labels.*Labels set: calm\. Not changed: size\/S/s);
  expect(stage.github.conversation()[0]?.body).toContain('Not changed: size/S');
});

it('a wrong row of the table ends the run before anything is reviewed', async () => {
  const file = { '.postil/config.yml': 'labels:\n  hot: bugs > 1\n' };
  const scenario = { world: { ...totalWorld, base: { ...totalWorld.base, ...file } }, model: [] };
  const stage = await setStage(scenario);
  const run = await play(stage, scenario);
  expect([run.code, run.outputs['outcome'], stage.model.attempts]).toEqual([1, 'failed', []]);
  expect(run.annotations[0]?.message).toMatch(/config\.yml: 'labels'.*"hot: bugs > 1" is not: `bugs` is none of/);
});
