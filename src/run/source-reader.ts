import type { JobEvent } from '../adapters/actions/event.ts';
import { type CheckedOut, checkoutCommits } from '../adapters/git/checkout.ts';
import { type GitRepository, openRepository, type RepositoryOptions } from '../adapters/git/open-repository.ts';
import { apiRepository } from '../adapters/github/api-repository.ts';
import { countChangedFiles, type GitHubSession, type PullRequestReference } from '../adapters/github/pull.ts';
import { pageName } from '../core/addresses.ts';
import { explain, UserError } from '../core/errors.ts';
import type { Reporter } from '../core/events.ts';
import type { ChangedFile } from '../core/pull-request/changed-file.ts';
import { examineFiles } from '../core/pull-request/examine-files.ts';
import {
  type Changes,
  type PullRequest,
  type PullRequestSource,
  pinnedCommits,
} from '../core/pull-request/pull-request.ts';
import type { History, ImageSource, Repository, Revision, TextSearch } from '../core/repository/repository.ts';
import { plural } from '../core/text.ts';

/** Reads the code of a change: from git objects of our own, or where git cannot, from GitHub's API. */
export type SourceReader = {
  readonly repository: Repository;
  readonly images: ImageSource;
  /** Null without git. */
  readonly search: TextSearch | null;
  readonly history: History | null;
  readonly changes: () => Promise<Changes>;
  /** The diff from one commit to another; null when git does not have one of them. */
  readonly changesBetween: (from: string, to: string) => Promise<readonly ChangedFile[] | null>;
  /** The full id of what is stored at each path, null where no file is; null as a whole without git. */
  readonly blobs: (paths: readonly string[], at: Revision) => Promise<readonly (string | null)[] | null>;
  /** What is missing and why; empty when git has everything. */
  readonly notes: readonly string[];
  readonly close: () => Promise<void>;
};

/** The pull request whose code is read. */
export type SourceOptions = {
  readonly session: GitHubSession;
  readonly source: PullRequestSource;
  readonly pullRequest: PullRequest;
  readonly report: Reporter;
  readonly signal: AbortSignal;
};

/** What git may use. */
export type GitAccess = {
  readonly reference: PullRequestReference;
  readonly token: string;
  readonly environment: NodeJS.ProcessEnv;
  readonly temporaryFolder: string;
  readonly signal: AbortSignal;
  /** Milliseconds that fetching may take. */
  readonly fetchMilliseconds: number;
};

/** Git, which fetches while GitHub is asked for the rest of the pull request. */
export type GitPrefetch = {
  /** Starts to fetch, once the commits are known. */
  readonly start: (commits: RepositoryOptions['commits']) => void;
  /** Waits for git; reads from the API where git fails, and says so. */
  readonly openReader: (options: SourceOptions) => Promise<SourceReader>;
  /** Ends git for a run that stops here. Never rejects. */
  readonly stop: () => Promise<void>;
};

export function prefetchGit(access: GitAccess): GitPrefetch {
  const stopping = new AbortController();
  const signal = AbortSignal.any([access.signal, stopping.signal]);
  let opening: Promise<GitRepository> | null = null;
  return {
    start: (commits) => {
      opening = openGit(access, commits, signal);
      opening.catch(() => undefined);
    },
    openReader: async (options) => {
      try {
        opening ??= openGit(access, pinnedCommits(options.pullRequest), signal);
        return rereadEmptyDiff(withApiFallback(await opening, options), options);
      } catch (error) {
        if (options.signal.aborted) throw error;
        return rereadEmptyDiff(openApiReader(options, explain(error)), options);
      }
    },
    stop: async () => {
      stopping.abort();
      await opening?.then((git) => git.close()).catch(() => undefined);
    },
  };
}

/** Reads from the API what git cannot read: the diff, and single files. */
function withApiFallback(git: GitRepository, options: SourceOptions): SourceReader {
  let api: SourceReader | null = null;
  let isClosed = false;
  const apiBecauseOf = (error: unknown): SourceReader => {
    // What is still read when a run ends, nobody waits for.
    if (options.signal.aborted || isClosed) throw error;
    if (api !== null) return api;
    api = openApiReader(options, explain(error));
    const text = `Git could not read everything, so GitHub's API is asked for the rest. ${explain(error)}`;
    options.report({ type: 'warning', text });
    return api;
  };
  const readFile: Repository['readFile'] = async (path, at) => {
    const content = await git.repository.readFile(path, at).catch((error: unknown) => apiBecauseOf(error) && null);
    if (content !== null && !(content.kind === 'unreadable' && content.reason === 'not-fetched')) return content;
    const missing = new Error(`${path} is neither in the checkout nor could it be fetched`);
    return await apiBecauseOf(missing).repository.readFile(path, at);
  };
  return {
    repository: { listFiles: git.repository.listFiles, readFile },
    images: git.images,
    search: git.search,
    history: git.history,
    changes: () => git.changes().catch((error: unknown) => apiBecauseOf(error).changes()),
    changesBetween: git.changesBetween,
    blobs: git.blobs,
    notes: [],
    close: async () => {
      isClosed = true;
      await git.close();
    },
  };
}

/** Reads an empty diff again unless GitHub also counts no file. @throws UserError when the second diff is empty, too: an unread change must not look like none */
function rereadEmptyDiff(reader: SourceReader, { session, pullRequest }: SourceOptions): SourceReader {
  const { github, reference } = session;
  const count = () => countChangedFiles(github, { reference, head: pullRequest.head.sha });
  const changes = async (): Promise<Changes> => {
    const first = await reader.changes();
    if (first.files.length > 0 || (await count()) === 0) return first;
    const second = await reader.changes();
    const counted = second.files.length > 0 ? 0 : await count();
    if (counted === 0) return second;
    const told = counted === null ? 'does not say how many files changed' : `counts ${plural(counted, 'changed file')}`;
    throw new UserError(`The diff is empty, but GitHub ${told} at this commit.`, {
      hint: 'Run the job again. If it stays so, push the branch once more: GitHub then computes the change anew.',
    });
  };
  return { ...reader, changes };
}

function openGit(
  access: GitAccess,
  commits: RepositoryOptions['commits'],
  signal: AbortSignal,
): Promise<GitRepository> {
  const { reference, token, environment, temporaryFolder, fetchMilliseconds } = access;
  const { serverUrl, owner, repository, number } = reference;
  return openRepository({
    checkout: environment['GITHUB_WORKSPACE'] ?? null,
    remote: {
      url: `${serverUrl}/${owner}/${repository}`,
      authorization: token === '' ? null : `basic ${Buffer.from(`x-access-token:${token}`).toString('base64')}`,
    },
    commits,
    pullRequestNumber: number,
    temporaryFolder,
    environment,
    signal,
    fetchMilliseconds,
  });
}

/** Binary and lock files that are opened over the API: each is a request or two. */
const openedByApi = 50;

function openApiReader({ session, source, pullRequest, report }: SourceOptions, why: string): SourceReader {
  const { github, reference } = session;
  const notes = [
    `Git could not be used, so GitHub's API was read instead: without search, blame and log, and without the diffs that the API leaves out. ${why}`,
  ];
  const repository = apiRepository(github, {
    owner: reference.owner,
    repository: reference.repository,
    commits: pinnedCommits(pullRequest),
    // Found out while reading, when the notes were reported already.
    onNote: (text) => report({ type: 'warning', text }),
  });
  return {
    repository,
    images: repository,
    search: null,
    history: null,
    changes: async () => {
      const changes = await source.changes(pullRequest);
      return { ...changes, files: await examineFiles(changes.files, { repository, maxFiles: openedByApi }) };
    },
    changesBetween: async () => null,
    blobs: async () => null,
    notes,
    close: async () => {},
  };
}

/**
 * Outside of `pull_request`, a job has the key and a token that writes. With a fork's code in the workspace, any later step that runs
 * something of it hands both over. Postil needs no checkout there, and itself runs nothing of what it reads. So it refuses when a repository in
 * the workspace holds the fork's head, whatever stands in the work tree: it may have been merged, picked or copied from there. See docs/decisions.
 *
 * @throws UserError with the safe recipe.
 */
export async function refuseForkCheckout(
  pullRequest: PullRequest,
  event: JobEvent,
  { environment, signal }: { readonly environment: NodeJS.ProcessEnv; readonly signal: AbortSignal },
): Promise<void> {
  const workspace = environment['GITHUB_WORKSPACE'] ?? '';
  if (withoutSecrets.includes(event.name) || !pullRequest.fromFork || workspace === '') return;
  // What was merged is the project's own now.
  if (pullRequest.state === 'merged') return;
  const heads = [...new Set([pullRequest.head.sha, ...('headSha' in event.subject ? [event.subject.headSha] : [])])];
  const checkouts = await checkoutCommits({ workspace, commits: heads, environment, signal });
  if (!checkouts.some((checkout) => holdsFork(checkout, { heads, pullRequest }))) return;
  throw new UserError(
    `The workflow runs on ${event.name} and has fetched commits of a fork into the workspace: code that strangers wrote, beside your secrets.`,
    {
      hint: `Remove the checkout step, and any other that fetches the pull request: Postil reads the commits itself and needs none. For forks use two jobs (${pageName('forks.md')}), or run on pull_request, where forks get no secrets.`,
    },
  );
}

/** Events whose runs for forks get neither secrets nor a token that writes. */
const withoutSecrets: readonly string[] = ['pull_request', 'pull_request_review', 'pull_request_review_comment'];

/** The head may have moved between the event, the checkout and now, so each of the fork's commits counts where it is checked out. */
function holdsFork(
  { commits, holds }: CheckedOut,
  { heads, pullRequest }: { heads: readonly string[]; pullRequest: PullRequest },
): boolean {
  if (holds.length > 0) return true;
  const theirs = new Set([...heads, ...pullRequest.commits.map(({ sha }) => sha)]);
  return commits.some(({ commit, parents }) => theirs.has(commit) || parents.some((parent) => theirs.has(parent)));
}
