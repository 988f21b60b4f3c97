import { chownSync, existsSync, lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { RepositoryOptions } from '../../../src/adapters/git/open-repository.ts';
import { UserError } from '../../../src/core/errors.ts';
import { cloneRepository, createRepository, type GitFixture } from '../../fakes/git-fixture.ts';
import { temporaryFolder } from '../../fakes/temporary-folder.ts';
import { open } from './open-fixture.ts';

/** As on GitHub: main moved on after the branch was made, and the checkout is of the merge commit. */
function pullRequest() {
  const origin = createRepository();
  const mergeBase = origin.commit({ files: { 'a.ts': 'old\n', 'same.ts': 'same\n' } });
  origin.git('checkout', '--quiet', '-b', 'topic');
  const head = origin.commit({ files: { 'a.ts': 'new\n' } });
  origin.git('checkout', '--quiet', 'main');
  const base = origin.commit({ files: { 'other.ts': 'other\n' } });
  origin.git('update-ref', 'refs/pull/7/head', head);
  origin.git('merge', '--quiet', '--no-ff', '-m', 'Merge', 'topic');
  return { origin, commits: { base, mergeBase, head }, remote: { url: origin.url, authorization: null } };
}

async function expectWholeReview(options: Pick<RepositoryOptions, 'commits'> & Partial<RepositoryOptions>) {
  const git = await open(options);
  const { files } = await git.changes();
  expect(files.map((file) => [file.path, file.incomplete, file.hunks[0]?.lines])).toEqual([
    ['a.ts', null, ['-old', '+new']],
  ]);
  expect(await git.repository.readFile('same.ts', 'head')).toMatchObject({ text: 'same\n' });
  expect(await git.repository.readFile('other.ts', 'base')).toMatchObject({ text: 'other\n' });
  expect(
    (await git.search.search({ pattern: 'n[e]w', regex: true, path: '', filePattern: '', limit: 9 })).matches,
  ).toHaveLength(1);
  expect(await git.history.blame('a.ts', 1, 1)).toHaveLength(1);
}

/** Every path below a folder with its size and times: nothing may change. */
function stateOf(fixture: GitFixture): readonly string[] {
  const paths = readdirSync(fixture.directory, { recursive: true, encoding: 'utf8' });
  return paths.map((path) => {
    const { size, mtimeMs, ctimeMs } = lstatSync(join(fixture.directory, path));
    return [path, size, mtimeMs, ctimeMs].join(' ');
  });
}

describe('openRepository', () => {
  it('reads a whole checkout without a remote, and never writes to it', async () => {
    const { origin, commits } = pullRequest();
    const before = stateOf(origin);
    await expectWholeReview({ checkout: origin.directory, commits });
    expect(stateOf(origin)).toEqual(before);
  });

  it('fetches what a shallow checkout lacks', async () => {
    const { origin, commits, remote } = pullRequest();
    const checkout = cloneRepository(origin, '--depth', '1');
    const before = stateOf(checkout);
    await expectWholeReview({ checkout: checkout.directory, commits, remote });
    expect(stateOf(checkout)).toEqual(before);
  });

  it('borrows nothing from a partial checkout', async () => {
    const { origin, commits, remote } = pullRequest();
    const checkout = cloneRepository(origin, '--filter=blob:none', '--no-checkout');
    const before = stateOf(checkout);
    await expectWholeReview({ checkout: checkout.directory, commits, remote });
    expect(stateOf(checkout)).toEqual(before);
  });

  it('reads a linked work tree', async () => {
    const { origin, commits } = pullRequest();
    const linked = join(temporaryFolder(), 'linked');
    origin.git('worktree', 'add', '--quiet', linked, 'topic');
    await expectWholeReview({ checkout: linked, commits });
  });

  it.runIf(process.getuid?.() === 0)('reads a checkout that another user owns', async () => {
    const { origin, commits } = pullRequest();
    for (const path of ['', '.git', '.git/config', '.git/objects'])
      chownSync(join(origin.directory, path), 12_345, 12_345);
    expect(() => origin.git('status')).toThrow('dubious ownership');
    await expectWholeReview({ checkout: origin.directory, commits });
  });

  it.each([
    ['no checkout at all', null],
    ['a checkout that is no repository', '/'],
    ['a checkout that does not exist', '/nonexistent/checkout'],
  ])('fetches everything with %s', async (_, checkout) => {
    const { commits, remote } = pullRequest();
    await expectWholeReview({ checkout, commits, remote });
  });

  it('names the missing commit and the cause when it cannot be fetched', async () => {
    const { origin, remote } = pullRequest();
    const nowhere = '1234567890123456789012345678901234567890';
    const commits = { base: nowhere, mergeBase: nowhere, head: nowhere };
    const folder = temporaryFolder();
    const failure = await open({ checkout: origin.directory, commits, remote, temporaryFolder: folder }).catch(
      (error) => error,
    );
    expect(failure).toBeInstanceOf(UserError);
    expect(String(failure)).toContain(nowhere);
    expect(String(failure.cause)).toContain('not our ref');
    expect(readdirSync(folder)).toEqual([]);
  });

  it('removes its folder when it is closed', async () => {
    const { origin, commits } = pullRequest();
    const folder = temporaryFolder();
    const git = await open({ checkout: origin.directory, commits, temporaryFolder: folder });
    const [own = ''] = readdirSync(folder);
    await git.close();
    expect(existsSync(join(folder, own))).toBe(false);
  });

  it('stops when the run is cancelled', async () => {
    const { origin, commits } = pullRequest();
    const cancelling = new AbortController();
    const git = await open({ checkout: origin.directory, commits, signal: cancelling.signal });
    cancelling.abort(new Error('SIGTERM'));
    await expect(git.changes()).rejects.toThrow(/^git diff-tree was cancelled$/);
  });
});
