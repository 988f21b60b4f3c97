import { describe, expect, it, vi } from 'vitest';
import { readMarks, writeMark } from '../../src/core/memory/mark.ts';
import { markKeys } from '../../src/core/memory/signed-marks.ts';
import type { FakeGitHub } from '../fakes/github-server/start-github.ts';
import { broken, fault } from '../fakes/model-server/script.ts';
import { modelKey } from '../fakes/model-server/start-model.ts';
import {
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
} from './review.ts';

const github = { viewer: 'postil-app[bot]' };
const inputs = { 'review-event': 'approve' };

/** A pull request that the first run approved. */
async function approvedShop() {
  const shop = await openShop(1, { github, authors: ['ada <ada@users.noreply.github.com>'] });
  shop.say(reviewOf([]));
  await play(shop.stage, { ...shop.scenario, inputs });
  expect(statesOf(shop.stage)).toEqual(['APPROVED']);
  return shop;
}

function statesOf(stage: Stage): readonly string[] {
  return stage.github.reviews().map(({ state }) => state);
}

const pushed = { files: { [shopFile(0)]: `// Pushed.\n${shopText(0, 1)}` } };

/** Makes of our summary comment one after so many reviews, signed as ours. */
function countReviews(github: FakeGitHub, reviews: number): void {
  const comment = github.pull().conversation.find(({ body }) => body.startsWith('### Postil'));
  const [mark] = readMarks(comment?.body ?? '');
  if (comment === undefined || mark?.kind !== 'sticky') throw new Error('There is no summary comment.');
  const keys = markKeys([modelKey], { repository: 'octo/spoon', number: 7 });
  const sign = (content: string) => keys.sign(content, { in: 'summary', comment: comment.id });
  comment.body = `### Review · Reviewed.\n\n${writeMark({ ...mark, run: '1-1', reviews }, sign)}`;
}

describe('an approval', () => {
  it('is dismissed by every later run that does not give it', async () => {
    const { scenario, stage, say } = await approvedShop();
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
      'it ends before it asks GitHub': () => run(next, { 'report-file': '/dev/null/report.json' }),
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
    const run = (at: Stage, more: Scenario['inputs'] = {}) => play(at, { ...scenario, inputs: { ...inputs, ...more } });
    say(reviewOf([]));
    const ends: Record<string, boolean> = {};
    for (const [what, happens] of Object.entries(later)) {
      stage.github.pull().reviews.splice(0, Infinity, { ...approval, state: 'APPROVED' });
      await happens();
      ends[what] = statesOf(stage).includes('APPROVED');
    }
    expect(ends).toEqual(Object.fromEntries(Object.keys(later).map((what) => [what, false])));
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

  it('stays when the job runs again on the same head, and is not touched by a dry run', async () => {
    const { scenario, stage } = await approvedShop();
    const run = await play(stage, { ...scenario, inputs });
    await play(await push(stage, pushed), { ...scenario, inputs: { ...inputs, 'dry-run': 'true' } });
    expect([run.outputs['outcome'], statesOf(stage)]).toEqual(['clean', ['APPROVED']]);
  });

  it('that cannot be dismissed fails the job, which says what to do', async () => {
    const refused = { match: { method: 'PUT', path: /dismissals$/ }, times: 1, before: 'status 403' } as const;
    const { scenario, stage, say } = await openShop(1, { github: { ...github, faults: [refused] } });
    say(reviewOf([]));
    await play(stage, { ...scenario, inputs });
    stage.github.people.change({ draft: true });
    const run = await play(stage, { ...scenario, inputs });
    expect([run.code, run.outputs['outcome'], statesOf(stage)]).toEqual([1, 'skipped', ['APPROVED']]);
    expect(run.annotations.at(-1)?.message).toMatch(/An earlier approval could not be dismissed.*yourself, and grant/s);
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
