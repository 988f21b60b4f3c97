import type { ChangedFile } from '../../core/pull-request/changed-file.ts';
import { fetchEarlier } from './fetch-commits.ts';
import type { Environment, Remote } from './git-environment.ts';
import { readDiffBetween } from './read-changes.ts';
import type { Git } from './run-git.ts';

type Options = {
  readonly git: Git;
  readonly remote: Remote | null;
  readonly environment: Environment;
  readonly signal: AbortSignal;
  readonly fetchMilliseconds?: number;
};

/**
 * The diff from one commit to another, full hashes both: commits that are not here are fetched, one fetch at a time, because two in one
 * repository trip over each other's lock. The function answers null when a commit cannot be had.
 */
export function changesBetween(options: Options): (from: string, to: string) => Promise<readonly ChangedFile[] | null> {
  let fetching: Promise<unknown> = Promise.resolve();
  const gather = (hashes: readonly string[]): Promise<boolean> => {
    const turn = fetching.then(() => fetchEarlier({ ...options, hashes }));
    fetching = turn.catch(() => undefined);
    return turn;
  };
  return async (from, to) => {
    if (![from, to].every((hash) => fullHash.test(hash))) return null;
    try {
      return (await gather([from, to])) ? await readDiffBetween({ git: options.git, from, to }) : null;
    } catch (error) {
      // Whatever is wrong with an old commit, a full review does without it.
      if (options.signal.aborted) throw error;
      return null;
    }
  };
}

// A hash comes from a comment: it must never be read as an option or a range.
const fullHash = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;
