import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { readArguments } from '../../src/cli/arguments.ts';
import { commands } from '../../src/cli.ts';
import { createRepository } from '../fakes/git-fixture.ts';
import { temporaryFolder } from '../fakes/memory-repository.ts';
import { builtFile } from './harness.ts';

const root = new URL('../../', import.meta.url);
const page = readFileSync(new URL('docs/hooks.md', root), 'utf8');
const [hook] = parse(readFileSync(new URL('.pre-commit-hooks.yaml', root), 'utf8'));
const [program = '', ...args] = String(hook.entry).split(' ');

/** A repository in which this is staged, and the clean commit before it. */
function staged(line: string) {
  const fixture = createRepository();
  fixture.commit({ files: { 'src/a.ts': 'export const a = 1;\n' } });
  writeFileSync(join(fixture.directory, 'src/a.ts'), `export const a = 1;\n${line}\n`);
  fixture.git('add', '--all');
  // What is not staged is no part of the commit.
  writeFileSync(join(fixture.directory, 'src/a.ts'), 'debugger;\n'.repeat(3));
  return fixture;
}

/** Neither a key nor colours, and `node` of the tests. */
function environment(...folders: readonly string[]) {
  const path = [...folders, dirname(process.execPath), process.env['PATH'] ?? ''].join(delimiter);
  return { PATH: path, HOME: temporaryFolder(), ...author };
}
const author = {
  ...{ GIT_AUTHOR_NAME: 'Ada', GIT_AUTHOR_EMAIL: 'ada@example.org' },
  ...{ GIT_COMMITTER_NAME: 'Ada', GIT_COMMITTER_EMAIL: 'ada@example.org' },
};

describe('a hook', () => {
  it('starts the built command line as a program, as pre-commit does, and reads what is staged alone', () => {
    const file = builtFile(program);
    expect([statSync(file).mode & 0o111, readFileSync(file, 'utf8').split('\n')[0]]).toEqual([
      0o111,
      '#!/usr/bin/env node',
    ]);
    const run = (line: string) => {
      const { directory: cwd } = staged(line);
      const { status, stdout } = spawnSync(file, args, { cwd, env: environment(), encoding: 'utf8' });
      return [status, stdout.includes('src/a.ts:2'), stdout.includes('src/a.ts:3')];
    };
    expect([run('debugger;'), run('export const b = 2;')]).toEqual([
      [1, true, false],
      [0, false, false],
    ]);
    expect([hook.language, hook.pass_filenames]).toEqual(['script', false]);
  });

  it('of git itself stops a commit with a finding, and lets others through', () => {
    const bin = temporaryFolder();
    symlinkSync(builtFile(program), join(bin, 'postil'));
    const script = /, executable.*?```sh\n(.*?)```/s.exec(page)?.[1] ?? '';
    const commit = (line: string) => {
      const { directory: cwd, git } = staged(line);
      mkdirSync(join(cwd, '.git/hooks'), { recursive: true });
      writeFileSync(join(cwd, '.git/hooks/pre-commit'), script, { mode: 0o755 });
      const before = git('rev-parse', 'HEAD');
      const { status } = spawnSync('git', ['commit', '--quiet', '-m', 'x'], { cwd, env: environment(bin) });
      return [status === 0, git('rev-parse', 'HEAD') !== before];
    };
    expect([commit('debugger;'), commit('export const b = 2;')]).toEqual([
      [false, false],
      [true, true],
    ]);
  });

  it('is written with flags that exist, and asks no model before a commit', () => {
    const lines = [...page.matchAll(/^(?:exec |\s+run: )?postil (review .*)$/gm)].map(([, line = '']) => line);
    const kinds = [args.join(' '), ...lines].map((line) => readArguments(commands, line.split(' ')).kind);
    expect(kinds).toEqual(['command', 'command', 'command', 'command', 'command']);
    expect([...new Set(lines.slice(0, -1))]).toEqual([args.join(' ')]);
    expect(
      execFileSync('git', ['ls-files', '-s', 'scripts/watch-cli.js'], { cwd: root.pathname, encoding: 'utf8' }),
    ).toMatch(/^100755 /);
  });
});
