import { join, resolve } from 'node:path';
import { UserError } from '../../core/errors.ts';
import { verbatim } from '../../core/messages/message.ts';
import {
  type CommitMessage,
  nothingLinked,
  type PullRequest,
  type PullRequestSource,
} from '../../core/pull-request/pull-request.ts';
import { plural } from '../../core/text.ts';
import { type BareRepository, createBareRepository, isPartial, promisorRemote } from './bare-repository.ts';
import { type Checkout, findCheckout } from './checkout.ts';
import type { Environment, Remote } from './environment.ts';
import { maxCommits, readCommit, readCommits } from './history.ts';
import {
  findEnds,
  type LocalEnds,
  type LocalSubject,
  reviewingLine,
  revisionsOf,
  shallowHint,
  whyNothing,
} from './local-subject.ts';
import { type GitRepository, openRepository } from './open-repository.ts';

/**
 * Commits of a repository on the disk, or what is about to become one, seen as a pull request. `reviewing` says in a line what it is; null
 * where there is nothing.
 *
 * @throws UserError when there is no repository, no such commit, or no common ancestor.
 */
export async function openLocalPullRequest(options: {
  /** Any directory of a work tree, or a bare repository. */
  directory: string;
  subject: LocalSubject;
  temporaryFolder: string;
  /** The environment to choose from; secrets in it reach no child. */
  environment: Environment;
  signal: AbortSignal;
}): Promise<{ readonly git: GitRepository; readonly source: PullRequestSource; readonly reviewing: string | null }> {
  const checkout = await findCheckout(options.directory);
  if (checkout === null) {
    throw new UserError(`${resolve(options.directory)} is not in a git repository.`, {
      hint: 'Run it inside a clone, or name one with --directory.',
    });
  }
  const revisions = revisionsOf({ ...options, checkout });
  const bare = await createBareRepository({ ...options, objectFormat: await revisions.objectFormat() });
  try {
    await bare.borrowFrom(checkout);
    const ends = await findEnds({ ...options, checkout, revisions, bare });
    const local = await readLocalHistory(bare, checkout, ends);
    const git = await openRepository({
      ...options,
      checkout: options.directory,
      moreObjects: join(bare.git.directory, 'objects'),
      remote: local.remote,
      commits: { base: ends.base.sha, head: ends.head.sha, mergeBase: local.mergeBase },
      pullRequestNumber: null,
    });
    const pullRequest = asPullRequest(options.subject, { ends, ...local });
    const nothing = whyNothing(options.subject, { ends, commits: local.count });
    const close = () => Promise.all([git.close(), bare.remove()]);
    return {
      git: { ...git, close: async () => void (await close()) },
      source: {
        read: async () => pullRequest,
        changes: async () => {
          const { files, missing } = await git.changes();
          return {
            files,
            missing: [...missing, ...ends.leftOut.map(verbatim)],
            ...(nothing === null ? {} : { nothing }),
          };
        },
        currentHead: async () => null,
      },
      reviewing:
        nothing === null
          ? reviewingLine(options.subject, { ends, mergeBase: local.mergeBase, commits: local.count })
          : null,
    };
  } catch (error) {
    await bare.remove();
    throw error;
  }
}

type LocalHistory = {
  readonly mergeBase: string;
  readonly messages: readonly CommitMessage[];
  readonly newest: CommitMessage | null;
  /** Commits that head has and base lacks. */
  readonly count: number;
  readonly remote: Remote | null;
};

/** Reads commits through a repository that borrows the objects, so that nothing runs in the person's own. */
async function readLocalHistory(bare: BareRepository, checkout: Checkout, ends: LocalEnds): Promise<LocalHistory> {
  const { base, head, committed } = ends;
  const range = { base: base.sha, head: committed };
  const [mergeBase, messages, partial] = await Promise.all([
    ends.mergeBase ?? findMergeBase(bare, { base: base.sha, head: head.sha }),
    readCommits(bare.git, range),
    isPartial(bare.git, checkout),
  ]);
  return {
    mergeBase,
    messages,
    newest: messages.at(-1) ?? (await readCommit(bare.git, committed)),
    count:
      messages.length < maxCommits
        ? messages.length
        : Number(await bare.git.line(['rev-list', '--count', range.head, '--not', range.base, '--'])),
    // A partial clone has the commits but not all files: those are fetched from where it came from.
    remote: partial ? await promisorRemote(bare.git, checkout) : null,
  };
}

async function findMergeBase(bare: BareRepository, range: { base: string; head: string }): Promise<string> {
  const mergeBase = await bare.git.line(['merge-base', range.base, range.head], { accept: [1] });
  if (mergeBase !== '') return mergeBase;
  const shallow = (await bare.shallowCommits()).size > 0;
  throw new UserError(`Commits ${range.base} and ${range.head} have no common ancestor.`, {
    hint: shallow ? shallowHint : 'Their histories are unrelated: choose a base that head was branched from.',
  });
}

function asPullRequest(
  subject: LocalSubject,
  { ends, mergeBase, messages, newest }: LocalHistory & { readonly ends: LocalEnds },
): PullRequest {
  const { base, head, snapshot } = ends;
  const uncommitted = snapshot === null ? null : subject.kind === 'staged' ? 'Staged changes' : 'Uncommitted changes';
  const last = messages.at(-1) ?? (uncommitted === null ? newest : null);
  const [first = '', ...body] = (last?.message ?? '').split('\n');
  const others = messages.length - 1;
  const committed = others > 0 ? `${first} (and ${plural(others, 'more commit')})` : first;
  return {
    repository: null,
    serverUrl: null,
    number: null,
    title: [committed, uncommitted ?? ''].filter((text) => text !== '').join('; '),
    // Several messages appear as the commits that they belong to.
    body: others > 0 ? '' : body.join('\n').trim(),
    author: last?.author ?? '',
    state: 'open',
    draft: false,
    labels: [],
    base,
    head,
    mergeBase,
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
