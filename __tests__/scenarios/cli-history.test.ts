import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { writeMark } from '../../src/core/memory/mark.ts';
import { markOf } from '../../src/core/memory/memory.ts';
import { cloneRepository, createRepository, type GitFixture } from '../fakes/git-fixture.ts';
import { startGitHub } from '../fakes/github-server/start-github.ts';
import { temporaryFolder } from '../fakes/memory-repository.ts';
import { call, submit } from '../fakes/model-server/script.ts';
import { startModel } from '../fakes/model-server/start-model.ts';
import { finding } from '../fakes/review-record.ts';
import { createWorld, type WorldOptions } from '../fakes/world/create-world.ts';
import { runCli } from './worlds.ts';

const before = 'export function total() {\n  return 0;\n}\n';
const after = 'export function total() {\n  debugger;\n  return 0;\n}\n';

const uncommitted = 'Reviewing 1 commit and uncommitted changes in 2 files against main (';

const needle = {
  path: 'src/new.ts',
  quote: 'export const needle = 1;',
  title: 'Nobody reads the needle',
  review: 'Nothing imports it.',
  severity: 'warning',
} as const;

/** main with two commits, the second of which leaves a debugger behind. */
function history(path = 'src/total.ts'): GitFixture {
  const fixture = createRepository();
  fixture.commit({ files: { [path]: before, 'docs/a.md': '# A\n' }, message: 'Start' });
  fixture.commit({ files: { [path]: after }, message: 'Look inside' });
  return fixture;
}

describe('the command line finds the same in', () => {
  it.each<[string, () => string, readonly string[]]>([
    ['a folder below', () => join(history().directory, 'docs'), []],
    ['a path with spaces, named by --directory', spaced, []],
    ['a bare repository', () => cloneRepository(history(), '--bare').directory, []],
    ['a linked work tree', linked, []],
    ['a detached head', detached, []],
    ['a shallow clone that reaches the base', () => cloneRepository(history(), '--depth', '2').directory, []],
    ['an older commit, named by --head', later, ['--head', 'HEAD~1', '--base', 'HEAD~2']],
    ['a merge commit', merged, ['--base', 'HEAD^1']],
  ])('%s', async (_, make, more) => {
    const run = await runCli({
      args: ['review', ...(more.includes('--base') ? [] : ['--base', 'HEAD~1']), ...more],
      cwd: make(),
    });
    expect([run.code, run.stdout.includes('src/total.ts:2')]).toEqual([0, true]);
  });

  it('a repository that it is pointed at', async () => {
    const args = ['review', '--base', 'HEAD~1', '--directory', spaced()];
    const run = await runCli({ args, cwd: temporaryFolder() });
    expect([run.code, run.stdout.includes('src/total.ts:2')]).toEqual([0, true]);
  });
});

describe('the command line reviews without --base', () => {
  it.each<[string, readonly string[], string, readonly string[]]>([
    [
      'what is about to be committed or pushed',
      [],
      uncommitted,
      ['src/staged.ts:1', 'src/total.ts:2', 'src/untracked.ts:1'],
    ],
    ['what is staged', ['--staged'], 'staged changes in 1 file against HEAD', ['src/staged.ts:1']],
    ['one commit', ['--commit', 'HEAD'], 'against its parent', ['src/total.ts:2']],
    ['a range', ['--range', 'HEAD~1..HEAD'], '1 commit of HEAD against HEAD~1', ['src/total.ts:2']],
  ])('%s', async (_, args, words, places) => {
    const fixture = history();
    fixture.git('branch', 'topic');
    fixture.git('checkout', '--quiet', 'topic');
    fixture.git('branch', '--force', 'main', 'HEAD~1');
    writeFileSync(join(fixture.directory, 'src', 'staged.ts'), 'debugger;\n');
    fixture.git('add', '--all');
    writeFileSync(join(fixture.directory, 'src', 'untracked.ts'), 'debugger;\n');
    const before = fixture.git('status', '--porcelain', '--untracked-files=all');
    const run = await runCli({ args: ['review', ...args], cwd: fixture.directory });
    const found = [...run.stdout.matchAll(/^src\/\w+\.ts:\d+/gm)].map(([place]) => place).sort();
    expect([run.code, found, run.stderr]).toEqual([0, places, expect.stringContaining(words)]);
    expect(fixture.git('status', '--porcelain', '--untracked-files=all')).toBe(before);
  });

  it('with a model, whose tools read what is not committed', async () => {
    const model = await startModel((request, turn) => {
      if (turn === 0) return call('read_file', { path: 'src/new.ts' });
      return submit(request.lastResult('read_file').includes('needle') ? [needle] : []);
    });
    const fixture = history();
    writeFileSync(join(fixture.directory, 'src', 'new.ts'), 'export const needle = 1;\n');
    const env = { POSTIL_API_KEY: model.apiKey, POSTIL_BASE_URL: model.url, POSTIL_VERIFY: 'false' };
    const run = await runCli({
      args: ['review', '--profile', 'quick', '--fail-on', 'warning'],
      cwd: fixture.directory,
      env,
    });
    await model.close();
    expect([run.code, model.complaints, run.stdout]).toEqual([1, [], expect.stringContaining('src/new.ts:1')]);
  });
});

describe('the command line says what is in its way:', () => {
  it.each<[string, () => string, readonly string[], RegExp]>([
    ['a first commit has nothing before it', onlyOne, ['--base', 'HEAD~1'], /HEAD~1/],
    [
      'a shallow clone that ends before the base',
      () => cloneRepository(history(), '--depth', '1').directory,
      ['--base', 'HEAD~1'],
      /shallow|deepen|unshallow|HEAD~1/,
    ],
    ['nothing committed yet', () => createRepository().directory, ['--base', 'HEAD'], /commit/],
    ['flags that contradict each other', () => history().directory, ['--staged', '--commit', 'HEAD'], /contradict/],
    ['a flag of the action', () => history().directory, ['--base', 'HEAD~1', '--dry-run', 'true'], /dry-run/],
  ])('%s', async (_, make, more, words) => {
    const run = await runCli({ args: ['review', ...more], cwd: make() });
    expect([run.code, run.stderr]).toEqual([2, expect.stringMatching(words)]);
    expect(run.stderr).not.toMatch(/^\s+at /m);
  });

  it('a clean work tree is nothing to review', async () => {
    const run = await runCli({ args: ['review'], cwd: history().directory });
    const line = 'Nothing to review: no uncommitted changes, and no commits that main lacks.';
    expect([run.code, run.stderr]).toEqual([0, expect.stringContaining(line)]);
  });

  it('the same commit on both sides is nothing to review', async () => {
    const run = await runCli({ args: ['review', '--base', 'HEAD'], cwd: history().directory });
    expect([run.code, run.stdout]).toEqual([0, expect.stringContaining('changes no files')]);
  });
});

function spaced(): string {
  const directory = join(temporaryFolder(), 'my own project');
  mkdirSync(directory);
  history().git('clone', '--quiet', '.', directory);
  return directory;
}

function linked(): string {
  const folder = join(temporaryFolder(), 'linked');
  history().git('worktree', 'add', '--quiet', '--detach', folder);
  return folder;
}

function detached(): string {
  const fixture = history();
  fixture.git('checkout', '--quiet', '--detach', 'HEAD');
  return fixture.directory;
}

function later(): string {
  const fixture = history();
  fixture.commit({ files: { 'docs/a.md': '# B\n' }, message: 'Write' });
  return fixture.directory;
}

function merged(): string {
  const fixture = createRepository();
  fixture.commit({ files: { 'src/total.ts': before }, message: 'Start' });
  fixture.git('checkout', '--quiet', '-b', 'feature');
  fixture.commit({ files: { 'src/total.ts': after }, message: 'Look inside' });
  fixture.git('checkout', '--quiet', 'main');
  fixture.commit({ files: { 'MAIN.md': 'on\n' }, message: 'Move on' });
  fixture.git('merge', '--quiet', '--no-ff', '-m', 'Merge', 'feature');
  return fixture.directory;
}

function onlyOne(): string {
  const fixture = createRepository();
  fixture.commit({ files: { 'src/total.ts': after }, message: 'Start' });
  return fixture.directory;
}

const at = {
  identity: { name: 'Review', run: '1-1', settings: '' },
  commit: 'a'.repeat(40),
  mergeBase: '',
  redact: String,
};
const anchor = { kind: 'lines', side: 'RIGHT', startLine: 1, endLine: 1, quote: '' } as const;
const body = `Words.\n\n${writeMark(markOf(finding({ title: 'The total may be NaN', anchor }), at))}`;

function worldAnswered(by: string, words: string): WorldOptions {
  const comments = [
    { author: 'github-actions[bot]', body },
    { author: by, body: words, date: '2026-11-03T10:00:00Z' },
  ];
  const threads = [{ path: 'src/a.ts', line: 1, comments }];
  return {
    base: { 'README.md': 'x\n' },
    head: { 'src/a.ts': 'export {};\n' },
    pullRequest: { state: 'merged', threads },
    github: { viewer: 'grace', collaborators: { grace: 'write', eve: 'read' } },
  };
}

/** GitHub, and a clone of the repository whose origin is there. */
async function laptop(world: WorldOptions = worldAnswered('grace', "That's by design:\u202E no price, no total.")) {
  const github = await startGitHub(createWorld(world).github);
  onTestFinished(() => github.close());
  const cwd = temporaryFolder();
  execFileSync('git', ['init', '--quiet'], { cwd });
  execFileSync('git', ['remote', 'add', 'origin', `${github.serverUrl}/octo/spoon.git`], { cwd });
  const env = {
    GITHUB_TOKEN: github.world.token,
    GITHUB_API_URL: github.apiUrl,
    GITHUB_GRAPHQL_URL: github.graphqlUrl,
    GITHUB_SERVER_URL: github.serverUrl,
  };
  const learn = (args: readonly string[] = [], more: Readonly<Record<string, string>> = {}, start?: 'bundle') =>
    runCli({ args: ['learn', ...args], cwd, env: { ...env, ...more }, ...(start && { start }) });
  const apply = (patch: string) => execFileSync('git', ['apply', '-'], { cwd, input: patch });
  const memory = () => readFileSync(join(cwd, '.postil/memory.md'), 'utf8');
  return { cwd, env, learn, apply, memory, github };
}

describe('postil learn', () => {
  it('prints a patch that git applies, writes nothing itself, and has nothing to say the second time', async () => {
    const { cwd, learn, apply, memory, github } = await laptop();
    const first = await learn([], {}, 'bundle');
    expect([first.code, existsSync(join(cwd, '.postil'))]).toEqual([0, false]);
    expect(first.stderr).toContain('Proposed: 1 standing answer for .postil/memory.md. Nothing was written');
    apply(first.stdout);
    expect(memory()).toBe(
      `# Standing answers\n\n- \`src/a.ts\`: do not report "The total may be NaN" again. grace: "That's by design:\\u{202E} no price, no total." (2026-11-03, https://github.example/octo/spoon/pull/7#discussion_r1003)\n`,
    );
    const second = await learn();
    expect([second.code, second.stdout, second.stderr.includes('Nothing to learn.')]).toEqual([0, '', true]);
    expect(github.writes()).toEqual([]);
  });

  it('adds to the answers that are there, from any folder of the clone', async () => {
    const { cwd, learn, apply, memory } = await laptop();
    mkdirSync(join(cwd, '.postil'));
    mkdirSync(join(cwd, 'below'));
    writeFileSync(join(cwd, '.postil/memory.md'), '- We accept NaN in the demo.');
    const { stdout } = await learn(['--directory', 'below', '--pull-request', '7']);
    apply(stdout);
    expect(
      memory()
        .split('\n')
        .map((line) => line.slice(0, 30)),
    ).toEqual(['- We accept NaN in the demo.', '- `src/a.ts`: do not report "T', '']);
  });

  it.each([
    ['somebody who may not write', 'eve', 'False positive.'],
    ['who agreed', 'grace', 'Good catch, fixed.'],
  ])('learns nothing from %s', async (_, by, words) => {
    const { code, stdout, stderr } = await (await laptop(worldAnswered(by, words))).learn();
    expect([code, stdout]).toEqual([0, '']);
    expect(stderr).toMatch(/^Read: 1 pull request of octo\/spoon, 1 review thread, 1 by .*\nNothing to learn\.\n$/);
  });

  it('says so when Postil posts as somebody else', async () => {
    const { learn } = await laptop();
    const { stderr } = await learn(['--author', 'my-app[bot]']);
    expect(stderr).toContain('No thread was started by my-app[bot]: name who posts with --author.');
  });

  it.each<[string, Readonly<Record<string, string>>, readonly string[], string]>([
    ['a token', { GITHUB_TOKEN: '' }, [], 'Set GITHUB_TOKEN'],
    ['the right token', { GITHUB_TOKEN: 'wrong' }, [], 'GitHub does not accept the token'],
    [
      'a server that is the origin’s',
      { GITHUB_SERVER_URL: 'https://github.com' },
      [],
      'Name it: --repository owner/name.',
    ],
    ['a pull request that exists', {}, ['--pull-request', '99'], 'GitHub does not show pull request #99'],
    ['flags that it knows', {}, ['--model', 'x'], "learn does not take '--model'"],
  ])('needs %s, and says what to do without', async (_, env, args, words) => {
    const { learn } = await laptop();
    const { code, stdout, stderr } = await learn(args, env);
    expect([code, stdout, stderr.includes(words)]).toEqual([2, '', true]);
  });

  it('does not propose to add to what is no text', async () => {
    const { cwd, learn } = await laptop();
    mkdirSync(join(cwd, '.postil'));
    writeFileSync(join(cwd, '.postil/memory.md'), Buffer.from([0xff, 0xfe, 0x41]));
    const { code, stderr } = await learn();
    expect([code, stderr.includes('it is not text in UTF-8')]).toEqual([2, true]);
  });

  it('is in the help', async () => {
    const { stdout } = await runCli({ args: ['learn', '--help'], cwd: temporaryFolder() });
    expect(stdout).toMatch(/\n {2}learn {2}[\s\S]*What to learn from[\s\S]*--since DAYS {2}[\s\S]*--author LOGIN /);
  });
});
