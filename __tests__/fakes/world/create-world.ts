import { mkdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { createRepository, type FixtureFile, type GitFixture, openFixture } from '../git-fixture.ts';
import { allPermissions, type GitHubWorld, type WorldPullRequest } from '../github-server/world.ts';
import { temporaryFolder } from '../temporary-folder.ts';

export type WorldFiles = { readonly [path: string]: FixtureFile };

export type WorldOptions = {
  /** What main went through before, a commit each; null deletes. */
  readonly history?: readonly WorldFiles[];
  /** Files where the branch starts. */
  readonly base: WorldFiles;
  /** What the pull request changes; null deletes. A list is one commit each. */
  readonly head: WorldFiles | readonly WorldFiles[];
  /** What happened on main meanwhile. A file of its own by default, so that base and merge base always differ. */
  readonly main?: WorldFiles;
  /** The pull request comes from `contributor/spoon`. */
  readonly fork?: boolean;
  readonly pullRequest?: Partial<Omit<WorldPullRequest, 'base' | 'head'>>;
  readonly github?: Partial<Pick<GitHubWorld, 'permissions' | 'collaborators' | 'faults' | 'viewer'>>;
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
  /** A work tree for more commits; push them to `remote`. */
  readonly author: GitFixture;
};

/** A real repository with a pull request in it, and the GitHub that tells of it. */
export function createWorld(options: WorldOptions): World {
  const author = createRepository();
  for (const [index, files] of (options.history ?? []).entries()) {
    commitTo(author, { files, message: `Version ${index + 1}` });
  }
  const mergeBase = commitTo(author, { files: options.base, message: 'Start' });
  author.git('checkout', '--quiet', '-b', 'feature');
  const changes = Array.isArray(options.head) ? options.head : [options.head];
  for (const [index, files] of changes.entries()) {
    commitTo(author, {
      files,
      message: changes.length === 1 ? 'Change the files' : `Change the files, step ${index + 1}`,
    });
  }
  const head = author.git('rev-parse', 'HEAD');
  author.git('checkout', '--quiet', 'main');
  const base = commitTo(author, { files: options.main ?? { 'MAIN.md': 'main moved on\n' }, message: 'Move main on' });
  author.git('checkout', '--quiet', '--detach', base);
  author.git('merge', '--quiet', '--no-ff', '--strategy-option=theirs', '-m', 'Merge', head);
  const merge = author.git('rev-parse', 'HEAD');
  const remote = publish(author, { base, head, merge, number: options.pullRequest?.number ?? 7 });
  const pull = pullRequestOf(options, { base, head });
  return {
    github: gitHubOf(options, { pull, remote }),
    pull,
    commits: { base, mergeBase, head, merge },
    remote,
    author,
  };
}

function commitTo(author: GitFixture, commit: { readonly files: WorldFiles; readonly message: string }): string {
  const sha = author.commit(commit);
  // Git takes an empty folder for a submodule that is not checked out; without it the next `add --all` drops the entry.
  for (const [path, file] of Object.entries(commit.files)) {
    const submodule = typeof file === 'object' && file !== null && 'submodule' in file;
    if (submodule) mkdirSync(join(author.directory, path), { recursive: true });
  }
  return sha;
}

type Published = { readonly base: string; readonly head: string; readonly merge: string; readonly number: number };

function publish(author: GitFixture, commits: Published): GitFixture {
  const folder = join(temporaryFolder(), 'spoon.git');
  author.git('clone', '--quiet', '--bare', author.directory, folder);
  author.git('remote', 'add', 'origin', folder);
  author.git(
    'push',
    '--quiet',
    'origin',
    `${commits.base}:refs/heads/main`,
    `${commits.head}:refs/pull/${commits.number}/head`,
    `${commits.merge}:refs/pull/${commits.number}/merge`,
  );
  return openFixture(join(dirname(folder), basename(folder)));
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
