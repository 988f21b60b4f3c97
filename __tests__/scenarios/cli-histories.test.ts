import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cloneRepository, createRepository, type GitFixture } from '../fakes/git-fixture.ts';
import { call, submit } from '../fakes/model-server/script.ts';
import { startModel } from '../fakes/model-server/start-model.ts';
import { temporaryFolder } from '../fakes/temporary-folder.ts';
import { runCli } from './run-cli.ts';

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
