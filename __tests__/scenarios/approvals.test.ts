import { describe, expect, it, vi } from 'vitest';
import { readMarks, writeMark } from '../../src/core/memory/mark.ts';
import { markKeys } from '../../src/core/memory/signed-marks.ts';
import type { FakeGitHub } from '../fakes/github-server/start-github.ts';
import { type Answer, broken, fault } from '../fakes/model-server/script.ts';
import { modelKey } from '../fakes/model-server/start-model.ts';
import type { WorldFiles } from '../fakes/world/git.ts';
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

type Later = {
  readonly inputs?: Scenario['inputs'];
  readonly answer?: Answer;
  readonly before?: (stage: Stage) => void;
  /** What is pushed beside the code; null: nothing is pushed. */
  readonly files?: WorldFiles | null;
};

/** Makes of our summary comment one after so many reviews, signed as ours. */
function countReviews(github: FakeGitHub, reviews: number): void {
  const comment = github.pull().conversation.find(({ body }) => body.startsWith('### Review'));
  const [mark] = readMarks(comment?.body ?? '');
  if (comment === undefined || mark?.kind !== 'sticky') throw new Error('There is no summary comment.');
  const keys = markKeys([modelKey], { repository: 'octo/spoon', number: 7 });
  const sign = (content: string) => keys.sign(content, { in: 'summary', comment: comment.id });
  comment.body = `### Review · Reviewed.\n\n${writeMark({ ...mark, run: '1-1', reviews }, sign)}`;
}

describe('an approval', () => {
  it.each<[string, Later]>([
    ['skips a draft', { before: ({ github: { people } }) => people.change({ draft: true }) }],
    ['has all files hidden from it', { inputs: { exclude: '**' } }],
    ['is not let in by the model', { answer: fault(401, { error: { message: 'No.', code: 'invalid_api_key' } }) }],
    ['meets its limit of tokens', { inputs: { 'max-total-tokens': '1000' } }],
    ['ends before it reads the diff', { inputs: { 'review-file': 'no-such-mode.json' } }],
    ['ends before it asks GitHub', { inputs: { 'report-file': '/dev/null/report.json' } }],
    ['skips its author', { inputs: { 'skip-authors': 'ada' }, files: null }],
    ['finds it closed', { before: ({ github: { people } }) => people.change({ state: 'closed' }) }],
    ['is the fifty-first', { before: ({ github }) => countReviews(github, 50) }],
    ['is not to approve any more', { inputs: { 'review-event': 'comment' } }],
    ['cannot read a file', { files: { 'src/.env.js': 'app.get(run);\n' } }],
  ])('is dismissed when a later run %s', async (_, { inputs: more = {}, answer, before, files = {} }) => {
    const { scenario, stage, say } = await approvedShop();
    const next = files === null ? stage : await push(stage, { files: { ...pushed.files, ...files } });
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
    expect(run.annotations.at(-1)?.message).toMatch(/An earlier approval could not be dismissed.*yourself, and grant/s);
  });

  it.each<[string, string, (stage: Stage) => unknown]>([
    ['whose head moved', 'The head moved to', (stage) => push(stage, pushed)],
    [
      'that was closed',
      'The pull request is now closed',
      ({ github: { people } }) => people.change({ state: 'closed' }),
    ],
    [
      'that became a draft',
      'The pull request is now a draft',
      ({ github: { people } }) => people.change({ draft: true }),
    ],
    [
      'that got another base',
      'The base branch has changed',
      ({ github: { people }, world: { commits } }) => people.change({ base: { ref: 'old', sha: commits.mergeBase } }),
    ],
  ])('is not given to a pull request %s while it was reviewed', async (_, why, happens) => {
    const world = { ...shopWorld(1), github };
    let hasHappened = false;
    const model = async () => {
      if (!hasHappened) await happens(stage);
      hasHappened = true;
      return reviewOf([]);
    };
    const stage: Stage = await setStage({ world, model });
    const run = await play(stage, { world, model, inputs });
    expect([run.outputs['outcome'], statesOf(stage)]).toEqual(['clean', ['COMMENTED']]);
    expect(stage.github.reviews()[0]?.body).toContain(`Not approved: ${why}`);
  });
});
