import { chownSync, cpSync, readdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { openFixture } from '../git-fixture.ts';
import type { FakeGitHub } from '../github-server/start-github.ts';
import { temporaryFolder } from '../memory-repository.ts';
import { git, writeGitDirectory } from './git.ts';

export type CheckoutOptions = {
  /** What is fetched; the merge commit of the pull request by default. */
  readonly ref?: string;
  /** Commits of history; 0 is all of it. */
  readonly depth?: number;
  readonly filter?: 'blob:none';
  /** Leaves the token in the configuration, as actions/checkout does by default. */
  readonly persistCredentials?: boolean;
  /** Numeric user that owns the files, as in a container job. Only root may give files away. */
  readonly owner?: number;
};

/** A workspace as actions/checkout leaves it: fetched from the fake GitHub, at depth 1, detached. Returns its folder. */
export async function checkOut(github: FakeGitHub, options: CheckoutOptions = {}): Promise<string> {
  const directory = temporaryFolder();
  const { owner, repository, token } = github.world;
  const run = (...args: readonly string[]) => git(directory, args);
  const header = `AUTHORIZATION: ${basicAuthorization(token)}`;
  const setting = `http.${github.serverUrl}/.extraheader`;
  const depth = options.depth ?? 1;
  const ref = options.ref ?? `refs/pull/${github.world.pullRequests[0]?.number ?? 7}/merge`;
  await run('init', '--quiet');
  await run('remote', 'add', 'origin', `${github.serverUrl}/${owner}/${repository}`);
  const history = [
    ...(depth === 0 ? [] : [`--depth=${depth}`]),
    ...(options.filter === undefined ? [] : [`--filter=${options.filter}`]),
  ];
  await run('-c', `${setting}=${header}`, 'fetch', '--quiet', '--no-tags', ...history, 'origin', ref);
  await run('-c', `${setting}=${header}`, '-c', 'advice.detachedHead=false', 'checkout', '--quiet', 'FETCH_HEAD');
  if (options.persistCredentials ?? true) await run('config', setting, header);
  if (options.owner !== undefined) giveAway(directory, options.owner);
  return directory;
}

/**
 * A workspace as actions/checkout leaves it with `fetch-depth: 0`: the merge commit, the token, and all of the history, which is
 * borrowed instead of fetched. It takes one process instead of thirteen.
 */
export function borrowCheckout(github: FakeGitHub, commit: string): string {
  const { owner, repository, token, gitDirectory } = github.world;
  const url = `${github.serverUrl}/${owner}/${repository}`;
  const header = `[http "${github.serverUrl}/"]\n\textraheader = AUTHORIZATION: ${basicAuthorization(token)}\n`;
  return borrowWorkTree(gitDirectory, commit, `[remote "origin"]\n\turl = ${url}\n${header}`);
}

/** The value of the Authorization header that actions/checkout sends. */
function basicAuthorization(token: string): string {
  return `basic ${Buffer.from(`x-access-token:${token}`).toString('base64')}`;
}

function giveAway(directory: string, owner: number): void {
  chownSync(directory, owner, owner);
  for (const path of readdirSync(directory, { recursive: true, encoding: 'utf8' })) {
    chownSync(join(directory, path), owner, owner);
  }
}

// By commit: what was written once is copied, which takes no process.
const populated = new Map<string, string>();

/** A work tree at a commit, detached, whose objects stay where they are: all of them are there, and none was fetched. */
export function borrowWorkTree(remote: string, commit: string, config = ''): string {
  const directory = temporaryFolder();
  const inside = join(directory, '.git');
  const origin = `[remote "origin"]\n\turl = ${remote}\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n`;
  writeGitDirectory(
    inside,
    `[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n${config || origin}`,
  );
  writeFileSync(join(inside, 'objects', 'info', 'alternates'), `${join(remote, 'objects')}\n`);
  writeFileSync(join(inside, 'HEAD'), `${commit}\n`);
  const known = populated.get(commit);
  if (known === undefined) {
    openFixture(directory).git('reset', '--quiet', '--hard');
    const template = temporaryFolder();
    cpSync(directory, template, { recursive: true, verbatimSymlinks: true });
    populated.set(commit, template);
    return directory;
  }
  const own = ['config', 'alternates'];
  cpSync(known, directory, {
    recursive: true,
    verbatimSymlinks: true,
    filter: (source) => !own.includes(basename(source)) || !source.startsWith(join(known, '.git')),
  });
  return directory;
}
