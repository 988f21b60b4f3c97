import { trustHint, UserError } from '../../core/errors.ts';
import { type Environment, fetchingEnvironment, type Remote } from './environment.ts';
import type { Git } from './git.ts';
import type { ObjectStream } from './objects.ts';
import type { PinnedCommits } from './read-repository.ts';

/** Milliseconds for all attempts together, at most. A stalled connection ends earlier, by http.lowSpeedTime. */
const longestFetch = 10 * 60_000;

export type Fetching = {
  readonly git: Git;
  readonly objects: ObjectStream;
  readonly remote: Remote | null;
  readonly environment: Environment;
  /** Milliseconds for all attempts together: a server that drips must leave time for another way. */
  readonly fetchMilliseconds?: number;
};

/** Makes sure that the pinned commits and their trees are here, each without its history. */
export async function fetchCommits(
  options: Fetching & { commits: PinnedCommits; pullRequestNumber: number | null },
): Promise<void> {
  const { git, objects, commits, remote } = options;
  const wanted = await missingCommits(objects, commits);
  if (wanted.length === 0) return;
  if (remote === null) throw notHere(wanted);

  const causes: unknown[] = [];
  const deadline = performance.now() + Math.min(longestFetch, options.fetchMilliseconds ?? longestFetch);
  for (const source of fetchSources(wanted, commits.head, options.pullRequestNumber)) {
    const refspecs = source.map((name, index) => `+${name}:refs/postil/${index}`);
    const timeout = deadline - performance.now();
    if (timeout <= 0) break;
    const failure = await fetch({ git, remote, environment: options.environment, timeout, depth: 1, refspecs });
    if (failure !== null) causes.push(failure);
    if ((await missingCommits(objects, commits)).length === 0) return;
  }
  throw notFetched({ wanted: await missingCommits(objects, commits), remote, cause: causes[0] });
}

/** Tries to get commits of earlier pushes, each without its history; whether all are here then. A server may have forgotten them. */
export async function fetchEarlier(options: Fetching & { hashes: readonly string[] }): Promise<boolean> {
  const { git, objects, hashes, remote, environment, fetchMilliseconds = earlierTimeout } = options;
  const wanted = await missingTrees(objects, hashes);
  if (wanted.length === 0 || remote === null) return wanted.length === 0;
  const refspecs = wanted.map((hash) => `+${hash}:refs/postil/earlier/${hash}`);
  const timeout = Math.min(earlierTimeout, fetchMilliseconds);
  const failure = await fetch({ git, remote, environment, timeout, depth: 1, refspecs });
  return failure === null && (await missingTrees(objects, hashes)).length === 0;
}

/** Milliseconds. Without the earlier commit the review is a full one, which may be cheaper than waiting. */
const earlierTimeout = 60_000;

/** Commits and milliseconds that the first question about history may cost. */
const deepenBy = { depth: 200, timeout: 20_000 } as const;

/** Tries to get the history before a commit. */
export async function deepenHistory(options: {
  git: Git;
  commit: string;
  remote: Remote;
  environment: Environment;
}): Promise<void> {
  await fetch({ ...options, ...deepenBy, refspecs: [`+${options.commit}:refs/postil/history`] });
}

/** The pinned commits of which the commit or its root tree is missing. */
export async function missingCommits(objects: ObjectStream, commits: PinnedCommits): Promise<readonly string[]> {
  return missingTrees(objects, [...new Set([commits.head, commits.mergeBase, commits.base])]);
}

async function missingTrees(objects: ObjectStream, hashes: readonly string[]): Promise<readonly string[]> {
  const roots = await Promise.all(hashes.map((hash) => objects.request(`${hash}^{tree}`, 'info')));
  return hashes.filter((_, index) => roots[index]?.type !== 'tree');
}

/**
 * What to ask for, best first: all hashes at once; where a server gives out refs only, the pull request's own ref; then one
 * by one, because one that the server does not know (a commit that was never pushed) makes it refuse all.
 */
function fetchSources(
  wanted: readonly string[],
  head: string,
  pullRequestNumber: number | null,
): readonly (readonly string[])[] {
  const alone = wanted.length > 1 ? wanted.map((hash) => [hash]) : [];
  if (pullRequestNumber === null || !wanted.includes(head)) return [wanted, ...alone];
  return [wanted, wanted.map((hash) => (hash === head ? `refs/pull/${pullRequestNumber}/head` : hash)), ...alone];
}

/** Gives why it failed; null when it did not. */
async function fetch(options: {
  git: Git;
  remote: Remote;
  environment: Environment;
  depth: number;
  refspecs: readonly string[];
  timeout: number;
}): Promise<unknown> {
  const { git, remote, environment, depth, refspecs, timeout } = options;
  const args = ['fetch', '--quiet', '--no-tags', '--no-recurse-submodules', '--no-write-fetch-head'];
  const childEnvironment = fetchingEnvironment({ environment, gitDirectory: git.directory, remote });
  return git
    .run([...args, `--depth=${depth}`, '--', remote.url, ...refspecs], { environment: childEnvironment, timeout })
    .then(
      ({ stopped }) =>
        stopped === null ? null : new Error(`git fetch took longer than ${Math.round(timeout / 1_000)} seconds`),
      (error: unknown) => error,
    );
}

function notHere(wanted: readonly string[]): UserError {
  return new UserError(`The checkout does not have commit ${wanted.join(', ')}.`, {
    hint: 'Fetch it first, or let Postil fetch it: that takes a remote.',
  });
}

function notFetched(problem: { wanted: readonly string[]; remote: Remote; cause: unknown }): UserError {
  return new UserError(`Commit ${problem.wanted.join(', ')} could not be fetched from ${problem.remote.url}.`, {
    hint:
      trustHint(String(problem.cause), 'GIT_SSL_CAINFO') ??
      'Grant contents: read to the token, and check that the runner reaches the server.',
    cause: problem.cause,
  });
}
