import { describe, expect, it } from 'vitest';
import { submit } from '../fakes/model-server/script.ts';
import {
  openShop,
  play,
  push,
  review,
  reviewOf,
  setStage,
  shopFile,
  shopText,
  titlesOf,
  totalWorld,
  wrongLineFinding,
} from './review.ts';

describe('a finding whose comment somebody deleted', () => {
  it('stands and is raised again, until somebody who may write declines it', async () => {
    const { scenario, stage, say } = await openShop(1);
    const inputs = { 'fail-on': 'warning', incremental: 'false' };
    say(reviewOf([0]));
    await play(stage, { ...scenario, inputs });
    stage.github.people.deleteReviewComment('price0 reads');
    say(reviewOf([]));
    const again = await play(stage, { ...scenario, inputs });
    expect([again.code, titlesOf(stage.github)]).toEqual([1, ['price0 reads']]);
    stage.github.people.resolve('price0 reads', 'ada');
    const declined = await play(stage, { ...scenario, inputs });
    expect([declined.code, declined.outputs['findings'], titlesOf(stage.github)]).toEqual([0, '0', ['price0 reads']]);
  });
});

describe('a gate', () => {
  const model = () => submit([]);

  it('stays shut when the pull request becomes a draft, and when it is ready again at the same head', async () => {
    const { scenario, stage, say } = await openShop(1);
    const codes: (number | null)[] = [];
    say(reviewOf([0]));
    for (const draft of [false, true, false]) {
      stage.github.people.change({ draft });
      codes.push((await play(stage, { ...scenario, inputs: { 'fail-on': 'warning' } })).code);
      say(reviewOf([]));
    }
    expect([codes, stage.github.comments().length]).toEqual([[1, 1, 1], 1]);
  });

  it('stays shut with `require-complete` for a draft, and opens for lock files that the workflow leaves out', async () => {
    const inputs = { 'require-complete': 'true' };
    const draft = await review({ world: { ...totalWorld, pullRequest: { draft: true } }, model, inputs });
    const lock = (name: string) => ({ 'package-lock.json': `{"name":"${name}","lockfileVersion":3}\n` });
    const locked = { world: { base: lock('a'), head: lock('b') }, model };
    const unread = await review({ ...locked, inputs });
    const left = await review({ ...locked, inputs: { ...inputs, 'skip-kinds': 'lock-files' } });
    expect(
      [draft, unread, left].map(({ run: { code, outputs } }) => [code, outputs['outcome'], outputs['unread']]),
    ).toEqual([
      [1, 'skipped', '0'],
      [1, 'partial', '1'],
      [0, 'skipped', '0'],
    ]);
    expect(draft.run.annotations.at(-1)?.message).toMatch(/Not everything was reviewed, and `require-complete` is set/);
  });
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

describe('a pull request of Dependabot', () => {
  it('is skipped, and reviewed as soon as somebody else adds a commit', async () => {
    const author = 'dependabot[bot]';
    const authors = [`${author} <49699333+${author}@users.noreply.github.com>`];
    const scenario = {
      world: { ...totalWorld, authors, pullRequest: { author } },
      model: () => submit([wrongLineFinding]),
    };
    const stage = await setStage(scenario);
    const first = await play(stage, scenario);
    const second = await play(await push(stage, { files: { 'src/more.ts': 'export {};\n' } }), scenario);
    expect([first.outputs['outcome'], second.outputs['outcome']]).toEqual(['skipped', 'findings']);
    expect(second.summary).toMatch(/Reviewed although `skip-authors` names dependabot.*is not known to be theirs/);
  });
});

const person = { viewer: 'postil-app[bot]' };

describe('`review-event: request-changes`', () => {
  it('asks for changes, keeps asking without saying it again, and takes it back when the reasons are gone', async () => {
    const { scenario, stage, say } = await openShop(1);
    const inputs = { 'review-event': 'request-changes' };
    const states: unknown[] = [];
    const run = async (at: typeof stage) => {
      await play(at, { ...scenario, inputs });
      states.push(stage.github.reviews().map(({ state }) => state));
    };
    say(reviewOf([0]));
    await run(stage);
    await run(await push(stage, { files: { 'src/other.ts': 'export {};\n' } }));
    say(reviewOf([]));
    await run(await push(stage, { files: { [shopFile(0)]: '/** Nothing is left. */\n' } }));
    expect(states).toEqual([['CHANGES_REQUESTED'], ['CHANGES_REQUESTED'], ['DISMISSED']]);
  });
});

describe('`review-event: approve`', () => {
  const inputs = { 'review-event': 'approve' };

  it('approves a clean change once, and takes it back when a later push is not clean', async () => {
    const { scenario, stage, say } = await openShop(1, { github: person });
    say(reviewOf([]));
    await play(stage, { ...scenario, inputs });
    await play(stage, { ...scenario, inputs: { ...inputs, incremental: 'false' } });
    expect(stage.github.reviews().map(({ state }) => state)).toEqual(['APPROVED']);
    say(reviewOf([0]));
    const pushed = await push(stage, { files: { [shopFile(0)]: `// Pushed.\n${shopText(0, 1)}` } });
    await play(pushed, { ...scenario, inputs });
    expect(stage.github.reviews().map(({ state }) => state)).toEqual(['DISMISSED', 'CHANGES_REQUESTED']);
  });

  it('becomes a comment that says so, once, where GitHub does not permit it', async () => {
    const { scenario, stage, say } = await openShop(1);
    say(reviewOf([]));
    const run = await play(stage, { ...scenario, inputs });
    await play(stage, { ...scenario, inputs: { ...inputs, incremental: 'false' } });
    expect(stage.github.reviews().map(({ state }) => state)).toEqual(['COMMENTED']);
    expect(stage.github.reviews()[0]?.body).toContain('not permitted to approve');
    expect(run.outputs['outcome']).toBe('clean');
  });

  it('asks for changes too, and that is a comment on a pull request of its own', async () => {
    const own = { github: person, pullRequest: { author: 'postil-app[bot]' } };
    const { scenario, stage, say } = await openShop(1, own);
    say(reviewOf([0]));
    await play(stage, { ...scenario, inputs });
    expect(stage.github.reviews().map(({ state }) => state)).toEqual(['COMMENTED']);
    expect(titlesOf(stage.github)).toEqual(['price0 reads']);
  });
});
