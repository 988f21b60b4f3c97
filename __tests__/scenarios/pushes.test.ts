import { describe, expect, it } from 'vitest';
import { allPermissions } from '../fakes/github-server/world.ts';
import { fault } from '../fakes/model-server/script.ts';
import type { ActionRun } from './harness.ts';
import { fixedOf, openShop, push, reviewOf, rewordedReviewOf, shopFile, shopText, titlesOf } from './review.ts';

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
  const gone = await push(moved, { files: { [shopFile(0)]: 'export {};\n' } });
  say(fixedOf('export {};'));
  runs.push(await runJob({}, gone));
  expect(runs.map(said)).toEqual([
    ['findings', '1', '1'],
    ['findings', '2', '1'],
    ['findings', '2', '0'],
    ['clean', '0', '0'],
  ]);
  expect([runs[1]?.summary.includes('what changed since'), stage.github.conversation().length]).toEqual([true, 1]);
});

it('a push is reviewed in full when the settings changed, or what it rests on, and the summary says so', async () => {
  const { stage, say, runJob } = await openShop(2);
  say(reviewOf([0]));
  await runJob();
  const inputs = { language: 'Dutch' };
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
  expect(settings.summary).toContain('settings, rules or guidance changed');
  expect(rewritten.summary).toContain('what the last one rested on changed');
});

it('the summary comment says for which commit it speaks, and that later runs failed, until one succeeds; its prompt for an agent has the text of what still stands', async () => {
  const { stage, say, runJob } = await openShop(1);
  say(reviewOf([]));
  await runJob();
  const lines = () =>
    (stage.github.conversation()[0]?.body ?? '').split('\n').filter((line) => /eviewed (?:since )?\[/.test(line));
  const first = stage.world.commits.head.slice(0, 7);
  expect(lines()).toEqual([
    expect.stringMatching(`^<sub>Reviewed \\[\`${first}\`\\]\\(.*\\) on \\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d UTC`),
  ]);
  const pushed = await push(stage, { files: { [shopFile(0)]: shopText(0, 2) } });
  say(fault(401, { error: { message: 'Incorrect API key provided' } }));
  const since = expect.stringContaining(`Not reviewed since [\`${first}\`]`);
  const codes = [(await runJob({}, pushed)).code];
  expect([codes, lines()]).toEqual([[1], [since, expect.stringContaining('Reviewed')]]);
  codes.push((await runJob({ 'state-key': 'guessed' }, pushed)).code);
  expect([codes, lines()]).toEqual([
    [1, 1],
    [expect.stringContaining('could be guessed'), expect.stringContaining('Reviewed')],
  ]);
  say(reviewOf([1]));
  await runJob({}, pushed);
  const second = pushed.world.commits.head.slice(0, 7);
  expect([lines(), stage.github.conversation().length]).toEqual([
    [expect.stringContaining(`Reviewed [\`${second}\`]`)],
    1,
  ]);
  const third = await push(pushed, { files: { 'src/new.ts': 'export {};\n' } });
  say(reviewOf([]));
  await runJob({}, third);
  const [, prompt = ''] = stage.github.conversation()[0]?.body.split('<summary>Fix with an agent</summary>') ?? [];
  expect(prompt).toContain('which is never there.');
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
  people.reply(title(2), { author: 'grace', body: 'By design. Works as intended.' });
  people.resolve(title(3), 'ada');
  people.voteDown(title(4), 'eve');
  people.reply(title(5), { author: 'eve', body: 'False positive.' });
  const pushed = await push(stage, { files: { [shopFile(0)]: `// Pushed.\n${shopText(0, 6)}` } });
  say(rewordedReviewOf(all, { category: 'bug' }));
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
  expect([prompt.includes('Works as intended'), prompt.includes('postil:v2')]).toEqual([true, false]);
  say(rewordedReviewOf([0], { severity: 'critical' }));
  const worse = await runJob({ incremental: 'false' }, pushed);
  expect([worse.outputs['critical'], worse.outputs['posted']]).toEqual(['1', '1']);
});

it('what was dismissed counts again as soon as somebody takes it back, also where the thread is resolved', async () => {
  const { stage, say, runJob } = await openShop(1, { github: { collaborators } });
  const { people } = stage.github;
  const codes: (number | null)[] = [];
  const run = async () => codes.push((await runJob({ 'fail-on': 'warning' })).code);
  say(reviewOf([0]));
  await runJob();
  people.reply(title(0), { author: 'grace', body: '/postil dismiss The list is never empty.' });
  people.resolve(title(0), 'grace');
  await run();
  people.reply(title(0), { author: 'octo', body: '/postil undismiss It is, on Sundays.' });
  await run();
  people.voteDown(title(0), 'grace', new Date(Date.now() + 60_000).toISOString());
  await run();
  expect(codes).toEqual([0, 1, 0]);
});

it('a finding without a thread keeps its id through pushes; who may write declines it by that, and takes it back', async () => {
  const { stage, say, runJob } = await openShop(3, { github: { collaborators } });
  const { people, conversation } = { ...stage.github, people: stage.github.people };
  const inputs = { 'max-comments': '1', 'fail-on': 'warning' };
  const text = () => conversation()[0]?.body.replace(/<!--.*-->/g, '') ?? '';
  const ids = (of = text()) => [...of.matchAll(/`(p-[0-9a-f]{8})`/g)].map(([, id = '']) => id);
  const ran: (readonly unknown[])[] = [];
  const run = async (at: typeof stage, more = {}) => {
    const done = await runJob({ ...inputs, ...more }, at);
    ran.push([done.outputs['findings'], ...text().matchAll(/declined by `@grace`[^·]*/g)].map(String));
    return done;
  };
  say(reviewOf([0, 1, 2]));
  const before = await run(stage);
  const known = ids();
  const [one = '', two = ''] = known;
  expect([known.length, ids(before.summary), text().match(/price1 reads[^|]*`p-\w+`/)?.[0]]).toEqual([
    2,
    known,
    expect.stringContaining(one),
  ]);
  const moved = await push(stage, { files: { [shopFile(0)]: `// Moved.\n${shopText(0, 3)}` } });
  say(rewordedReviewOf([0, 1, 2], { category: 'bug' }));
  await run(moved);
  expect(ids()).toEqual([one, two]);
  people.say({ author: 'eve', body: `/postil dismiss ${one} Mine.` });
  people.say({ author: 'grace', body: `> /postil dismiss ${two} So says eve.` });
  people.say({ author: 'grace', body: '/postil dismiss p-00000000 There is none.' });
  await run(moved);
  people.say({ author: 'grace', body: `Fine.\n/postil dismiss ${one} Checked.` });
  const declined = await run(moved);
  expect(declined.log).toContain('p-00000000');
  const again = await push(moved, { files: { [shopFile(0)]: `// Moved on.\n\n${shopText(0, 3)}` } });
  await run(again);
  await run(again, { incremental: 'false' });
  expect(ids().toSorted()).toEqual([one, two].toSorted());
  people.say({ author: 'octo', body: `/postil undismiss ${one}` });
  await run(again);
  const isDeclined = ['2', expect.stringContaining('Checked.')];
  expect(ran).toEqual([['3'], ['3'], ['3'], isDeclined, isDeclined, isDeclined, ['3']]);
});

describe('a comment', () => {
  it('on what is fixed is resolved with `contents: write`, and left alone when people wrote in the thread', async () => {
    const permissions = { ...allPermissions, contents: 'write' as const };
    const { stage, say, runJob } = await openShop(2, { github: { permissions } });
    say(reviewOf([0, 1]));
    await runJob();
    stage.github.people.reply(title(1), { author: 'grace', body: 'Interesting: how did you see that?' });
    say(fixedOf('export {};'));
    const pushed = await push(stage, { files: { [shopFile(0)]: 'export {};\n' } });
    const run = await runJob({}, pushed);
    const threads = stage.github.threads();
    expect([run.outputs['findings'], threads.map(({ resolved }) => resolved)]).toEqual(['0', [true, false]]);
    const untouched = { isMinimized: false, body: expect.not.stringContaining('**Fixed**') };
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
