import { describe, expect, it, vi } from 'vitest';
import { writeMark } from '../../src/core/history/mark.ts';
import { markKeys } from '../../src/core/history/signed-marks.ts';
import { stateIn, stateMark } from '../fakes/earlier-rounds.ts';
import type { FakeGitHub } from '../fakes/github-server/start-github.ts';
import { broken, fault, submit } from '../fakes/model-server/script.ts';
import { modelKey } from '../fakes/model-server/start-model.ts';
import { lacks } from '../fakes/platform.ts';
import {
  fixedOf,
  openShop,
  play,
  push,
  reviewOf,
  type Scenario,
  type Stage,
  setStage,
  shopFile,
  shopText,
  shopWorld,
  titlesOf,
  totalWorld,
  wrongLineFinding,
} from './review.ts';

it('a finding whose comment somebody deleted stands and is raised again, until somebody who may write declines it', async () => {
  const { stage, say, runJob } = await openShop(1);
  const inputs = { 'fail-on': 'warning', incremental: 'false' };
  say(reviewOf([0]));
  await runJob(inputs);
  stage.github.people.deleteReviewComment('price0 reads');
  say(reviewOf([]));
  const again = await runJob(inputs);
  expect([again.code, titlesOf(stage.github)]).toEqual([1, ['price0 reads']]);
  stage.github.people.resolve('price0 reads', 'ada');
  const declined = await runJob(inputs);
  expect([declined.code, declined.outputs['findings'], titlesOf(stage.github)]).toEqual([0, '0', ['price0 reads']]);
});

it('a gate stays shut when the pull request becomes a draft, and when it is ready again at the same head', async () => {
  const { stage, say, runJob } = await openShop(1);
  const codes: (number | null)[] = [];
  say(reviewOf([0]));
  for (const draft of [false, true, false]) {
    stage.github.people.change({ draft });
    codes.push((await runJob({ 'fail-on': 'warning' })).code);
    say(reviewOf([]));
  }
  expect([codes, stage.github.comments().length]).toEqual([[1, 1, 1], 1]);
});

it('`review-event: request-changes` asks for changes, keeps asking without saying it again, and takes it back when the reasons are gone', async () => {
  const { stage, say, runJob } = await openShop(1);
  const states: unknown[] = [];
  const run = async (at: typeof stage) => {
    await runJob({ 'review-event': 'request-changes' }, at);
    states.push(stage.github.reviews().map(({ state }) => state));
  };
  say(reviewOf([0]));
  await run(stage);
  await run(await push(stage, { files: { 'src/other.ts': 'export {};\n' } }));
  say(fixedOf('export {};'));
  await run(await push(stage, { files: { [shopFile(0)]: 'export {};\n' } }));
  expect(states).toEqual([['CHANGES_REQUESTED'], ['CHANGES_REQUESTED'], ['DISMISSED']]);
});

describe('a run without any key', () => {
  const inputs = { 'fail-on': 'critical' };

  it.each([
    ['does not count what it cannot check, and says so with what to do', '', 0],
    ['counts it where `state-key` is set', 'a-key-of-both-runs-0123456789', 1],
  ])('%s', async (_, key, code) => {
    const scenario = { world: totalWorld, model: () => submit([wrongLineFinding]) };
    const stage = await setStage(scenario);
    await play(stage, { ...scenario, inputs: { 'state-key': key } });
    const later = { ...scenario, model: null, inputs: { ...inputs, 'state-key': key } };
    const run = await play(stage, later);
    stage.github.people.change({ draft: true });
    const draft = await play(stage, later);
    const note = /does not count for `fail-on: critical`.*Set `state-key`/;
    expect([run, draft].map((one) => [one.code, note.test(one.log), note.test(one.summary)])).toEqual(
      Array.from({ length: 2 }, () => [code, code === 0, code === 0]),
    );
  });
});

it('a pull request of Dependabot is skipped, and reviewed as soon as somebody else adds a commit', async () => {
  const author = 'dependabot[bot]';
  const authors = [`${author} <49699333+${author}@users.noreply.github.com>`];
  const world = { ...totalWorld, authors, pullRequest: { author } };
  const scenario = { world, model: () => submit([wrongLineFinding]) };
  const stage = await setStage(scenario);
  const first = await play(stage, scenario);
  const second = await play(await push(stage, { files: { 'src/more.ts': 'export {};\n' } }), scenario);
  expect([first.outputs['outcome'], second.outputs['outcome']]).toEqual(['skipped', 'findings']);
  expect(second.summary).toMatch(/Reviewed although `skip-authors` names dependabot.*is not known to be theirs/);
});

const github = { viewer: 'postil-app[bot]' };

const inputs = { 'review-event': 'approve' };

describe('`review-event: approve`', () => {
  it('becomes a comment that says so, once, where GitHub does not permit it', async () => {
    const { stage, say, runJob } = await openShop(1);
    say(reviewOf([]));
    const run = await runJob(inputs);
    await runJob({ ...inputs, incremental: 'false' });
    expect(statesOf(stage)).toEqual(['COMMENTED']);
    expect(stage.github.reviews()[0]?.body).toContain('not permitted to approve');
    expect(run.outputs['outcome']).toBe('clean');
  });

  it('asks for changes too, and that is a comment on a pull request of its own', async () => {
    const own = { github, pullRequest: { author: 'postil-app[bot]' } };
    const { stage, say, runJob } = await openShop(1, own);
    say(reviewOf([0]));
    await runJob(inputs);
    expect([statesOf(stage), titlesOf(stage.github)]).toEqual([['COMMENTED'], ['price0 reads']]);
  });
});

/** A pull request that the first run approved. */
async function approvedShop() {
  const shop = await openShop(1, { github, authors: ['ada <ada@users.noreply.github.com>'] });
  shop.say(reviewOf([]));
  await shop.runJob(inputs);
  expect(statesOf(shop.stage)).toEqual(['APPROVED']);
  return shop;
}

function statesOf(stage: Stage): readonly string[] {
  return stage.github.reviews().map(({ state }) => state);
}

const pushed = { files: { [shopFile(0)]: `// Pushed.\n${shopText(0, 1)}` } };

/** Makes of our summary comment one after so many reviews, signed as ours. */
function countReviews(github: FakeGitHub, reviews: number): void {
  const comment = github.pull().conversation.find(({ body }) => stateIn(body) !== null);
  const state = stateIn(comment?.body ?? '');
  if (comment === undefined || state === null) throw new Error('There is no summary comment.');
  const keys = markKeys([modelKey], { repository: 'octo/spoon', number: 7 });
  const sign = (content: string) => keys.sign(content, { in: 'summary', comment: comment.id });
  comment.body = `### Postil · Review · Reviewed.\n\n${writeMark(stateMark({ ...state, run: '1-1', reviews }), sign)}`;
}

describe('an approval', () => {
  it('is dismissed by every later run that does not give it', async () => {
    const { stage, say, runJob } = await approvedShop();
    let next: Stage = stage;
    const { people } = stage.github;
    const later: Record<string, () => Promise<unknown>> = {
      'it skips its author': () => run(next, { 'skip-authors': 'ada' }),
      'it skips a draft': async () => {
        next = await push(stage, pushed);
        people.change({ draft: true });
        await run(next);
        people.change({ draft: false });
      },
      'all files are hidden from it': () => run(next, { exclude: '**' }),
      'the server does not let it in': async () => {
        say(fault(401, { error: { message: 'No.', code: 'invalid_api_key' } }));
        await run(next);
        say(reviewOf([]));
      },
      'it has too few tokens': () => run(next, { 'max-total-tokens': '1000' }),
      'it ends before it reads the diff': () => run(next, { 'review-file': 'no-such-mode.json' }),
      'it ends before it asks GitHub': () => run(next, { 'report-file': 'one.json', 'sarif-file': 'one.json' }),
      'it is the fifty-first': async () => {
        countReviews(stage.github, 50);
        await run(next);
        countReviews(stage.github, 1);
      },
      'it finds it closed': async () => {
        people.change({ state: 'closed' });
        await run(next);
        people.change({ state: 'open' });
      },
      'it is not to approve any more': () => run(next, { 'review-event': 'comment' }),
      'it cannot read a file': async () => run(await push(next, { files: { 'src/.env.js': 'app.get(run);\n' } })),
    };
    const [approval] = stage.github.reviews();
    if (approval === undefined) throw new Error('Nothing was approved.');
    const run = (at: Stage, more: Scenario['inputs'] = {}) => runJob({ ...inputs, ...more }, at);
    say(reviewOf([]));
    const ends: Record<string, boolean> = {};
    for (const [what, happens] of Object.entries(later)) {
      stage.github.pull().reviews.splice(0, Infinity, { ...approval, state: 'APPROVED' });
      await happens();
      ends[what] = statesOf(stage).includes('APPROVED');
    }
    expect(ends).toEqual(Object.fromEntries(Object.keys(later).map((what) => [what, false])));
  });

  it.skipIf(lacks.signals)('is dismissed by a run that is cancelled while the model thinks', async () => {
    const { scenario, stage, say } = await approvedShop();
    const next = await push(stage, pushed);
    say(broken('hang'));
    const asked = stage.model.requests.length;
    const when = vi.waitUntil(() => stage.model.requests.length > asked, 20_000);
    const run = await play(next, { ...scenario, inputs, signalAfter: { signal: 'SIGTERM', when } });
    expect([run.outputs['outcome'], statesOf(stage)]).toEqual(['partial', ['DISMISSED']]);
  });

  it('stays when the job runs again on the same head, and is not touched by a dry run', async () => {
    const { stage, runJob } = await approvedShop();
    const run = await runJob(inputs);
    await runJob({ ...inputs, 'dry-run': 'true' }, await push(stage, pushed));
    expect([run.outputs['outcome'], statesOf(stage)]).toEqual(['clean', ['APPROVED']]);
  });

  it('is not given to a pull request whose head moved while it was reviewed', async () => {
    const world = { ...shopWorld(1), github };
    let hasMoved = false;
    const model = async () => {
      if (!hasMoved) await push(stage, pushed);
      hasMoved = true;
      return reviewOf([]);
    };
    const stage: Stage = await setStage({ world, model });
    const run = await play(stage, { world, model, inputs });
    expect([run.outputs['outcome'], statesOf(stage)]).toEqual(['clean', ['COMMENTED']]);
    expect(stage.github.reviews()[0]?.body).toContain('The head moved to');
  });
});
