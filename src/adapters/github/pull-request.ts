import type { Reporter } from '../../core/events.ts';
import type { Past } from '../../core/history/memory.ts';
import type { MarkKeys } from '../../core/history/signed-marks.ts';
import {
  type CommitReference,
  type PullRequestSource,
  pinnedCommits,
  type Stack,
} from '../../core/pull-request/pull-request.ts';
import type { PresentState } from '../../core/review/approval.ts';
import { answerOf, messageOf } from './answers.ts';
import { remember } from './api-repository.ts';
import { explained, type GitHub, inRepository, type RepositoryName } from './client.ts';
import { readKnownDiscussion } from './discussion.ts';
import { readLinked } from './linked.ts';
import {
  getPull,
  listChanges,
  mayWrite,
  type Pull,
  type PullRequestReference,
  readCommits,
  readPull,
  readStack,
} from './pull.ts';

/**
 * A pull request on GitHub. An ordinary one takes five requests to read, and two more for its changes; one into another than the default
 * branch takes one more, and one for each layer below it.
 *
 * The pull request, its merge base and its stack are essential: `read` throws a UserError when they cannot be had. Whatever else
 * cannot be read is named in `missing`.
 */
export function gitHubPullRequestSource(
  github: GitHub,
  reference: PullRequestReference,
  {
    report = () => undefined,
    onCommits = () => undefined,
  }: {
    /** Called with what the token may not see and the review does without. */
    report?: Reporter;
    /** Called as soon as the commits are known: git can fetch them while the rest is read. Not for a fork, which may yet be refused. */
    onCommits?: (commits: Commits) => void;
  } = {},
): PullRequestSource {
  return {
    read: async () => {
      const pull = await getPull(github, reference);
      const described = describe(reference, pull);
      const findCommits = async () => {
        const [mergeBase, stack] = await Promise.all([
          readMergeBase(github, reference, pull),
          readStack(github, reference, pull),
        ]);
        const found = { mergeBase, ...(stack === null ? {} : { stack }) };
        if (stack !== null) report({ type: 'note', text: noteOn(stack) });
        if (!described.fromFork) onCommits(pinnedCommits({ ...described, ...found }));
        return found;
      };
      const [stacked, commits, { missing, ...discussion }, linked] = await Promise.all([
        findCommits(),
        readMessages(github, reference, pull),
        readKnownDiscussion(github, reference, pull),
        readLinked(github, { reference, head: pull.head.sha, onNote: (text) => report({ type: 'note', text }) }),
      ]);
      return {
        ...described,
        ...discussion,
        ...stacked,
        commits: commits.found,
        ...(typeof pull.commits === 'number' ? { commitCount: pull.commits } : {}),
        linked,
        discussionRead: missing.length === 0,
        missing: [...commits.missing, ...missing],
      };
    },
    changes: (pullRequest) => listChanges(github, { reference, pullRequest }),
    currentHead: async () => (await getPull(github, reference)).head.sha,
  };
}

/** What may have changed since the pull request was read. @throws UserError when GitHub does not answer */
export async function readPresentState(github: GitHub, reference: PullRequestReference): Promise<PresentState> {
  const { state, draft, base, head } = describe(reference, await getPull(github, reference));
  return { state, draft, base, head };
}

/** Full hashes. */
export type Commits = { readonly base: string; readonly head: string; readonly mergeBase: string };

async function readMessages(github: GitHub, reference: PullRequestReference, pull: Pull) {
  try {
    const found = await readCommits(github, reference);
    const total = pull.commits ?? found.length;
    const short = { code: 'missing.commits', listed: found.length, commits: total } as const;
    return { found, missing: found.length < total ? [short] : [] };
  } catch (error) {
    return {
      found: [],
      missing: [{ code: 'missing.commits-unread', why: messageOf(error) } as const],
    };
  }
}

function noteOn({ base, below }: Stack): string {
  const layers = below.map(({ number }) => `#${number}`).join(', ');
  const why = layers === '' ? 'the stack' : `the stack; not merged yet: ${layers}`;
  return `Settings, rules and guidance are read at ${base.ref} (${base.sha.slice(0, 12)}), the base of ${why}.`;
}

async function readMergeBase(github: GitHub, reference: PullRequestReference, pull: Pull): Promise<string> {
  // Hashes work for forks too: all repositories of a network share their objects.
  const asked = { ...inRepository(reference), basehead: `${pull.base.sha}...${pull.head.sha}`, per_page: 1 };
  const subject = `common ancestor of base and head of pull request #${reference.number}`;
  const asking = github.rest.repos.compareCommitsWithBasehead(asked);
  return (await explained(asking, { subject, permission: 'contents: read' })).data.merge_base_commit.sha;
}

function describe(reference: PullRequestReference, pull: Pull) {
  const repository = `${reference.owner}/${reference.repository}`;
  return {
    repository,
    serverUrl: reference.serverUrl,
    number: reference.number,
    title: pull.title ?? '',
    body: pull.body ?? '',
    author: pull.user?.login ?? 'ghost',
    state: pull.merged === true ? 'merged' : pull.state === 'open' ? 'open' : 'closed',
    draft: pull.draft ?? false,
    labels: (pull.labels ?? []).flatMap((label) => label?.name ?? []),
    base: commitReference(pull.base),
    head: commitReference(pull.head),
    // A head of a repository that GitHub does not name is a fork's: that is the safe side.
    fromFork: pull.head.repo?.full_name !== (pull.base.repo?.full_name ?? repository),
  } as const;
}

function commitReference({ ref, sha }: Pull['head']): CommitReference {
  return { ref: ref ?? sha, sha };
}

/** What `workflow_run` tells of the run that was completed. */
export type WorkflowRun = {
  readonly headSha: string;
  /** Null when the run was not for a branch. */
  readonly headBranch: string | null;
  /** `owner/name`; null when the fork was deleted. */
  readonly headRepository: string | null;
  /** The pull requests that the event names. */
  readonly numbers: readonly number[];
};

type FoundPullRequest =
  | {
      readonly found: true;
      readonly number: number;
      /** Others with the same head. */
      readonly others: readonly number[];
    }
  | { readonly found: false; readonly reason: string };

/**
 * The open pull request that a completed workflow run was for: one that the event names, and it names none for forks, or one of
 * the branch, or of the commit. Of several with the same head, into different branches, it is the first.
 *
 * @throws UserError when GitHub refuses to list pull requests.
 */
export function findPullRequest(
  github: GitHub,
  repository: RepositoryName,
  run: WorkflowRun,
): Promise<FoundPullRequest> {
  const subject = `pull requests of ${repository.owner}/${repository.repository}`;
  return explained(seekPullRequest(github, repository, run), { subject, permission: 'pull-requests: read' });
}

async function seekPullRequest(
  github: GitHub,
  repository: RepositoryName,
  run: WorkflowRun,
): Promise<FoundPullRequest> {
  const { headSha: commit_sha, headBranch, headRepository } = run;
  const named = await readNamed(github, repository, run.numbers);
  const present = named.filter((pull) => pull.state === 'open' && isHeadOf(pull, run));
  if (present.length > 0) return found(present);
  const asked = { ...inRepository(repository), per_page: 100 };
  const head = `${headRepository?.split('/')[0]}:${headBranch}`;
  const hasBranch = headRepository !== null && headBranch !== null;
  const ofBranch = hasBranch ? await github.paginate(github.rest.pulls.list, { ...asked, state: 'open', head }) : [];
  const exact = ofBranch.filter((pull) => isHeadOf(pull, run));
  if (exact.length > 0) return found(exact);
  const { listPullRequestsAssociatedWithCommit } = github.rest.repos;
  const ofCommit = await github.paginate(listPullRequestsAssociatedWithCommit, { ...asked, commit_sha });
  const open = ofCommit.filter((pull) => pull.state === 'open' && isHeadOf(pull, run));
  if (open.length > 0) return found(open);
  return { found: false, reason: notFound(run, [...named, ...ofBranch, ...ofCommit]) };
}

/** Those that are there: what the event names may be of another repository. */
async function readNamed(
  github: GitHub,
  repository: RepositoryName,
  numbers: readonly number[],
): Promise<readonly Pull[]> {
  const reading = numbers.slice(0, namedAtMost).map(async (number) => {
    try {
      return [await readPull(github, { ...repository, number })];
    } catch (error) {
      if (answerOf(error)?.status === 404) return [];
      throw error;
    }
  });
  return (await Promise.all(reading)).flat();
}

const namedAtMost = 5;

/** As a list and as the pull request itself tell it. */
type Candidate = Pick<Pull, 'number' | 'state'> & { readonly head: Pick<Pull['head'], 'sha' | 'repo'> };

function isHeadOf({ head }: Candidate, run: WorkflowRun): boolean {
  if (head.sha !== run.headSha) return false;
  // A deleted fork leaves null behind.
  const name = head.repo?.full_name ?? null;
  return name === null || run.headRepository === null || name === run.headRepository;
}

function found(pulls: readonly Candidate[]): FoundPullRequest {
  const [first = 0, ...others] = pulls.map((pull) => pull.number).sort((one, other) => one - other);
  return { found: true, number: first, others };
}

function notFound(run: WorkflowRun, candidates: readonly Candidate[]): string {
  const commit = run.headSha.slice(0, 12);
  const [moved] = candidates.filter((pull) => pull.state === 'open' && pull.head.sha !== run.headSha);
  if (moved !== undefined) {
    return `Pull request #${moved.number} has moved on from ${commit} to ${moved.head.sha.slice(0, 12)}.`;
  }
  const [closed] = candidates.filter((pull) => pull.state !== 'open');
  if (closed !== undefined) return `Pull request #${closed.number}, which has ${commit}, is closed.`;
  return `No pull request has ${commit} as its head.`;
}

export type PastOptions = {
  readonly reference: PullRequestReference;
  readonly keys: MarkKeys;
  /** What git knows of other commits. */
  readonly git: Pick<Past, 'changesBetween' | 'blobs'>;
};

/** What of earlier runs is asked of GitHub, each question once, and of git. */
export function gitHubPast(github: GitHub, { reference, keys, git }: PastOptions): Past {
  return {
    canWrite: remember((login: string) => mayWrite(github, { repository: reference, login })),
    changesBetween: git.changesBetween,
    blobs: git.blobs,
    seal: async (contents, key) => {
      const seals = contents.flatMap((content) => keys.seal(content, key) ?? []);
      return seals.length === contents.length ? seals : null;
    },
  };
}
