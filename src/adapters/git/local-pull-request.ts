import { UserError } from '../../core/errors.ts';
import { nothingLinked } from '../../core/pull-request/linked.ts';
import type { CommitMessage, PullRequest } from '../../core/pull-request/pull-request.ts';
import type { PullRequestSource } from '../../core/pull-request/source.ts';
import { type BareRepository, createBareRepository, isPartial, objectFormatOf } from './bare-repository.ts';
import { type Checkout, findCheckout } from './find-checkout.ts';
import type { Environment, Remote } from './git-environment.ts';
import { type GitRepository, openRepository } from './open-repository.ts';
import { promisorRemote } from './promisor-remote.ts';
import { readCommit, readCommits } from './read-commits.ts';
import type { PinnedCommits } from './read-repository.ts';
import { revisionsOf } from './resolve-revision.ts';

export type LocalOptions = {
  /** Any directory of a work tree, or a bare repository. */
  readonly directory: string;
  /** Revisions as people write them: `HEAD~1`, `main`, a hash. */
  readonly base: string;
  readonly head: string;
  readonly temporaryFolder: string;
  /** The environment to choose from; secrets in it reach no child. */
  readonly environment: Environment;
  readonly signal: AbortSignal;
};

/**
 * Two commits of a repository on the disk, seen as a pull request from `head` into `base`. Uncommitted changes are no part.
 *
 * @throws UserError when there is no repository, no such commit, or no common ancestor.
 */
export async function openLocalPullRequest(
  options: LocalOptions,
): Promise<{ readonly git: GitRepository; readonly source: PullRequestSource }> {
  const checkout = await findCheckout(options.directory);
  if (checkout === null) throw noRepository(options.directory);
  const revisions = revisionsOf({ ...options, checkout });
  const head = await revisions.resolve(options.head);
  const base = await revisions.resolve(options.base);
  const { remote, ...local } = await readLocalHistory({ ...options, checkout, base, head });
  const git = await openRepository({
    ...options,
    checkout: options.directory,
    remote,
    commits: local.commits,
    pullRequestNumber: null,
  });
  const pullRequest = asPullRequest(options, local);
  return {
    git,
    source: {
      read: async () => pullRequest,
      changes: () => git.changes(),
      currentHead: async () => null,
    },
  };
}

function noRepository(directory: string): UserError {
  return new UserError(`${directory} is not in a git repository.`, {
    hint: 'Run it inside a clone, or name one with --directory.',
  });
}

type LocalHistory = {
  readonly commits: PinnedCommits;
  readonly messages: readonly CommitMessage[];
  readonly headCommit: CommitMessage | null;
};

/** Reads commits through a repository that borrows the objects, so that nothing runs in the person's own. */
async function readLocalHistory(
  options: LocalOptions & { readonly checkout: Checkout },
): Promise<LocalHistory & { readonly remote: Remote | null }> {
  const { checkout, base, head } = options;
  const bare = await createBareRepository({ ...options, objectFormat: objectFormatOf(head) });
  try {
    await bare.borrowFrom(checkout);
    const mergeBase = await findMergeBase(bare, options);
    return {
      commits: { base, head, mergeBase },
      messages: await readCommits(bare.git, { base, head }),
      headCommit: await readCommit(bare.git, head),
      // A partial clone has the commits but not all files: those are fetched from where it came from.
      remote: (await isPartial(bare.git, checkout)) ? await promisorRemote(bare.git, checkout) : null,
    };
  } finally {
    await bare.remove();
  }
}

async function findMergeBase(bare: BareRepository, range: { base: string; head: string }): Promise<string> {
  const { stdout } = await bare.git.run(['merge-base', range.base, range.head], { accept: [1] });
  const mergeBase = stdout.toString('utf8').trim();
  if (mergeBase !== '') return mergeBase;
  const shallow = (await bare.shallowCommits()).size > 0;
  throw new UserError(`Commits ${range.base} and ${range.head} have no common ancestor.`, {
    hint: shallow
      ? 'The clone is shallow: fetch more history (git fetch --unshallow, or fetch-depth: 0 for actions/checkout).'
      : 'Their histories are unrelated: choose a base that head was branched from.',
  });
}

function asPullRequest(options: LocalOptions, local: LocalHistory): PullRequest {
  const { commits, messages, headCommit } = local;
  const newest = messages.at(-1) ?? headCommit;
  const [subject = '', ...body] = (newest?.message ?? '').split('\n');
  const others = messages.length - 1;
  return {
    repository: null,
    serverUrl: null,
    number: null,
    title: others > 0 ? `${subject} (and ${others} more ${others === 1 ? 'commit' : 'commits'})` : subject,
    // Several messages appear as the commits that they belong to.
    body: others > 0 ? '' : body.join('\n').trim(),
    author: newest?.author ?? '',
    state: 'open',
    draft: false,
    labels: [],
    base: { ref: options.base, sha: commits.base },
    head: { ref: options.head, sha: commits.head },
    mergeBase: commits.mergeBase,
    fromFork: false,
    commits: messages,
    linked: nothingLinked,
    conversation: [],
    threads: [],
    reviews: [],
    discussionRead: true,
    missing: [],
  };
}
