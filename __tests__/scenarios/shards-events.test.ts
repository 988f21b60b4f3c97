import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { drawPng } from '../fakes/images.ts';
import { submit } from '../fakes/model-server/script.ts';
import type { ActionRun } from './harness.ts';
import { askedIn, defectFinding, defectLine, push, reviewOf, shopText, shopWorld } from './review.ts';
import { openShards, shardsOf, shopReader } from './shards.ts';

const told = (run: Pick<ActionRun, 'code' | 'outputs'>) => [
  run.code,
  ...['outcome', 'findings', 'posted'].map((name) => run.outputs[name]),
];

/** What each of the three jobs came to, with one shard. */
async function allOf(jobs: Awaited<ReturnType<typeof openShards>>, inputs: Readonly<Record<string, string>> = {}) {
  const plan = await jobs.plan(inputs);
  const review = await jobs.review('1/1', inputs);
  const post = await jobs.post({ ...inputs, 'require-complete': 'true' });
  return { shards: shardsOf(plan), ends: [plan, review, post].map((run) => told(run).slice(0, 2)) };
}

describe('where there is nothing to divide', () => {
  it.each(['push', 'merge_group'] as const)('%s passes in all three jobs, without a file', async (event) => {
    const payload = { action: 'checks_requested', merge_group: { head_sha: '0'.repeat(40) } };
    const jobs = await openShards(1, { event: event === 'push' ? 'push' : { name: event, payload } });
    const { shards, ends } = await allOf(jobs);
    expect([shards, ends, existsSync(jobs.planFile)]).toEqual([['1/1'], ends.map(() => [0, 'skipped']), false]);
  });

  it('a draft is left by all three, and nothing is said; what changes nothing to review passes a gate', async () => {
    const draft = await openShards(1, { world: { ...shopWorld(1), pullRequest: { draft: true } } });
    // What is not looked at is not complete.
    expect(await allOf(draft)).toEqual({ shards: ['1/1'], ends: [0, 0, 1].map((code) => [code, 'skipped']) });
    expect(draft.stage.github.writes()).toEqual([]);
    const world = { base: { 'README.md': '# Shop\n' }, head: { 'yarn.lock': '# yarn lockfile v1\n' } };
    const nothing = await openShards(1, { world });
    const { ends } = await allOf(nothing, { exclude: '**' });
    expect(ends).toEqual([0, 0, 0].map((code) => [code, 'skipped']));
  });

  it('the profile `offline` asks nobody, and comes to what one job comes to', async () => {
    const rules = { ...shopWorld(1), head: { 'src/a.ts': 'debugger;\n' } };
    const offline = { profile: 'offline' };
    const jobs = await openShards(1, { world: rules });
    await jobs.plan(offline);
    await jobs.review('1/1', offline);
    const alone = await openShards(1, { world: rules });
    expect([told(await jobs.post(offline)), jobs.stage.model.requests]).toEqual([told(await alone.alone(offline)), []]);
  });

  it('a person may start all three by hand', async () => {
    const jobs = await openShards(10, { event: 'workflow_dispatch' });
    const number = { 'pull-request': String(jobs.stage.world.pull.number) };
    for (const shard of shardsOf(await jobs.plan(number))) await jobs.review(shard, number);
    expect(told(await jobs.post(number))).toEqual([0, 'findings', '10', '10']);
  });
});

describe('a gate in the job that posts', () => {
  const fine = { approval: { approved: true, rationale: 'Fine.', action: 'APPROVE' } } as const;
  const allowed = { github: { viewer: 'postil-app[bot]' }, authors: ['ada <ada@users.noreply.github.com>'] };
  const approving = { 'review-event': 'approve', 'require-complete': 'true' };

  it('approves with every shard, and not with one missing', async () => {
    const jobs = await openShards(20, { model: () => submit([], fine), world: { ...shopWorld(20), ...allowed } });
    await jobs.reviewAll();
    jobs.tamper(jobs.fileOf(1), () => '');
    expect(told(await jobs.post(approving))).toEqual([1, 'partial', '0', '0']);
    const states = () => jobs.stage.github.reviews().map(({ state }) => state);
    const before = states();
    await jobs.review('1/2', {}, { attempt: 2 });
    expect([told(await jobs.post(approving)), before, states()]).toEqual([[0, 'clean', '0', '0'], [], ['APPROVED']]);
  });

  it('fails for findings of any shard', async () => {
    const jobs = await openShards(20);
    await jobs.reviewAll();
    expect(told(await jobs.post({ 'fail-on': 'warning' }))).toEqual([1, 'findings', '20', '15']);
  });
});

describe('a share that is too small', () => {
  it('begins nothing, says so, and the files are named', async () => {
    const jobs = await openShards(20);
    const small = { 'max-total-tokens': '10000' };
    await jobs.reviewAll(small);
    const posted = await jobs.post({ ...small, 'require-complete': 'true' });
    expect(posted.outputs['outcome']).not.toMatch(/clean|findings/);
    expect([posted.code, posted.summary]).toEqual([1, expect.stringContaining('tokens')]);
  });
});

describe('earlier findings', () => {
  it('are asked about in the shard that has their file, and each is fixed once', async () => {
    let isFixed = false;
    const jobs = await openShards(20, {
      model: (request, turn) => {
        if (!isFixed) return typeof shopReader === 'function' ? shopReader(request, turn) : reviewOf([]);
        const [index] = [0, 1].filter((one) => request.prompt.includes(`items.length - 1] ?? ${one * 10};`));
        const quote = `  return items[items.length - 1] ?? ${(index ?? 0) * 10};`;
        const answers = askedIn(request.prompt).map((id) => ({ id, path: null, quote, state: 'fixed' as const }));
        return submit([], { earlier_findings: answers });
      },
    });
    await jobs.reviewAll();
    await jobs.post();
    isFixed = true;
    const mended = (index: number) =>
      shopText(index, 20).replace(defectLine(index * 10), `  return items[items.length - 1] ?? ${index * 10};`);
    const at = await push(jobs.stage, { files: { 'src/shop-0.ts': mended(0), 'src/shop-1.ts': mended(1) } });
    for (const shard of shardsOf(await jobs.plan({}, { at }))) await jobs.review(shard, {}, { at });
    expect(told(await jobs.post({}, { at }))).toEqual([0, 'findings', '18', '0']);
  });
});

describe('images in shards', () => {
  const image = (red: number) => drawPng({ width: 20, height: 10, colourAt: () => [red, 0, 0, 255] });
  const head = { 'src/shop-0.ts': shopText(0, 10), 'a.png': image(10), 'docs/b.png': image(20) };

  it('are seen by the shard that has them, and count as seen', async () => {
    const jobs = await openShards(0, {
      model: ({ prompt }) => submit(prompt.includes('price0(') ? [defectFinding(0)] : []),
      world: { base: { 'README.md': '# Shop\n' }, head },
    });
    const vision = { vision: 'true' };
    const shards = await jobs.reviewAll(vision);
    const posted = await jobs.post({ ...vision, 'require-complete': 'true' });
    const images = jobs.stage.model.requests.map(({ messages }) => messages.flatMap((one) => one.images).length);
    expect([shards.length, told(posted), images.toSorted()]).toEqual([3, [0, 'findings', '1', '1'], [0, 1, 1]]);
  });
});
