import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { readPullDiff } from './github-server/changed-files.ts';
import { startGitHub } from './github-server/start-github.ts';
import { type CheckoutOptions, checkOut, createWorld } from './world/create-world.ts';
import { git } from './world/git.ts';

const body = Array.from({ length: 30 }, (_, index) => `line ${index}`).join('\n');

const world = createWorld({
  base: {
    'kept.txt': 'kept\n',
    'old name.txt': body,
    'gone.txt': 'gone\n',
    'kind.txt': 'text\n',
    module: { submodule: 'a'.repeat(40) },
  },
  head: {
    'old name.txt': null,
    'ñew "name".txt': body.replace('line 9', 'line nine'),
    'gone.txt': null,
    'kind.txt': { symlink: 'kept.txt' },
    'picture.png': Buffer.from([137, 80, 78, 71, 0, 1, 2, 0]),
    'tool.sh': { executable: '#!/bin/sh\n' },
    module: { submodule: 'b'.repeat(40) },
  },
});

async function start() {
  const github = await startGitHub(world.github);
  onTestFinished(() => github.close());
  return github;
}

describe('a world', () => {
  it('has the files of a true three-dot diff, whatever their kind', async () => {
    const { mergeBase, files } = await readPullDiff(world.remote.directory, world.commits);
    expect(mergeBase).toBe(world.commits.mergeBase);
    expect(files.map((file) => [file.filename, file.status, file.hunks.length, file.previousFilename])).toEqual([
      ['gone.txt', 'removed', 1, null],
      ['kind.txt', 'changed', 2, null],
      ['module', 'modified', 1, null],
      ['picture.png', 'added', 0, null],
      ['tool.sh', 'added', 1, null],
      ['ñew "name".txt', 'renamed', 1, 'old name.txt'],
    ]);
    expect(files[2]?.patch).toBe(
      `@@ -1 +1 @@\n-Subproject commit ${'a'.repeat(40)}\n+Subproject commit ${'b'.repeat(40)}`,
    );
  });

  it.each<[string, CheckoutOptions, string]>([
    ['the merge commit alone', {}, '1'],
    ['all of the head', { ref: 'refs/pull/7/head', depth: 0 }, '2'],
    ['trees without files', { depth: 0, filter: 'blob:none' }, '4'],
  ])('is checked out as %s', async (_, options, commits) => {
    const github = await start();
    const folder = await checkOut(github, options);
    expect([await git(folder, ['rev-list', '--count', 'HEAD']), existsSync(join(folder, 'kept.txt'))]).toEqual([
      commits,
      true,
    ]);
  });

  it('leaves the token in the checkout unless it is asked not to', async () => {
    const github = await start();
    const [kept, removed] = await Promise.all([checkOut(github), checkOut(github, { persistCredentials: false })]);
    const [one, other] = [kept, removed].map((folder) => readFileSync(join(folder, '.git/config'), 'utf8'));
    expect([one?.includes('AUTHORIZATION: basic'), other?.includes('AUTHORIZATION')]).toEqual([true, false]);
  });

  it.runIf(process.getuid?.() === 0)('can be given to another user', async () => {
    const github = await start();
    expect(statSync(join(await checkOut(github, { owner: 12_345 }), 'kept.txt')).uid).toBe(12_345);
  });
});
