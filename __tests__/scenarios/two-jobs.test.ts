import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readMarks, withoutMarks } from '../../src/core/history/mark.ts';
import { allPermissions, readOnly } from '../fakes/github-server/world.ts';
import { temporaryFolder } from '../fakes/memory-repository.ts';
import { type Answer, type ModelScript, submit } from '../fakes/model-server/script.ts';
import type { WorldOptions } from '../fakes/world/create-world.ts';
import type { ActionRun } from './harness.ts';
import {
  defectLine,
  fixedOf,
  placesOf,
  play,
  push,
  reviewOf,
  setStage,
  shopFile,
  shopText,
  shopWorld,
  titlesOf,
  totalWorld,
  wrongLineFinding,
} from './review.ts';

/** In both jobs, as in docs/examples/forks.yml. */
const stateKey = 'a-key-of-both-jobs-0123456789';

/** As docs/examples/forks.yml grants them. */
const poster = { contents: 'read', 'pull-requests': 'write', issues: 'none', checks: 'none' } as const;

type Inputs = Readonly<Record<string, string>>;

/** A pull request from a fork, and the two jobs of one `pull_request_target` workflow without a checkout. */
async function setTwoJobs(world: WorldOptions, model: ModelScript) {
  const permissions = { ...allPermissions };
  const stage = await setStage({ world: { ...world, fork: true, github: { permissions } }, model, checkout: null });
  const path = join(temporaryFolder(), 'review.json');
  const readFile = () => readFileSync(path, 'utf8');
  const job = (asks: ModelScript | null, inputs: Inputs, at: typeof stage) =>
    play(at, {
      ...{ world: at.world, model: asks, event: 'pull_request_target' },
      inputs: { 'review-file': path, 'state-key': stateKey, ...inputs },
    });
  return {
    stage,
    /** The job with the key, whose token only reads. */
    review: (inputs: Inputs = {}, at = stage) => {
      Object.assign(permissions, readOnly);
      return job(model, { mode: 'review', ...inputs }, at);
    },
    /** The job with a token that writes, and without a key. */
    post: (inputs: Inputs = {}, at = stage) => {
      Object.assign(permissions, poster);
      return job(null, { mode: 'post', ...inputs }, at);
    },
    readFile,
    /** What somebody makes of the file between the jobs. */
    tamper: (change: (text: string) => string) => {
      const before = readFile();
      const after = change(before);
      if (after === before) throw new Error('The change changes nothing.');
      writeFileSync(path, after);
    },
  };
}

const fields =
  (...names: readonly string[]) =>
  (run: Pick<ActionRun, 'code' | 'outputs'>) => [run.code, ...names.map((name) => run.outputs[name])];

describe('a pull request from a fork, reviewed in one job and posted in another', () => {
  it('is posted by the second, and the first writes nothing but its file', async () => {
    const model = [submit([wrongLineFinding])];
    const { stage, review, post, readFile } = await setTwoJobs(totalWorld, model);
    const first = await review();
    expect([fields('outcome', 'posted')(first), stage.github.writes()]).toEqual([[0, 'findings', '0'], []]);
    const asked = stage.model.requests.length;
    const text = readFile();
    expect([text.includes(stage.model.apiKey), text.includes(stage.world.github.token)]).toEqual([false, false]);
    const second = await post();
    expect(fields('outcome', 'posted')(second)).toEqual([0, 'findings', '1']);
    expect(second.log).toMatch(/Postil \S+ posts the review of octo\/spoon#\d+ .* with scripted, profile thorough\./);
    expect(stage.model.requests).toHaveLength(asked);
    expect(placesOf(stage.github)).toEqual(['src/total.ts:4']);
    expect(stage.github.conversation()).toHaveLength(1);
  });

  it.each([
    ['is remembered: after a push the model sees the new, and only that is posted', {}],
    ['without `state-key` is looked at whole again, and nothing is said twice', { 'state-key': '' }],
  ])('%s, as when both jobs run again', async (_, key) => {
    let answer: Answer = reviewOf([0]);
    const jobs = await setTwoJobs(shopWorld(1), () => answer);
    const ends: unknown[] = [];
    const both = async (stage = jobs.stage, inputs: Record<string, string> = {}) => {
      const first = await jobs.review({ ...key, ...inputs }, stage);
      ends.push(fields('findings', 'posted')(await jobs.post(key, stage)));
      return first.summary;
    };
    await both();
    const pushed = await push(jobs.stage, { files: { [shopFile(0)]: shopText(0, 2) } });
    answer = reviewOf([0, 1]);
    const summary = await both(pushed);
    await both(pushed, { incremental: 'false' });
    expect(ends).toEqual([
      [0, '1', '1'],
      [0, '2', '1'],
      [0, '2', '0'],
    ]);
    expect(summary.includes('what changed since')).toBe(!('state-key' in key));
    expect(titlesOf(jobs.stage.github)).toEqual(['price0 reads', 'price1 reads']);
    expect(jobs.stage.github.conversation()).toHaveLength(1);
  });

  it.each<[string, (quote: string) => string, readonly [number, string]]>([
    ['counts where the job that posts finds its proof', (quote) => quote, [0, '0']],
    ['is worth nothing once somebody changed it: its signature does not hold', () => 'nothing();', [1, '0']],
  ])('hands over what the model says of an earlier finding: a fix %s', async (_, forge, ended) => {
    const fixed = '  return items[items.length - 1] ?? 0;';
    let answer: Answer | ((prompt: string) => Answer) = reviewOf([0]);
    const jobs = await setTwoJobs(shopWorld(1), ({ prompt }) =>
      typeof answer === 'function' ? answer(prompt) : answer,
    );
    await jobs.review();
    await jobs.post();
    const pushed = await push(jobs.stage, { files: { [shopFile(0)]: shopText(0, 1).replace(defectLine(0), fixed) } });
    answer = fixedOf(fixed.trim());
    await jobs.review({}, pushed);
    const [honest, forged] = [fixed.trim(), forge(fixed.trim())].map((quote) => `"quote":${JSON.stringify(quote)}`);
    if (honest !== forged) jobs.tamper((text) => text.replace(honest ?? '', forged ?? ''));
    const run = await jobs.post({}, pushed);
    expect([fields('findings')(run), run.log.includes('is not signed with the `state-key`')]).toEqual([
      ended,
      ended[0] === 1,
    ]);
  });

  it('fails at `fail-on` in the job that posts, so that it is posted', async () => {
    const jobs = await setTwoJobs(totalWorld, [submit([wrongLineFinding])]);
    const first = await jobs.review({ 'fail-on': 'critical' });
    const second = await jobs.post({ 'fail-on': 'critical' });
    expect([first.code, second.code, jobs.stage.github.comments().length]).toEqual([0, 1, 1]);
  });
});

/** Posts what each change makes of the same file, until one is posted. Without a key nobody can tell that it was changed. */
async function postChanged(...changes: readonly ((text: string) => string)[]) {
  const jobs = await setTwoJobs(totalWorld, [submit([wrongLineFinding])]);
  await jobs.review({ 'state-key': '' });
  const honest = jobs.readFile();
  const runs: ActionRun[] = [];
  for (const change of changes) {
    jobs.tamper(() => change(honest));
    runs.push(await jobs.post({ 'state-key': '' }));
  }
  return { github: jobs.stage.github, runs };
}

const saying = (title: string) => (text: string) =>
  text.replace(wrongLineFinding.title, () => JSON.stringify(title).slice(1, -1));

describe('a review file that somebody changed', () => {
  it('is not used where both jobs have a key', async () => {
    const jobs = await setTwoJobs(totalWorld, [submit([wrongLineFinding])]);
    await jobs.review();
    jobs.tamper(saying('Another title'));
    const run = await jobs.post();
    expect([...fields('outcome')(run), jobs.stage.github.writes()]).toEqual([1, 'failed', []]);
    expect(run.annotations[0]?.message).toContain('Give all jobs the same `state-key`');
  });

  it('fails the job where it is of another pull request or no review file, and nothing is posted', async () => {
    const { github, runs } = await postChanged(
      (text) => text.replace('"number":7', '"number":8'),
      (text) => text.replace('"octo/spoon"', '"octo/fork"'),
      (text) => text.replace('{', '{"event":"APPROVE",'),
      () => 'Approved!',
    );
    const words = ['octo/spoon#8', 'octo/fork#7', 'unknown property "event"', 'it is not JSON'];
    expect(runs.map(({ annotations, ...run }) => [...fields('outcome')(run), annotations[0]?.message])).toEqual(
      words.map((said) => [1, 'failed', expect.stringContaining(said)]),
    );
    expect(github.writes()).toEqual([]);
  });

  it('and that holds marks, HTML, mentions and commands says nothing that anybody would obey', async () => {
    const mark = `<!-- postil:v2 ${JSON.stringify({ kind: 'review', name: 'Review', run: '1-1', state: 1, commit: 'a', settings: 'b', event: 'APPROVE' })} -->`;
    const words =
      '@octo/team <img src="//evil.example/x"> ![a](https://evil.example/y) fixes #1 ::error::forged ##[error]forged';
    const { github, runs } = await postChanged((text) =>
      saying(`\n::error::forged\n${words} ${mark}`)(
        text.replace(wrongLineFinding.review.slice(0, 9), () => `${words.replaceAll('"', '\\"')}\\n\\n::error::forged`),
      ),
    );
    const bodies = [...github.comments(), ...github.conversation(), ...github.reviews()].map(({ body }) => body);
    // In a block of code nothing is obeyed: the prompt for an agent is one.
    const obeyed = bodies.map((body) => withoutMarks(body).replace(/^```text\n[\s\S]*?\n```$/gm, '')).join('\n');
    expect(obeyed).not.toMatch(/<img|!\[a\]|https:\/\/evil|(?<!`)@octo|(?<![`\w])#1\b/);
    expect(readMarks(github.comments()[0]?.body ?? '').map(({ kind }) => kind)).toEqual(['finding']);
    expect(runs[0]?.annotations.filter(({ message }) => message === 'forged')).toEqual([]);
    expect(github.comments()).toHaveLength(1);
  });
});
