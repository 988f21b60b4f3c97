import { afterEach } from 'vitest';
import {
  type GitRepository,
  openRepository,
  type RepositoryOptions,
} from '../../../src/adapters/git/open-repository.ts';
import { createRepository, type FixtureFile, type GitFixture } from '../../fakes/git-fixture.ts';
import { temporaryFolder } from '../../fakes/memory-repository.ts';
import { importCommits } from '../../fakes/world/git.ts';

const opened: GitRepository[] = [];

afterEach(async () => {
  await Promise.all(opened.splice(0).map((repository) => repository.close()));
});

/** Opens what a test needs to say, with the defaults of a local checkout; it is closed when the test ends. */
export async function open(
  options: Pick<RepositoryOptions, 'commits'> & Partial<RepositoryOptions>,
): Promise<GitRepository> {
  const repository = await openRepository({
    checkout: null,
    remote: null,
    pullRequestNumber: null,
    temporaryFolder: temporaryFolder(),
    environment: { PATH: process.env['PATH'] },
    signal: new AbortController().signal,
    ...options,
  });
  opened.push(repository);
  return repository;
}

export type Files = { readonly [path: string]: FixtureFile };

export type Change = {
  readonly fixture: GitFixture;
  readonly commits: { readonly base: string; readonly mergeBase: string; readonly head: string };
};

/** A repository with two commits: the files before, and what the second one does to them. */
export function change(before: Files, after: Files): Change {
  const fixture = createRepository();
  const base = fixture.commit({ files: before, message: 'Before' });
  const head = fixture.commit({ files: after, message: 'After' });
  return { fixture, commits: { base, mergeBase: base, head } };
}

/** Both commits, of a repository without a work tree: the same hashes, and one process. */
export async function openChange(before: Files, after: Files): Promise<GitRepository> {
  const { directory } = createRepository();
  const [base = '', head = ''] = importChange(directory, before, after);
  return open({ checkout: directory, commits: { base, mergeBase: base, head } });
}

/** Adds two commits that no branch has. Gives their hashes. */
export function importChange(directory: string, before: Files, after: Files): readonly string[] {
  return importCommits(directory, [
    { changes: [{ files: before }], message: 'Before', minute: 1 },
    { parent: 0, changes: [{ files: after }], message: 'After', minute: 2 },
  ]);
}
