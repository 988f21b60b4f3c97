import { openRepository } from './adapters/git/open-repository.ts';
import { apiRepository } from './adapters/github/api-repository.ts';
import type { GitHub } from './adapters/github/client.ts';
import type { PullRequestReference } from './adapters/github/get-pull.ts';
import { explain } from './core/errors.ts';
import type { ChangedFile } from './core/pull-request/changed-file.ts';
import { examineFiles } from './core/pull-request/examine-files.ts';
import type { PullRequest } from './core/pull-request/pull-request.ts';
import type { Changes, PullRequestSource } from './core/pull-request/source.ts';
import type { Reporter } from './core/reporter.ts';
import type { ImageSource } from './core/repository/image-source.ts';
import type { History, Repository, TextSearch } from './core/repository/repository.ts';

/** Where a job reads the code: git objects of its own, or where git cannot, the API. */
export type JobSources = {
  readonly repository: Repository;
  readonly images: ImageSource;
  /** Null without git. */
  readonly search: TextSearch | null;
  readonly history: History | null;
  readonly changes: () => Promise<Changes>;
  /** The diff from one commit to another; null when git does not have one of them. */
  readonly changesBetween: (from: string, to: string) => Promise<readonly ChangedFile[] | null>;
  /** What is missing and why; empty when git has everything. */
  readonly notes: readonly string[];
  readonly close: () => Promise<void>;
};

export type SourceOptions = {
  readonly github: GitHub;
  readonly reference: PullRequestReference;
  readonly source: PullRequestSource;
  readonly pullRequest: PullRequest;
  readonly token: string;
  readonly report: Reporter;
  readonly environment: NodeJS.ProcessEnv;
  readonly temporaryFolder: string;
  readonly signal: AbortSignal;
  /** Milliseconds that fetching may take. */
  readonly fetchMilliseconds: number;
};

/** Git first; the API's files and patches where it fails, saying so. */
export async function openSources(options: SourceOptions): Promise<JobSources> {
  try {
    const git = await openGit(options);
    const { repository, images, search, history, changes, changesBetween, close } = git;
    return { repository, images, search, history, changes, changesBetween, notes: [], close };
  } catch (error) {
    if (options.signal.aborted) throw error;
    return openApi(options, explain(error));
  }
}

function openGit({ reference, pullRequest, token, environment, temporaryFolder, ...options }: SourceOptions) {
  const { serverUrl, owner, repository, number } = reference;
  const { signal, fetchMilliseconds } = options;
  return openRepository({
    checkout: environment['GITHUB_WORKSPACE'] ?? null,
    remote: {
      url: `${serverUrl}/${owner}/${repository}`,
      authorization: token === '' ? null : `basic ${Buffer.from(`x-access-token:${token}`).toString('base64')}`,
    },
    commits: { base: pullRequest.base.sha, head: pullRequest.head.sha, mergeBase: pullRequest.mergeBase },
    pullRequestNumber: number,
    temporaryFolder,
    environment,
    signal,
    fetchMilliseconds,
  });
}

/** Binary and lock files that are opened over the API: each is a request or two. */
const openedByApi = 50;

function openApi({ github, reference, source, pullRequest, report }: SourceOptions, why: string): JobSources {
  const notes = [
    `Git could not be used, so GitHub's API was read instead: without search, blame and log, and without the diffs that the API leaves out. ${why}`,
  ];
  const repository = apiRepository(github, {
    owner: reference.owner,
    repository: reference.repository,
    commits: { base: pullRequest.base.sha, head: pullRequest.head.sha, mergeBase: pullRequest.mergeBase },
    // Learnt while reading, when the notes were reported already.
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
    notes,
    close: async () => {},
  };
}
