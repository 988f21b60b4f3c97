import { describe, expect, it } from 'vitest';
import type { ActionRun } from './harness.ts';
import { openShop, push, reviewOf, rewordedReviewOf, shopFile, shopText, titlesOf } from './review.ts';

const said = ({ outputs }: ActionRun) => [outputs['outcome'], outputs['findings'], outputs['posted']];

it('the same commit again costs no model call and posts nothing, or is reviewed in full where the workflow asks for it', async () => {
  const { stage, say, runJob } = await openShop(2);
  say(reviewOf([0, 1]));
  await runJob();
  const asked = stage.model.requests.length;
  const again = await runJob({ 'fail-on': 'warning' });
  expect([again.code, stage.model.requests.length - asked, said(again)]).toEqual([1, 0, ['findings', '2', '0']]);
  say(rewordedReviewOf([0, 1]));
  const full = await runJob({ incremental: 'false' });
  expect([stage.model.requests.length - asked, said(full)]).toEqual([1, ['findings', '2', '0']]);
  expect([titlesOf(stage.github), stage.github.conversation().length]).toEqual([['price0 reads', 'price1 reads'], 1]);
});

it('a push posts what is new, says nothing twice, and ends clean when everything is fixed', async () => {
  const { stage, say, runJob } = await openShop(1);
  say(reviewOf([0]));
  const runs = [await runJob()];
  const added = await push(stage, { files: { [shopFile(0)]: shopText(0, 2) } });
  say(reviewOf([0, 1]));
  runs.push(await runJob({}, added));
  const moved = await push(added, { files: { [shopFile(0)]: `// A new first line.\n${shopText(0, 2)}` } });
  say(rewordedReviewOf([0, 1]));
  runs.push(await runJob({}, moved));
  expect(titlesOf(stage.github)).toEqual(['price0 reads', 'price1 reads']);
  const gone = await push(moved, { files: { [shopFile(0)]: '/** Nothing is left. */\n' } });
  say(reviewOf([]));
  runs.push(await runJob({}, gone));
  expect(runs.map(said)).toEqual([
    ['findings', '1', '1'],
    ['findings', '2', '1'],
    ['findings', '2', '0'],
    ['clean', '0', '0'],
  ]);
  expect([runs[1]?.summary.includes('what changed since'), stage.github.conversation().length]).toEqual([true, 1]);
});

it('a push is reviewed in full when the settings changed or the history was rewritten, and the summary says so', async () => {
  const { stage, say, runJob } = await openShop(2);
  say(reviewOf([0]));
  await runJob();
  const inputs = { language: 'German' };
  const pushed = await push(stage, { files: { 'src/new.ts': 'export {};\n' } });
  say(reviewOf([0, 1]));
  const settings = await runJob(inputs, pushed);
  const forced = await push(pushed, { files: { [shopFile(0)]: shopText(0, 2) }, force: true });
  const rewritten = await runJob(inputs, forced);
  expect([titlesOf(stage.github), said(settings), said(rewritten)]).toEqual([
    ['price0 reads', 'price1 reads'],
    ['findings', '2', '1'],
    ['findings', '2', '0'],
  ]);
  expect(settings.summary).toContain('the settings changed');
  expect(rewritten.summary).toContain('the history was rewritten');
});

const collaborators = { octo: 'admin', ada: 'read', grace: 'write', eve: 'none' } as const;
const title = (defect: number) => `price${defect} reads`;

it('a finding that somebody declines is not raised again, unless it is critical now or they may not write', async () => {
  const { stage, say, runJob } = await openShop(6, { github: { collaborators } });
  const { people } = stage.github;
  const all = [0, 1, 2, 3, 4, 5];
  say(reviewOf(all));
  await runJob();
  people.resolve(title(0), 'grace');
  people.voteDown(title(1), 'grace');
  people.reply(title(2), { author: 'grace', body: 'Works as intended, please leave it.' });
  people.resolve(title(3), 'ada');
  people.voteDown(title(4), 'eve');
  people.reply(title(5), { author: 'eve', body: 'False positive.' });
  const pushed = await push(stage, { files: { [shopFile(0)]: `// Pushed.\n${shopText(0, 6)}` } });
  say(rewordedReviewOf(all));
  const run = await runJob({}, pushed);
  expect([titlesOf(stage.github).filter((one) => one.startsWith('price')), said(run)]).toEqual([
    all.map(title),
    ['findings', '3', '0'],
  ]);
  for (const text of [run.summary, stage.github.conversation()[0]?.body]) {
    expect(text?.match(/by @?grace|grace:|`grace`|grace/g)?.length).toBeGreaterThanOrEqual(3);
  }
  expect(run.summary).toContain('without write permission');
  const prompt = JSON.stringify(stage.model.requests.at(-1)?.messages);
  expect([prompt.includes('Works as intended'), prompt.includes('postil:v1')]).toEqual([true, false]);
  say(rewordedReviewOf([0], { severity: 'critical' }));
  const worse = await runJob({ incremental: 'false' }, pushed);
  expect([worse.outputs['critical'], worse.outputs['posted']]).toEqual(['1', '1']);
});

describe('a comment', () => {
  it('whose code is gone is resolved with `contents: write`, and left alone when people wrote in the thread', async () => {
    const permissions = { contents: 'write', 'pull-requests': 'write', issues: 'write', checks: 'write' } as const;
    const { stage, say, runJob } = await openShop(2, { github: { permissions } });
    say(reviewOf([0, 1]));
    await runJob();
    stage.github.people.reply(title(1), { author: 'grace', body: 'Interesting: how did you see that?' });
    say(reviewOf([]));
    const pushed = await push(stage, { files: { [shopFile(0)]: '/** Nothing is left. */\n' } });
    const run = await runJob({}, pushed);
    const threads = stage.github.threads();
    expect([run.outputs['findings'], threads.map(({ resolved }) => resolved)]).toEqual(['0', [true, false]]);
    const untouched = { isMinimized: false, body: expect.not.stringContaining('Outdated') };
    expect(threads[1]?.comments[0]).toMatchObject(untouched);
  });

  it('that GitHub did not accept is posted by the next run, although the commit is the same', async () => {
    const match = { method: 'POST', path: /\/(?:reviews|pulls\/7\/comments)$/ };
    const faults = [{ match, times: 3, before: 'status 422' }] as const;
    const { stage, say, runJob } = await openShop(1, { github: { faults } });
    say(reviewOf([0]));
    const runs = [await runJob(), await runJob()];
    expect([...runs.map(said), titlesOf(stage.github)]).toEqual([
      ['findings', '1', '0'],
      ['findings', '1', '1'],
      ['price0 reads'],
    ]);
  });
});
