import type { CommitReference, PullRequest } from '../../core/pull-request/pull-request.ts';
import type { PullRequestSource } from '../../core/pull-request/source.ts';
import type { Reporter } from '../../core/reporter.ts';
import type { PresentState } from '../../core/review/standing-approval.ts';
import { listChanges } from './changed-files.ts';
import type { GitHub } from './client.ts';
import { getPull, type Pull, type PullRequestReference } from './get-pull.ts';
import { messageOf } from './github-answer.ts';
import { gitHubError } from './github-error.ts';
import { readCommits } from './read-commits.ts';
import { readKnownDiscussion } from './read-known-discussion.ts';
import { readLinked } from './read-linked.ts';

export type SourceOptions = {
  /** Told what the token may not see and the review does without. */
  readonly report?: Reporter;
};

/**
 * A pull request on GitHub. An ordinary one takes five requests to read, and two more for its changes.
 *
 * The pull request and its merge base are essential: `read` throws a UserError when they cannot be had. Whatever else
 * cannot be read is named in `missing`.
 */
export function gitHubPullRequestSource(
  github: GitHub,
  reference: PullRequestReference,
  { report = () => undefined }: SourceOptions = {},
): PullRequestSource {
  return {
    read: async () => {
      const pull = await getPull(github, reference);
      return await readAround(github, { reference, pull, report });
    },
    changes: (pullRequest) => listChanges(github, { reference, pullRequest }),
    currentHead: async () => (await getPull(github, reference)).head.sha,
  };
}

/** What may have changed since the pull request was read. @throws UserError when GitHub does not answer */
export async function readPresentState(github: GitHub, reference: PullRequestReference): Promise<PresentState> {
  const { state, draft, base, head } = describe({ reference, pull: await getPull(github, reference) });
  return { state, draft, base, head };
}

type Found = { readonly reference: PullRequestReference; readonly pull: Pull };

type Around = Found & { readonly report: Reporter };

async function readAround(github: GitHub, { reference, pull, report }: Around): Promise<PullRequest> {
  const [mergeBase, commits, discussion, linked] = await Promise.all([
    readMergeBase(github, { reference, pull }),
    readMessages(github, reference),
    readKnownDiscussion(github, reference),
    readLinked(github, { reference, head: pull.head.sha, onNote: (text) => report({ type: 'note', text }) }),
  ]);
  const { threads, conversation, reviews } = discussion;
  return {
    ...describe({ reference, pull }),
    mergeBase,
    commits: commits.found,
    commitCount: pull.commits,
    linked,
    threads,
    conversation,
    reviews,
    discussionRead: discussion.missing.length === 0,
    missing: [
      ...commits.missing,
      ...unlisted({ listed: commits.found.length, total: pull.commits }),
      ...discussion.missing,
    ],
  };
}

async function readMessages(github: GitHub, reference: PullRequestReference) {
  try {
    return { found: await readCommits(github, reference), missing: [] };
  } catch (error) {
    return { found: [], missing: [`The commit messages could not be read: ${messageOf(error)}.`] };
  }
}

function unlisted({ listed, total }: { listed: number; total: number }): readonly string[] {
  if (listed > 0 && total > listed) {
    return [`GitHub lists ${listed} of ${total} commits: the other messages could not be read.`];
  }
  return [];
}

async function readMergeBase(github: GitHub, { reference, pull }: Found): Promise<string> {
  const { owner, repository } = reference;
  // Hashes work for forks too: all repositories of a network share their objects.
  const basehead = `${pull.base.sha}...${pull.head.sha}`;
  try {
    const answer = await github.rest.repos.compareCommitsWithBasehead({
      owner,
      repo: repository,
      basehead,
      per_page: 1,
    });
    return answer.data.merge_base_commit.sha;
  } catch (error) {
    const subject = `common ancestor of base and head of pull request #${reference.number}`;
    throw gitHubError(error, { subject, permission: 'contents: read' });
  }
}

function describe({ reference, pull }: Found) {
  return {
    repository: `${reference.owner}/${reference.repository}`,
    serverUrl: reference.serverUrl,
    number: reference.number,
    title: pull.title,
    body: pull.body ?? '',
    author: pull.user?.login ?? 'ghost',
    state: pull.merged ? 'merged' : pull.state === 'open' ? 'open' : 'closed',
    draft: pull.draft ?? false,
    labels: pull.labels.map((label) => label.name),
    base: commitReference(pull.base),
    head: commitReference(pull.head),
    fromFork: isFromFork(pull),
  } as const;
}

function commitReference({ ref, sha }: CommitReference): CommitReference {
  return { ref, sha };
}

// The official type does not know that a deleted fork leaves null behind (FAILURES D6).
function isFromFork(pull: Pull): boolean {
  const head: { readonly full_name: string } | null = pull.head.repo;
  return head === null || head.full_name !== pull.base.repo.full_name;
}
