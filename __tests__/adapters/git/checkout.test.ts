import { chownSync, cpSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { checkoutCommits } from '../../../src/adapters/git/checkout.ts';
import type { RepositoryOptions } from '../../../src/adapters/git/open-repository.ts';
import { explain, UserError } from '../../../src/core/errors.ts';
import {
  cloneRepository,
  createRepository,
  type GitFixture,
  type GitHttpServer,
  startGitHttpServer,
} from '../../fakes/git-fixture.ts';
import { startLoopback } from '../../fakes/loopback.ts';
import { temporaryFolder } from '../../fakes/memory-repository.ts';
import { change, linkedTo, open, query, stateOf } from './fixtures.ts';

const token = 'basic eC1hY2Nlc3MtdG9rZW46c2VjcmV0';
const servers: GitHttpServer[] = [];

afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

async function serve(fixture: GitFixture, options: { authorization: string | null; allowAnyCommit?: boolean }) {
  const server = await startGitHttpServer({ repositories: { 'octo/spoon': fixture.directory }, ...options });
  servers.push(server);
  return { server, url: `${server.url}/octo/spoon` };
}

describe('fetching', () => {
  it('sends the header exactly once, though the checkout persisted credentials and the machine has its own', async () => {
    const { fixture, commits } = change({ a: '1\n' }, { a: '2\n' });
    const { server, url } = await serve(fixture, { authorization: token });
    const checkout = cloneRepository(fixture, '--depth', '1');
    checkout.git('config', `http.${server.url}/.extraheader`, 'AUTHORIZATION: basic cGVyc2lzdGVk');
    const home = temporaryFolder();
    writeFileSync(join(home, '.gitconfig'), `[http "${url}"]\n\textraheader = AUTHORIZATION: basic bWFjaGluZQ==\n`);
    const environment = {
      PATH: process.env['PATH'],
      HOME: home,
      GIT_CONFIG_COUNT: '1',
      GIT_CONFIG_KEY_0: 'http.extraheader',
      GIT_CONFIG_VALUE_0: 'AUTHORIZATION: basic aW5oZXJpdGVk',
    };
    const remote = { url, authorization: token };
    const git = await open({ checkout: checkout.directory, remote, commits, environment });
    expect((await git.changes()).files).toHaveLength(1);
    expect(server.requests.length).toBeGreaterThan(0);
    expect(new Set(server.requests.map((request) => request.authorizations.join()))).toEqual(new Set([token]));
  });

  it('ends in the time that it is given when the server drips', async () => {
    const { commits } = change({ a: '1\n' }, { a: '2\n' });
    const headers = { 'content-type': 'application/x-git-upload-pack-advertisement' };
    const drip = ['001e# service=git-upload-pack\n', '0000'];
    const server = await startLoopback(async () => ({ status: 200, headers, body: '', chunks: drip, ending: 'stay' }));
    const remote = { url: `${server.url}/octo/spoon`, authorization: null };
    const opening = open({ remote, commits, fetchMilliseconds: 400 });
    await expect(opening.catch(explain)).resolves.toMatch(/could not be fetched from .* git fetch took longer than/);
    await server.close();
  });

  it('keeps the configuration of the machine, such as insteadOf', async () => {
    const { fixture, commits } = change({ a: '1\n' }, { a: '2\n' });
    const home = temporaryFolder();
    writeFileSync(join(home, '.gitconfig'), `[url "${fixture.url}"]\n\tinsteadOf = https://git.invalid/octo/spoon\n`);
    const git = await open({
      remote: { url: 'https://git.invalid/octo/spoon', authorization: null },
      commits,
      environment: { PATH: process.env['PATH'], HOME: home },
    });
    expect((await git.changes()).files).toHaveLength(1);
  });

  it('works with a server that gives out advertised commits only', async () => {
    const { fixture, commits } = change({ a: '1\n' }, { a: '2\n' });
    fixture.git('update-ref', 'refs/pull/7/head', commits.head);
    fixture.git('reset', '--quiet', '--hard', commits.base);
    fixture.commit({ files: { b: 'later\n' } });
    fixture.git('update-ref', 'refs/heads/release', commits.base);
    const later = fixture.git('commit-tree', '-p', commits.head, '-m', 'x', `${commits.head}^{tree}`);
    fixture.git('update-ref', 'refs/pull/8/head', later);
    const { url } = await serve(fixture, { authorization: null, allowAnyCommit: false });
    const git = await open({ remote: { url, authorization: null }, commits, pullRequestNumber: 7 });
    expect((await git.changes()).files).toHaveLength(1);
  });

  it('says what the server said, without the token', async () => {
    const { fixture, commits } = change({ a: '1\n' }, { a: '2\n' });
    const { url } = await serve(fixture, { authorization: token });
    const remote = { url, authorization: 'basic d3Jvbmc=' };
    const failure = explain(await open({ remote, commits, pullRequestNumber: 7 }).catch((error: unknown) => error));
    expect(failure).toMatch(/could not be fetched.*git fetch failed: .*could not read Username.*Grant contents: read/s);
    expect(failure).not.toContain('d3Jvbmc=');
  });
});

describe('the commits that a workspace has checked out', () => {
  const commitsIn = (workspace: string, commits: readonly string[]) =>
    checkoutCommits({ workspace, commits, environment: process.env, signal: new AbortController().signal });

  it('are those of the workspace and of the folders in it', async () => {
    const origin = createRepository();
    const first = origin.commit({ files: { a: '1\n' } });
    const second = origin.commit({ files: { a: '2\n' } });
    const workspace = cloneRepository(origin);
    mkdirSync(join(workspace.directory, 'deep', 'er'), { recursive: true });
    workspace.git('clone', '--quiet', origin.directory, 'deep/er/pull');
    workspace.git('-C', 'deep/er/pull', 'checkout', '--quiet', first);
    expect(await commitsIn(workspace.directory, [first])).toEqual([
      { commits: [{ commit: second, parents: [first] }], holds: [first] },
      { commits: [{ commit: first, parents: [] }], holds: [first] },
    ]);
  });

  it('are none without a checkout', async () => {
    expect(await commitsIn(temporaryFolder(), [])).toEqual([]);
  });
});

/** As on GitHub: main moved on after the branch was made, and the checkout is of the merge commit. */
function pullRequest() {
  const origin = createRepository();
  const mergeBase = origin.commit({ files: { 'a.ts': 'old\n', 'same.ts': 'same\n', 'folder/b.ts': 'b\n' } });
  origin.git('checkout', '--quiet', '-b', 'topic');
  const head = origin.commit({ files: { 'a.ts': 'new\n' } });
  origin.git('checkout', '--quiet', 'main');
  const base = origin.commit({ files: { 'other.ts': 'other\n' } });
  origin.git('update-ref', 'refs/pull/7/head', head);
  origin.git('merge', '--quiet', '--no-ff', '-m', 'Merge', 'topic');
  return { origin, commits: { base, mergeBase, head }, remote: { url: origin.url, authorization: null } };
}

/** Removes a loose object of a checkout, or writes something else into its file. */
function breakObject(broken: { origin: GitFixture; checkout: string; object: string; content: string | null }): void {
  const hash = broken.origin.git('rev-parse', broken.object);
  const file = join(broken.checkout, '.git', 'objects', hash.slice(0, 2), hash.slice(2));
  rmSync(file, { force: true });
  if (broken.content !== null) writeFileSync(file, broken.content);
}

async function expectWholeReview(options: Pick<RepositoryOptions, 'commits'> & Partial<RepositoryOptions>) {
  const git = await open(options);
  const { files } = await git.changes();
  expect(files.map((file) => [file.path, file.incomplete, file.hunks[0]?.lines])).toEqual([
    ['a.ts', null, ['-old', '+new']],
  ]);
  expect(await git.repository.readFile('same.ts', 'head')).toMatchObject({ text: 'same\n' });
  expect(await git.repository.readFile('folder/b.ts', 'head')).toMatchObject({ text: 'b\n' });
  expect(await git.repository.readFile('other.ts', 'base')).toMatchObject({ text: 'other\n' });
  expect((await git.search.search(query({ pattern: 'n[e]w', regex: true }))).matches).toHaveLength(1);
  expect(await git.history.blame('a.ts', 1, 1)).toHaveLength(1);
}

function owned(origin: GitFixture): string {
  for (const path of ['', '.git', '.git/config', '.git/objects'])
    chownSync(join(origin.directory, path), 12_345, 12_345);
  expect(() => origin.git('status')).toThrow('dubious ownership');
  return origin.directory;
}

describe('openRepository', () => {
  it.each<readonly [string, (origin: GitFixture) => string]>([
    ['a whole checkout', (origin) => origin.directory],
    ['a linked work tree', (origin) => linkedTo(origin, 'topic')],
    ...(process.getuid?.() === 0 ? [['a checkout that another user owns', owned] as const] : []),
  ])('reads all from %s, and never writes to it', async (_, make) => {
    const { origin, commits } = pullRequest();
    const checkout = make(origin);
    const before = stateOf(origin.directory);
    await expectWholeReview({ checkout, commits });
    expect(stateOf(origin.directory)).toEqual(before);
  });

  it.each([
    ['fetches what a shallow checkout lacks', ['--depth', '1']],
    ['borrows nothing from a partial checkout', ['--filter=blob:none', '--no-checkout']],
  ])('%s', async (_, options) => {
    const { origin, commits, remote } = pullRequest();
    const { directory } = cloneRepository(origin, ...options);
    const before = stateOf(directory);
    await expectWholeReview({ checkout: directory, commits, remote });
    expect(stateOf(directory)).toEqual(before);
  });

  it.each([
    ['no checkout at all', null],
    ['a checkout that is no repository', '/'],
    ['a checkout that does not exist', '/nonexistent/checkout'],
  ])('fetches everything with %s', async (_, checkout) => {
    const { commits, remote } = pullRequest();
    await expectWholeReview({ checkout, commits, remote });
  });

  it.each([
    ['the changed file, which is missing', 'head:a.ts', null],
    ['the changed file, which is damaged', 'head:a.ts', 'damaged'],
    ['a file that is read later and is missing', 'head:same.ts', null],
    ['a file that is read later and is damaged', 'head:same.ts', 'damaged'],
    ['a folder, which is missing', 'head:folder', null],
  ])('fetches what a checkout should have and has not: %s', async (_, name, content) => {
    const { origin, commits, remote } = pullRequest();
    const checkout = temporaryFolder();
    cpSync(origin.directory, checkout, { recursive: true });
    breakObject({ origin, checkout, object: name.replace('head', commits.head), content });
    const before = stateOf(checkout);
    await expectWholeReview({ checkout, commits, remote });
    expect(stateOf(checkout)).toEqual(before);
  });

  it('fetches nothing without a remote: what is missing stays so, and the diff says what to do', async () => {
    const { origin, commits } = pullRequest();
    for (const path of ['a.ts', 'same.ts']) {
      breakObject({ origin, checkout: origin.directory, object: `${commits.head}:${path}`, content: null });
    }
    const git = await open({ checkout: origin.directory, commits });
    await expect(git.changes().catch(explain)).resolves.toMatch(
      /^git could not compute the diff\..*git fetch --refetch/,
    );
    expect(await git.repository.readFile('same.ts', 'head')).toMatchObject({ reason: 'not-fetched' });
  });

  it('names the missing commit and the cause when it cannot be fetched', async () => {
    const { origin, remote } = pullRequest();
    const nowhere = '1234567890123456789012345678901234567890';
    const commits = { base: nowhere, mergeBase: nowhere, head: nowhere };
    const folder = temporaryFolder();
    const opening = open({ checkout: origin.directory, commits, remote, temporaryFolder: folder });
    const failure = await opening.catch((error) => error);
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
