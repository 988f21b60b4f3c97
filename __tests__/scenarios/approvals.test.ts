import { describe, expect, it, vi } from 'vitest';
import { type Answer, broken, fault } from '../fakes/model-server/script.ts';
import { push } from './push.ts';
import { play, type Scenario, type Stage, setStage } from './review.ts';
import { openShop, reviewOf, shopFile, shopText, shopWorld } from './shop-world.ts';

const github = { viewer: 'postil-app[bot]' };
const inputs = { 'review-event': 'approve' };

/** A pull request that the first run approved. */
async function approvedShop() {
  const shop = await openShop(1, { github });
  shop.say(reviewOf([]));
  await play(shop.stage, { ...shop.scenario, inputs });
  expect(statesOf(shop.stage)).toEqual(['APPROVED']);
  return shop;
}

function statesOf(stage: Stage): readonly string[] {
  return stage.github.reviews().map(({ state }) => state);
}

const pushed = { files: { [shopFile(0)]: `// Pushed.\n${shopText(0, 1)}` } };

type Later = {
  readonly inputs?: Scenario['inputs'];
  readonly answer?: Answer;
  readonly before?: (stage: Stage) => void;
};

describe('an approval', () => {
  it.each<[string, Later]>([
    ['skips a draft', { before: ({ github: { people } }) => people.change({ draft: true }) }],
    ['has all files hidden from it', { inputs: { exclude: '**' } }],
    ['is not let in by the model', { answer: fault(401, { error: { message: 'No.', code: 'invalid_api_key' } }) }],
    ['meets its limit of tokens', { inputs: { 'max-total-tokens': '1000' } }],
    ['ends before it reads the diff', { inputs: { 'review-file': 'no-such-mode.json' } }],
  ])('is dismissed when a later run %s', async (_, { inputs: more = {}, answer, before }) => {
    const { scenario, stage, say } = await approvedShop();
    const next = await push(stage, pushed);
    before?.(stage);
    if (answer !== undefined) say(answer);
    await play(next, { ...scenario, inputs: { ...inputs, ...more } });
    expect(statesOf(stage)).toEqual(['DISMISSED']);
  });

  it('is dismissed by a run that is cancelled while the model thinks', async () => {
    const { scenario, stage, say } = await approvedShop();
    const next = await push(stage, pushed);
    say(broken('hang'));
    const asked = stage.model.requests.length;
    const run = await play(next, {
      ...scenario,
      inputs,
      signalAfter: { signal: 'SIGTERM', when: vi.waitUntil(() => stage.model.requests.length > asked, 20_000) },
    });
    expect([run.outputs['outcome'], statesOf(stage)]).toEqual(['partial', ['DISMISSED']]);
  });

  it('stays when the job runs again on the same head and nothing has come up', async () => {
    const { scenario, stage } = await approvedShop();
    const run = await play(stage, { ...scenario, inputs });
    expect([run.outputs['outcome'], statesOf(stage)]).toEqual(['clean', ['APPROVED']]);
  });

  it('is not touched by a dry run', async () => {
    const { scenario, stage } = await approvedShop();
    await play(await push(stage, pushed), { ...scenario, inputs: { ...inputs, 'dry-run': 'true' } });
    expect(statesOf(stage)).toEqual(['APPROVED']);
  });

  it('that cannot be dismissed fails the job, which says what to do', async () => {
    const refused = { match: { method: 'PUT', path: /dismissals$/ }, times: 1, before: 'status 403' } as const;
    const { scenario, stage, say } = await openShop(1, { github: { ...github, faults: [refused] } });
    say(reviewOf([]));
    await play(stage, { ...scenario, inputs });
    stage.github.people.change({ draft: true });
    const run = await play(stage, { ...scenario, inputs });
    expect([run.code, run.outputs['outcome'], statesOf(stage)]).toEqual([1, 'skipped', ['APPROVED']]);
    expect(run.annotations.at(-1)?.message).toMatch(/An earlier approval could not be dismissed.*by hand, and grant/s);
  });

  it('is not given to a head that moved while it was reviewed', async () => {
    const world = { ...shopWorld(1), github };
    const moved: Stage[] = [];
    const model = async () => {
      if (moved.length === 0) moved.push(await push(stage, pushed));
      return reviewOf([]);
    };
    const stage = await setStage({ world, model });
    const run = await play(stage, { world, model, inputs });
    expect([run.outputs['outcome'], statesOf(stage)]).toEqual(['clean', ['COMMENTED']]);
    expect(stage.github.reviews()[0]?.body).toContain('Not approved: The head moved to');
  });
});
