import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { LocalSubject } from '../../../src/adapters/git/local-subject.ts';
import { explain } from '../../../src/core/errors.ts';
import { cloneRepository, createRepository } from '../../fakes/git-fixture.ts';
import { temporaryFolder } from '../../fakes/memory-repository.ts';
import { clone, repository, review, staged, write } from './fixtures.ts';

const nothing = 'No uncommitted changes, and no commits that';
const one = 'Reviewing uncommitted changes in 1 file against';
const both = 'Reviewing 1 commit and uncommitted changes in 1 file against';

describe('what is about to be committed or pushed', () => {
  it.each<[string, () => string, string, readonly string[]]>([
    [
      'a new repository',
      unborn,
      'Reviewing uncommitted changes in 2 files against no commit yet.',
      ['added a', 'added b'],
    ],
    ['a detached head', detached, `${both} origin/main.`, ['modified a.ts', 'added d.ts']],
    ['no upstream and no default branch', alone, `${one} HEAD.`, ['added d.ts']],
    ['a branch with an upstream', pushed, 'Reviewing 1 commit against origin/topic.', ['modified b.ts']],
    ['a branch beside main', beside, `${both} main.`, ['modified a.ts', 'added d.ts']],
    ['a linked work tree', linked, `${one} main.`, ['added d.ts']],
    ['a repository of SHA-256', sha256, `${one} main.`, ['modified a.ts']],
    ['a sparse checkout', sparse, `${nothing} origin/main lacks.`, []],
    ['a bare repository', () => cloneRepository(repository(), '--bare').directory, `${nothing} main lacks.`, []],
    ['a clean clone', () => clone().directory, `${nothing} origin/main lacks.`, []],
  ])('works in %s', async (_, make, words, expected) => {
    const { paths, reviewing } = await review(make());
    expect(paths).toEqual(expected);
    expect(reviewing.replace(' (1a2b3c4)', '')).toBe(words);
  });
});

describe('less than everything', () => {
  const commit = (revision: string) => ({ kind: 'commit', revision }) as const;
  const range = (base: string | null, head: string) => ({ kind: 'range', base, head }) as const;
  const committed = '(1a2b3c4). Uncommitted changes are not part of it.';
  const allAdded = ['added a.ts', 'added b.ts', 'added c.ts'];

  it('is what is staged', async () => {
    const fixture = clone();
    fixture.commit({ files: { 'a.ts': 'committed\n' }, message: 'Not pushed' });
    write(fixture, 'b.ts', 'staged\n');
    fixture.git('add', 'b.ts');
    for (const path of ['b.ts', 'c.ts', 'd.ts']) write(fixture, path, 'not staged\n');
    const { paths, reviewing, text, pullRequest } = await review(fixture.directory, { subject: staged });
    expect([paths, await text('b.ts'), pullRequest.title]).toEqual([['modified b.ts'], 'staged\n', 'Staged changes']);
    expect(reviewing).toBe('Reviewing staged changes in 1 file against HEAD (1a2b3c4).');
  });

  it.each<[string, LocalSubject, string, readonly string[]]>([
    ['one commit', commit('HEAD~1'), 'commit 1a2b3c4 against its parent (1a2b3c4).', ['modified b.ts']],
    ['the first commit', commit('HEAD~2'), 'commit 1a2b3c4 against nothing, as the first commit (1a2b3c4).', allAdded],
    [
      'a range',
      range('HEAD~2', 'HEAD'),
      `2 commits of HEAD against HEAD~2 ${committed}`,
      ['modified b.ts', 'modified c.ts'],
    ],
    ['a head alone', range(null, 'HEAD~1'), `1 commit of HEAD~1 against origin/main ${committed}`, ['modified b.ts']],
  ])('is %s', async (_, subject, words, expected) => {
    const fixture = clone();
    fixture.commit({ files: { 'b.ts': 'second\n' }, message: 'Second' });
    fixture.commit({ files: { 'c.ts': 'third\n' }, message: 'Third' });
    write(fixture, 'a.ts', 'not committed\n');
    const { paths, reviewing } = await review(fixture.directory, { subject });
    const line = reviewing.replace(/commit [0-9a-f]{7} /, 'commit 1a2b3c4 ');
    expect([paths, line]).toEqual([expected, `Reviewing ${words}`]);
  });

  it('cannot be what is staged in a bare repository', async () => {
    const { directory } = cloneRepository(repository(), '--bare');
    const failure: unknown = await review(directory, { subject: staged }).catch((error: unknown) => error);
    expect(explain(failure)).toContain('is a bare repository, where nothing is staged. Name commits instead');
  });
});

function unborn(): string {
  const fixture = createRepository();
  write(fixture, 'a', 'a\n');
  fixture.git('add', 'a');
  write(fixture, 'b', 'b\n');
  return fixture.directory;
}

function sha256(): string {
  const fixture = createRepository();
  rmSync(join(fixture.directory, '.git'), { recursive: true });
  fixture.git('init', '--quiet', '--object-format=sha256', '--initial-branch=main');
  fixture.commit({ files: { 'a.ts': 'a\n' } });
  write(fixture, 'a.ts', 'changed\n');
  return fixture.directory;
}

function sparse(): string {
  const fixture = clone({ 'a.ts': 'a\n', 'in/b.ts': 'b\n', 'out/c.ts': 'c\n' });
  fixture.git('sparse-checkout', 'set', '--cone', '--sparse-index', 'in');
  return fixture.directory;
}

function detached(): string {
  const fixture = clone();
  fixture.git('checkout', '--quiet', '--detach');
  fixture.commit({ files: { 'a.ts': 'changed\n' } });
  write(fixture, 'd.ts', 'd\n');
  return fixture.directory;
}

function alone(): string {
  const fixture = repository();
  fixture.git('branch', '--move', 'trunk');
  write(fixture, 'd.ts', 'd\n');
  return fixture.directory;
}

function beside(): string {
  const fixture = repository();
  fixture.git('checkout', '--quiet', '-b', 'topic');
  fixture.commit({ files: { 'a.ts': 'changed\n' } });
  write(fixture, 'd.ts', 'd\n');
  return fixture.directory;
}

function pushed(): string {
  const fixture = clone();
  fixture.git('checkout', '--quiet', '-b', 'topic');
  fixture.commit({ files: { 'a.ts': 'pushed\n' } });
  fixture.git('push', '--quiet', '--set-upstream', 'origin', 'topic');
  fixture.commit({ files: { 'b.ts': 'not pushed\n' } });
  return fixture.directory;
}

function linked(): string {
  const folder = join(temporaryFolder(), 'linked');
  repository().git('worktree', 'add', '--quiet', '--detach', folder);
  writeFileSync(join(folder, 'd.ts'), 'd\n');
  return folder;
}
