import { describe, expect, it } from 'vitest';
import { submit } from '../fakes/model-server/script.ts';
import { changeEvent, commentEvent } from '../fakes/world/event.ts';
import {
  openShop,
  play,
  push,
  reviewOf,
  type Scenario,
  type Stage,
  setStage,
  shopFile,
  totalWorld,
  wrongLineFinding,
} from './review.ts';

type Inputs = NonNullable<Scenario['inputs']>;
type Filter = {
  readonly why: RegExp;
  readonly inputs?: Inputs;
  readonly pull?: Parameters<Stage['github']['people']['change']>[0];
};

/** What keeps a pull request with the title “Change how it works” on `main` from being reviewed. */
const byWorkflow: Readonly<Record<string, Filter>> = {
  'trigger-label': { inputs: { 'trigger-label': 'review me' }, why: /does not have the label “review me”/ },
  'ignore-labels': {
    inputs: { 'ignore-labels': 'no *' },
    pull: { labels: ['No review'] },
    why: /has the label “No review”/,
  },
};
const byAuthor: Readonly<Record<string, Filter>> = {
  '[skip postil]': { pull: { title: 'Try it [skip postil]' }, why: /title says `\[skip postil\]`/ },
  'ignore-titles': { inputs: { 'ignore-titles': 'change HOW' }, why: /title contains “change HOW”/ },
  'base-branches': { inputs: { 'base-branches': 'release/**' }, why: /base branch “main” is none of/ },
};

describe.each(Object.entries({ ...byWorkflow, ...byAuthor }))('a pull request that %s leaves out', (name, filter) => {
  const { why, inputs = {}, pull = {} } = filter;

  it('is not reviewed, says why, and passes no gate that asks for a review', async () => {
    const scenario = { world: totalWorld, model: [] };
    const stage = await setStage(scenario);
    stage.github.people.change(pull);
    const run = (more: Inputs) => play(stage, { ...scenario, inputs: { ...inputs, ...more } });
    const ends = [await run({}), await run({ 'require-complete': 'true' }), await run({ 'fail-on': 'critical' })];
    expect(ends.map(({ outputs, log, summary }) => [outputs['outcome'], why.test(log), why.test(summary)])).toEqual(
      ends.map(() => ['skipped', true, true]),
    );
    expect(ends.map(({ code }) => code)).toEqual([0, 1, Object.hasOwn(byAuthor, name) ? 1 : 0]);
    expect([stage.github.writes(), stage.model.attempts]).toEqual([[], []]);
  });

  it('keeps the review of an earlier head, under a notice, and its findings shut the gate', async () => {
    const { stage, say, runJob } = await openShop(1);
    say(reviewOf([0]));
    await runJob();
    const next = await push(stage, { files: { 'src/more.ts': 'export {};\n' } });
    stage.github.people.change(pull);
    const run = await runJob({ ...inputs, 'fail-on': 'warning' }, next);
    const [summary] = stage.github.conversation();
    expect(run.code).toBe(1);
    expect(summary?.body).toMatch(/Not reviewed since/);
    expect(summary?.body).toMatch(why);
    expect(summary?.body).toContain('price0 reads one past the end');
  });
});

it('a filter in the config file is that of the base, and a pull request cannot bring its own', async () => {
  const file = '.postil/config.yml';
  const filtered = { ...totalWorld, base: { ...totalWorld.base, [file]: 'base-branches: [release]\n' } };
  const bringing = { ...totalWorld, head: { ...totalWorld.head, [file]: 'ignore-titles: [Change]\n' } };
  const outcomes: unknown[] = [];
  for (const world of [filtered, bringing]) {
    const scenario = { world, model: () => submit([wrongLineFinding]) };
    outcomes.push((await play(await setStage(scenario), scenario)).outputs['outcome']);
  }
  expect(outcomes).toEqual(['skipped', 'findings']);
});

it('a pull request that is left out loses an approval', async () => {
  const github = { viewer: 'postil-app[bot]' };
  const { stage, say, runJob } = await openShop(1, { github, authors: ['ada <ada@users.noreply.github.com>'] });
  const states = () => stage.github.reviews().map(({ state }) => state);
  say(reviewOf([]));
  await runJob({ 'review-event': 'approve' });
  expect(states()).toEqual(['APPROVED']);
  stage.github.people.change({ title: 'Now [skip postil]' });
  await runJob({ 'review-event': 'approve' });
  expect(states()).toEqual(['DISMISSED']);
});

it('no pull request passes by growing until Postil labels it as one that is left out', async () => {
  const { stage, say, runJob } = await openShop(1);
  const inputs = { labels: 'size/XL: changed > 100', 'ignore-labels': 'size/*', 'fail-on': 'critical' };
  say(reviewOf([]));
  const grown = await push(stage, { files: { 'src/more.ts': 'export {};\n'.repeat(120) } });
  const first = await runJob(inputs, grown);
  const next = await push(grown, { files: { 'src/evil.ts': 'export {};\n' } });
  const second = await runJob(inputs, next);
  expect([first.code, stage.github.pull().given.labels, second.code]).toEqual([0, ['size/XL'], 1]);
  expect(second.log).toContain('No gate passes by what the author decides');
});

it('whoever asks for a review gets it, in a comment or by hand', async () => {
  const inputs = { 'trigger-label': 'review', 'base-branches': 'release', commands: 'write' };
  const scenario = {
    world: { ...totalWorld, pullRequest: { draft: true, title: '[skip postil]' } },
    model: () => submit([wrongLineFinding]),
  };
  const outcomes: unknown[] = [];
  for (const by of ['comment', 'hand']) {
    const stage = await setStage(scenario);
    const event = by === 'hand' ? ('workflow_dispatch' as const) : commandOn(stage);
    const more = by === 'hand' ? { 'pull-request': '7' } : {};
    outcomes.push((await play(stage, { ...scenario, event, inputs: { ...inputs, ...more } })).outputs['outcome']);
  }
  expect(outcomes).toEqual(['findings', 'findings']);
});

function commandOn(stage: Stage) {
  return commentEvent(stage, stage.github.people.say({ author: 'ada', body: '/postil review' }));
}

describe('a label or an edit', () => {
  /** A pull request with one finding that was reviewed, and what its summary says then. */
  async function reviewed(inputs: Inputs = {}) {
    const { scenario, stage, say } = await openShop(1);
    stage.github.people.change({ labels: ['review'] });
    const started = (event: Scenario['event'], at: Stage = stage, more: Inputs = {}) =>
      play(at, {
        ...scenario,
        inputs: { 'trigger-label': 'review', ...inputs, ...more },
        ...(event === undefined ? {} : { event }),
      });
    say(reviewOf([0]));
    await started(changeEvent(stage.world, 'labeled', 'review'));
    const summary = () => stage.github.conversation()[0]?.body;
    return { stage, say, started, summary, before: summary(), asked: stage.model.requests.length };
  }

  it.each([
    ['labeled', 'other', {}],
    ['unlabeled', 'other', { incremental: 'false' }],
    ['edited', '', { incremental: 'false' }],
  ] as const)(
    '%s %s does not review a commit again, leaves the summary, and the gate stays as it was',
    async (action, label, more) => {
      const { stage, started, summary, before, asked } = await reviewed({ ...more, 'fail-on': 'warning' });
      const writes = stage.github.writes().length;
      const run = await started(changeEvent(stage.world, action, label));
      expect([run.code, run.outputs['findings'], stage.model.requests.length]).toEqual([1, '1', asked]);
      expect([summary(), stage.github.writes().length]).toEqual([before, writes]);
      expect(run.log).toMatch(/started this run: this commit was reviewed and is not reviewed again/);
    },
  );

  it('reviews a head that was not reviewed yet, as a push would be', async () => {
    const { stage, started, summary, before, asked } = await reviewed({ incremental: 'false' });
    const next = await push(stage, { files: { [shopFile(1)]: 'export {};\n' } });
    const run = await started(changeEvent(next.world, 'labeled', 'other'), next);
    expect([stage.model.requests.length > asked, summary() === before]).toEqual([true, false]);
    expect(run.log).toContain('Full review: `incremental` is off.');
  });

  it('reviews the same commit again with other settings, not for another base of the same content, and does not say that it did not', async () => {
    const { stage, started } = await reviewed();
    const runs: unknown[] = [];
    const again = async (more: Inputs) => {
      const asked = stage.model.requests.length;
      const { log } = await started(changeEvent(stage.world, 'edited'), stage, more);
      runs.push([
        stage.model.requests.length > asked,
        /Full review: (.*?) changed/.exec(log)?.[1],
        /not reviewed again/.test(log),
      ]);
    };
    stage.github.people.change({ base: { ...stage.github.pull().given.base, ref: 'release' } });
    await again({});
    await again({ passes: '2' });
    expect(runs).toEqual([
      [false, undefined, false],
      [true, 'settings, rules or guidance', false],
    ]);
  });

  it('writes the summary anew when somebody has declined a finding meanwhile', async () => {
    const { stage, started, summary, before } = await reviewed();
    stage.github.people.resolve('price0 reads', 'ada');
    const run = await started(changeEvent(stage.world, 'edited'));
    expect([run.outputs['findings'], summary() === before]).toEqual(['0', false]);
  });

  it('leaves the summary when the label that asks for reviews is gone', async () => {
    const { stage, started, summary, before } = await reviewed();
    stage.github.people.change({ labels: ['other'] });
    const run = await started(changeEvent(stage.world, 'labeled', 'other'));
    expect([run.outputs['outcome'], summary()]).toEqual(['skipped', before]);
  });
});
