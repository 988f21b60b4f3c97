import type { CommitMessage } from '../../core/pull-request/pull-request.ts';
import type { GitHub } from './client.ts';

/** The commits of a pull request, oldest first. GitHub lists 250 at most. */
export async function readCommits(
  github: GitHub,
  { owner, repository, number }: { readonly owner: string; readonly repository: string; readonly number: number },
): Promise<readonly CommitMessage[]> {
  const commits = await github.paginate(github.rest.pulls.listCommits, {
    owner,
    repo: repository,
    pull_number: number,
    per_page: 100,
  });
  return commits.map(({ sha, commit, author, committer }) => ({
    sha,
    message: commit.message,
    author: author?.login ?? commit.author?.name ?? 'unknown',
    date: commit.author?.date ?? commit.committer?.date ?? '',
    identity: {
      author: author?.login ?? null,
      committer: committer?.login ?? null,
      verified: commit.verification?.verified ?? null,
    },
  }));
}
