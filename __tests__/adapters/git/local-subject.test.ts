import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { LocalSubject } from '../../../src/adapters/git/local-subject.ts';
import { explain } from '../../../src/core/errors.ts';
import { cloneRepository, createRepository, type GitFixture, openFixture } from '../../fakes/git-fixture.ts';
import { clone, linkedTo, repository, review, staged, write } from './fixtures.ts';

const nothing = 'No uncommitted changes, and no commits that';
const several = 'Reviewing uncommitted changes in 2 files against';
const one = 'Reviewing uncommitted changes in 1 file against';
const both = 'Reviewing 1 commit and uncommitted changes in 1 file against';

describe('what is about to be committed or pushed', () => {
  it.each<[string, () => { readonly directory: string }, string, readonly string[]]>([
    ['a new repository', unborn, `${several} no commit yet.`, ['added a', 'added b']],
    ['a detached head', () => checkedOut(clone(), '--detach'), `${both} origin/main.`, ['modified a.ts', 'added d.ts']],
    ['no upstream and no default branch', alone, `${one} HEAD.`, ['added d.ts']],
    ['a branch with an upstream', pushed, 'Reviewing 1 commit against origin/topic.', ['modified b.ts']],
    [
      'a branch beside main',
      () => checkedOut(repository(), '-b', 'topic'),
      `${both} main.`,
      ['modified a.ts', 'added d.ts'],
    ],
    ['a linked work tree', linked, `${one} main.`, ['added d.ts']],
    ['a repository of SHA-256', sha256, `${one} main.`, ['modified a.ts']],
    ['a sparse checkout', sparse, `${nothing} origin/main lacks.`, []],
    ['a bare repository', () => cloneRepository(repository(), '--bare'), `${nothing} main lacks.`, []],
    ['a clean clone', clone, `${nothing} origin/main lacks.`, []],
  ])('works in %s', async (_, make, words, expected) => {
    const { paths, reviewing } = await review(make().directory);
    expect(paths).toEqual(expected);
    expect(reviewing.replace(' (1a2b3c4)', '')).toBe(words);
  });
});

it('a branch whose file is damaged is not one that has no commit yet', async () => {
  const fixture = repository();
  write(fixture, `.git/${fixture.git('symbolic-ref', 'HEAD')}`, '');
  const asked = review(fixture.directory).catch(explain);
  expect(await asked).toMatch(/^HEAD of this repository cannot be read\. .*Run git status there/);
});

describe('less than everything', () => {
  const commit = (revision: string) => ({ kind: 'commit', revision }) as const;
  const range = (base: string | null, head: string) => ({ kind: 'range', base, head }) as const;
  const committed = '(1a2b3c4). Uncommitted changes are not part of it.';
  const bothModified = ['modified b.ts', 'modified c.ts'];
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
    ['a range', range('HEAD~2', 'HEAD'), `2 commits of HEAD against HEAD~2 ${committed}`, bothModified],
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

function unborn() {
  const fixture = write(createRepository(), 'a', 'a\n');
  fixture.git('add', 'a');
  return write(fixture, 'b', 'b\n');
}

function sha256() {
  const fixture = createRepository();
  rmSync(join(fixture.directory, '.git'), { recursive: true });
  fixture.git('init', '--quiet', '--object-format=sha256', '--initial-branch=main');
  fixture.commit({ files: { 'a.ts': 'a\n' } });
  return write(fixture, 'a.ts', 'changed\n');
}

function sparse() {
  const fixture = clone({ 'a.ts': 'a\n', 'in/b.ts': 'b\n', 'out/c.ts': 'c\n' });
  fixture.git('sparse-checkout', 'set', '--cone', '--sparse-index', 'in');
  return fixture;
}

/** A commit and an untracked file after a checkout. */
function checkedOut(fixture: GitFixture, ...options: readonly string[]) {
  fixture.git('checkout', '--quiet', ...options);
  fixture.commit({ files: { 'a.ts': 'changed\n' } });
  return write(fixture, 'd.ts', 'd\n');
}

function alone() {
  const fixture = repository();
  fixture.git('branch', '--move', 'trunk');
  return write(fixture, 'd.ts', 'd\n');
}

function pushed() {
  const fixture = clone();
  fixture.git('checkout', '--quiet', '-b', 'topic');
  fixture.commit({ files: { 'a.ts': 'pushed\n' } });
  fixture.git('push', '--quiet', '--set-upstream', 'origin', 'topic');
  fixture.commit({ files: { 'b.ts': 'not pushed\n' } });
  return fixture;
}

function linked() {
  return write(openFixture(linkedTo(repository())), 'd.ts', 'd\n');
}
