import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { UserError } from '../../core/errors.ts';
import type { ObjectFormat } from './bare-repository.ts';
import type { Checkout } from './find-checkout.ts';
import { type Environment, readingEnvironment } from './git-environment.ts';
import { createGit, type Git, GitError } from './run-git.ts';

/** The refs of a person's own repository. Nothing but `rev-parse` runs there: no hook, filter or program can start. */
export type Revisions = {
  /** The full hash of the commit that a revision such as `HEAD~1` or `origin/main` names. @throws UserError */
  resolve(revision: string): Promise<string>;
  /** The same, null when there is none. */
  find(revision: string): Promise<string | null>;
  /** A short name of a ref, such as `origin/main` for `@{upstream}`; null when it names none. */
  nameOf(ref: string): Promise<string | null>;
  objectFormat(): Promise<ObjectFormat>;
};

export function revisionsOf(options: {
  readonly checkout: Checkout;
  readonly environment: Environment;
  readonly signal: AbortSignal;
}): Revisions {
  const { gitDirectory } = options.checkout;
  const git = createGit({
    directory: gitDirectory,
    environment: readingEnvironment(options.environment, gitDirectory),
    signal: options.signal,
  });
  return {
    resolve: async (revision) => {
      if (revision === '' || revision.startsWith('-')) {
        throw new UserError(`${JSON.stringify(revision)} is not a revision.`, { hint: revisionHint });
      }
      const hash = await revParse(git, `${revision}^{commit}`);
      if (typeof hash === 'string') return hash;
      throw await unknownRevision({ git, checkout: options.checkout, revision, cause: hash });
    },
    find: async (revision) => {
      const hash = await revParse(git, `${revision}^{commit}`);
      return typeof hash === 'string' ? hash : null;
    },
    nameOf: async (ref) => {
      const name = await revParse(git, ref, '--abbrev-ref');
      return typeof name === 'string' && name !== '' ? name : null;
    },
    objectFormat: async () => {
      const { stdout } = await git.run(['rev-parse', '--show-object-format']);
      return stdout.toString('utf8').trim() === 'sha256' ? 'sha256' : 'sha1';
    },
  };
}

const revisionHint = 'Name a commit, a branch, a tag, or something like HEAD~1.';

async function revParse(git: Git, revision: string, ...options: readonly string[]): Promise<string | GitError> {
  try {
    const { stdout } = await git.run(['rev-parse', '--verify', '--quiet', ...options, revision]);
    return stdout.toString('utf8').trim();
  } catch (error) {
    // Without an exit code git was cancelled: that is no matter of the revision.
    if (error instanceof GitError && error.exitCode !== null) return error;
    throw error;
  }
}

async function unknownRevision(problem: {
  readonly git: Git;
  readonly checkout: Checkout;
  readonly revision: string;
  readonly cause: GitError;
}): Promise<UserError> {
  const { git, checkout, revision, cause } = problem;
  const message = `There is no commit ${JSON.stringify(revision)} in this repository.`;
  const shallow = await readFile(join(checkout.commonDirectory, 'shallow'), 'utf8').catch(() => '');
  if (shallow !== '') {
    const hint =
      'The clone is shallow: fetch more history (git fetch --unshallow, or fetch-depth: 0 for actions/checkout).';
    return new UserError(message, { hint, cause });
  }
  const head = await revParse(git, 'HEAD^{commit}');
  if (typeof head !== 'string')
    return new UserError(message, { hint: 'Commit something first: HEAD has no commit.', cause });
  if (!/[~^]/.test(revision)) return new UserError(message, { hint: revisionHint, cause });
  const { stdout } = await git.run(['rev-list', '--count', '--first-parent', head]);
  const count = stdout.toString('utf8').trim();
  const hint = `HEAD has ${count} ${count === '1' ? 'commit' : 'commits'} in its history, and the first has nothing before it.`;
  return new UserError(message, { hint, cause });
}
