import { chownSync, cpSync, readdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { type GitFixture, openFixture } from '../git-fixture.ts';
import type { FakeGitHub } from '../github-server/start-github.ts';
import { allPermissions, type GitHubWorld, type WorldPullRequest } from '../github-server/world.ts';
import { temporaryFolder } from '../memory-repository.ts';
import { createBareRepository, git, type ImportedCommit, type WorldFiles, writeGitDirectory } from './git.ts';

export type WorldOptions = {
  /** What main went through before, a commit each; null deletes. */
  readonly history?: readonly WorldFiles[];
  /** Files where the branch starts. */
  readonly base: WorldFiles;
  /** What the pull request changes; null deletes. A list is one commit each. */
  readonly head: WorldFiles | readonly WorldFiles[];
  /** What happened on main meanwhile. A file of its own by default, so that base and merge base always differ. */
  readonly main?: WorldFiles;
  /** Who made the commits of the pull request, such as `eve <eve@users.noreply.github.com>`; a list is one for each. */
  readonly authors?: readonly string[];
  /** The pull request comes from `contributor/spoon`. */
  readonly fork?: boolean;
  readonly pullRequest?: Partial<Omit<WorldPullRequest, 'base' | 'head'>>;
  readonly github?: Partial<
    Pick<GitHubWorld, 'permissions' | 'collaborators' | 'faults' | 'viewer' | 'others' | 'isEnterprise' | 'labels'>
  >;
};

export type World = {
  readonly github: GitHubWorld;
  readonly pull: WorldPullRequest;
  readonly commits: {
    /** The tip of main. */
    readonly base: string;
    /** Where the branch starts. */
    readonly mergeBase: string;
    readonly head: string;
    /** What `pull_request` checks out: head merged into base. */
    readonly merge: string;
  };
  /** The bare repository behind the fake GitHub. */
  readonly remote: GitFixture;
  /** What the branch changed since it left main, a commit each. */
  readonly branch: ImportedCommit['changes'];
  /** A work tree for more commits, made when it is asked for; push them to `remote`. */
  readonly author: GitFixture;
};

/** A real repository with a pull request in it, and the GitHub that tells of it. */
export function createWorld(options: WorldOptions): World {
  const { history = [], main = { 'MAIN.md': 'main moved on\n' } } = options;
  const number = options.pullRequest?.number ?? 7;
  const steps = Array.isArray(options.head) ? options.head : [options.head];
  const branch = steps.map((files) => ({ files }));
  const start: readonly ImportedCommit[] = [...history, options.base].map((files, index) => ({
    ...(index === 0 ? {} : { parent: index - 1 }),
    changes: [{ files }],
    message: index === history.length ? 'Start' : `Version ${index + 1}`,
    minute: index + 1,
  }));
  const mergeBaseAt = history.length;
  const changes = branch.map((change, index): ImportedCommit => {
    const at = mergeBaseAt + 1 + index;
    const message = steps.length === 1 ? 'Change the files' : `Change the files, step ${index + 1}`;
    const refs = index === steps.length - 1 ? ['refs/heads/feature', `refs/pull/${number}/head`] : [];
    const author = options.authors?.[index];
    return {
      parent: at - 1,
      changes: [change],
      message,
      minute: at + 1,
      refs,
      ...(author === undefined ? {} : { author }),
    };
  });
  const at = mergeBaseAt + changes.length;
  const moved = { changes: [{ files: main }], message: 'Move main on', refs: ['refs/heads/main'] };
  const { directory, hashes } = createBareRepository([
    ...start,
    ...changes,
    { ...moved, parent: mergeBaseAt, minute: at + 2 },
    mergeOf({ base: at + 1, head: at, branch, number, minute: at + 3 }),
  ]);
  const [mergeBase = '', head = '', base = '', merge = ''] = [mergeBaseAt, at, at + 1, at + 2].map((i) => hashes[i]);
  const remote = openFixture(directory);
  const pull = pullRequestOf(options, { base, head });
  const made = { base, mergeBase, head, merge };
  let author: GitFixture | null = null;
  return {
    github: gitHubOf(options, { pull, remote }),
    pull,
    commits: made,
    remote,
    branch,
    get author() {
      if (author !== null) return author;
      author = openFixture(borrowWorkTree(remote.directory, merge), { commits: at + 3 });
      author.git('branch', 'feature', head);
      return author;
    },
  };
}

/** What a push of the branch's changes makes: the merge commit that GitHub offers. The branch wins where both changed a file. */
export function mergeOf(merge: {
  readonly base: string | number;
  readonly head: string | number;
  readonly branch: World['branch'];
  readonly number: number;
  readonly minute: number;
}): ImportedCommit {
  const { base, head, branch, number, minute } = merge;
  return {
    parent: base,
    merge: head,
    changes: branch,
    message: 'Merge',
    minute,
    refs: [`refs/pull/${number}/merge`],
  };
}

/** The pull request from branch `main` to branch `feature` of a bare repository that is there already. */
export function worldOver(remote: GitFixture): World {
  const [base, head] = [remote.git('rev-parse', 'main'), remote.git('rev-parse', 'feature')];
  remote.git('update-ref', 'refs/pull/7/head', head);
  const options = { base: {}, head: {} };
  const pull = pullRequestOf(options, { base, head });
  const commits = { base, mergeBase: base, head, merge: head };
  return { github: gitHubOf(options, { pull, remote }), pull, commits, remote, branch: [], author: remote };
}

function pullRequestOf(options: WorldOptions, commits: { base: string; head: string }): WorldPullRequest {
  return {
    number: 7,
    title: 'Change how it works',
    body: 'Because it should.',
    author: options.fork === true ? 'contributor' : 'ada',
    state: 'open',
    draft: false,
    labels: [],
    conversation: [],
    threads: [],
    ...options.pullRequest,
    base: { ref: 'main', sha: commits.base },
    head: { ref: 'feature', sha: commits.head, repository: options.fork === true ? 'contributor/spoon' : 'octo/spoon' },
  };
}

function gitHubOf(options: WorldOptions, made: { pull: WorldPullRequest; remote: GitFixture }): GitHubWorld {
  return {
    owner: 'octo',
    repository: 'spoon',
    gitDirectory: made.remote.directory,
    // Built at run time: a literal that looks like a token would trip the scanners that this product is about.
    token: ['ghs', 'scenario'.repeat(5)].join('_'),
    viewer: 'github-actions[bot]',
    permissions: allPermissions,
    collaborators: { octo: 'admin', ada: 'write' },
    faults: [],
    ...options.github,
    pullRequests: [made.pull],
  };
}

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
