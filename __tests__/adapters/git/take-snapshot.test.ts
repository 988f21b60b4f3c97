import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { unopened } from '../../../src/adapters/git/work-tree-files.ts';
import { cloneRepository } from '../../fakes/git-fixture.ts';
import { temporaryFolder } from '../../fakes/memory-repository.ts';
import { lacks } from '../../fakes/platform.ts';
import { clone, merging, query, repository, review, staged, stateOf, write } from './fixtures.ts';

describe('what is about to be committed or pushed', () => {
  it('is commits, staged, unstaged and untracked files, without what is ignored', async () => {
    const fixture = clone({ 'a.ts': 'a\n', 'b.ts': 'b\n', '.gitignore': '*.log\n' });
    fixture.commit({ files: { 'pushed.ts': 'later\n' }, message: 'Not pushed' });
    write(fixture, 'a.ts', 'staged\n');
    fixture.git('add', 'a.ts');
    write(fixture, 'a.ts', 'staged, then changed\n');
    write(fixture, 'b.ts', 'not staged\n');
    write(fixture, 'new/c.ts', 'not tracked\n');
    write(fixture, 'debug.log', 'ignored\n');
    const { paths, reviewing, pullRequest, text, missing } = await review(fixture.directory);
    expect(paths).toEqual(['modified a.ts', 'modified b.ts', 'added new/c.ts', 'added pushed.ts']);
    expect(reviewing).toBe('Reviewing 1 commit and uncommitted changes in 3 files against origin/main (1a2b3c4).');
    expect([pullRequest.title, pullRequest.commits.length]).toEqual(['Not pushed; Uncommitted changes', 1]);
    expect([await text('a.ts'), await text('debug.log'), missing]).toEqual([
      'staged, then changed\n',
      { kind: 'unreadable', reason: 'missing', bytes: null },
      [],
    ]);
  });

  it('is read by search and history, too', async () => {
    const fixture = clone();
    write(fixture, 'new.ts', 'const needle = 1;\n');
    const { git, pullRequest } = await review(fixture.directory);
    const found = await git.search.search(query({ pattern: 'needle' }));
    expect(found.matches.map(({ path }) => path)).toEqual(['new.ts']);
    const [blamed] = await git.history.blame('new.ts', 1, 1);
    expect([blamed?.author, blamed?.commit]).toEqual(['Not Committed Yet', pullRequest.head.sha]);
  });

  it('leaves index, work tree, refs and objects as they are', async () => {
    const fixture = clone();
    write(fixture, 'a.ts', 'staged\n');
    fixture.git('add', 'a.ts');
    write(fixture, 'a.ts', 'changed\n');
    write(fixture, 'new.ts', 'new\n');
    const before = stateOf(fixture.directory);
    await review(fixture.directory);
    expect(stateOf(fixture.directory)).toEqual(before);
    expect(fixture.git('status', '--porcelain')).toBe('MM a.ts\n?? new.ts');
  });

  it.skipIf(lacks.fileModes)(
    'knows what was renamed, deleted, made executable, linked, and announced by --intent-to-add',
    async () => {
      const fixture = clone({ 'a.ts': 'one\ntwo\nthree\n', 'b.ts': 'b\n', 'run.sh': 'echo\n', 'd/e.ts': 'e\n' });
      renameSync(join(fixture.directory, 'a.ts'), join(fixture.directory, 'moved.ts'));
      rmSync(join(fixture.directory, 'b.ts'));
      chmodSync(join(fixture.directory, 'run.sh'), 0o755);
      symlinkSync('/etc/passwd', join(fixture.directory, 'link'));
      rmSync(join(fixture.directory, 'd'), { recursive: true });
      write(fixture, 'd', 'a file now\n');
      write(fixture, 'soon.ts', 'soon\n');
      fixture.git('add', '--intent-to-add', 'soon.ts');
      const { paths, git } = await review(fixture.directory);
      const told =
        'deleted b.ts, added d, deleted d/e.ts, added link, renamed moved.ts, modified run.sh, added soon.ts';
      expect(paths.join(', ')).toBe(told);
      expect(await git.repository.readFile('link', 'head')).toEqual({ kind: 'symlink', target: '/etc/passwd' });
    },
  );

  it('knows a submodule that moved, and takes no repository within this one for its files', async () => {
    const origin = repository();
    origin.git('submodule', '--quiet', 'add', repository().url, 'sub');
    origin.commit({ message: 'Add sub' });
    const fixture = cloneRepository(origin, '--recurse-submodules');
    fixture.git('clone', '--quiet', origin.url, 'other');
    fixture.git('-C', 'sub', 'commit', '--quiet', '--allow-empty', '-m', 'Move');
    const { paths, git } = await review(fixture.directory);
    expect(paths).toEqual(['modified sub']);
    expect(await git.repository.readFile('sub', 'head')).toMatchObject({ reason: 'submodule' });
  });

  it('is, in the middle of a merge, the person’s side with the conflicts as they lie', async () => {
    const { directory } = merging();
    const { paths, text } = await review(directory);
    expect(paths).toEqual(['modified a.ts', 'added mine.ts']);
    expect(await text('a.ts')).toContain('<<<<<<<');
  });

  it('is what lies in the work tree where attributes and settings convert line ends', async () => {
    const fixture = repository({ 'a.ts': 'a\n', 'b.ts': 'b\n' });
    fixture.git('config', 'core.autocrlf', 'true');
    for (const name of ['a.ts', 'b.ts']) write(fixture, name, `${name[0]}\r\n`);
    write(fixture, 'b.ts', 'changed\r\n');
    const { paths, text } = await review(fixture.directory);
    expect([paths, await text('b.ts')]).toEqual([['modified b.ts'], 'changed\n']);
  });

  it('leaves out what the person ignores everywhere, in this clone, and the folder that Postil works in', async () => {
    const fixture = clone();
    const home = temporaryFolder();
    mkdirSync(join(home, '.config', 'git'), { recursive: true });
    writeFileSync(join(home, '.config', 'git', 'ignore'), '*.swp\n');
    writeFileSync(join(fixture.directory, '.git', 'info', 'exclude'), 'notes/\n');
    for (const path of ['a.swp', 'notes/b', 'seen.ts']) write(fixture, path, 'text\n');
    const temporary = join(fixture.directory, 'temporary');
    mkdirSync(temporary);
    expect((await review(fixture.directory, { home, temporary })).paths).toEqual(['added seen.ts']);
  });

  it('is not stopped by an edit within the moment in which the index was written', async () => {
    const fixture = clone({ 'a.ts': 'one\n' });
    // Another file system has no time of a change of attributes that would tell.
    fixture.git('config', 'core.trustctime', 'false');
    const moment = new Date('2026-01-01T00:00:00Z');
    const path = join(fixture.directory, 'a.ts');
    write(fixture, 'a.ts', 'two\n');
    utimesSync(path, moment, moment);
    fixture.git('add', 'a.ts');
    write(fixture, 'a.ts', 'six\n');
    for (const each of [path, join(fixture.directory, '.git', 'index')]) utimesSync(each, moment, moment);
    expect(await (await review(fixture.directory)).text('a.ts')).toBe('six\n');
  });

  it.skipIf(lacks.symbolicLinks)('follows no folder that became a link', async () => {
    const fixture = clone({ 'd/passwd': 'ours\n', 'a.ts': 'a\n' });
    rmSync(join(fixture.directory, 'd'), { recursive: true });
    symlinkSync('/etc', join(fixture.directory, 'd'));
    const { paths, missing } = await review(fixture.directory);
    expect([paths, missing]).toEqual([['added d', 'deleted d/passwd'], []]);
  });

  it('is, within a hook of git commit, what that commit will hold', async () => {
    const fixture = clone();
    for (const path of ['a.ts', 'b.ts']) write(fixture, path, 'changed\n');
    fixture.git('add', 'a.ts');
    const index = join(fixture.directory, '.git', 'next-index-1.lock');
    copyFileSync(join(fixture.directory, '.git', 'index'), index);
    fixture.git('add', 'b.ts');
    expect((await review(fixture.directory, { subject: staged, index })).paths).toEqual(['modified a.ts']);
    const foreign = join(temporaryFolder(), 'index');
    copyFileSync(index, foreign);
    const { paths } = await review(fixture.directory, { subject: staged, index: foreign });
    expect(paths).toEqual(['modified a.ts', 'modified b.ts']);
  });

  it('reads a split index', async () => {
    const fixture = clone();
    fixture.git('update-index', '--split-index');
    write(fixture, 'new.ts', 'new\n');
    fixture.git('add', 'new.ts');
    expect((await review(fixture.directory)).paths).toEqual(['added new.ts']);
  });
});

it('a folder that git warns it cannot open is left out, and named', () => {
  const warnings = "warning: could not open directory 'locked/': Permission denied\nwarning: something else\n";
  expect(unopened(warnings)).toEqual([{ path: 'locked/', why: 'git cannot read it' }]);
});
