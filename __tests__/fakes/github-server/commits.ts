import { gitFactText } from '../world/git.ts';
import type { RestShape } from './rest-shape.ts';

export type CommitData = {
  readonly sha: string;
  readonly tree: string;
  readonly parents: readonly string[];
  readonly author: string;
  readonly email: string;
  readonly date: string;
  readonly message: string;
};

/** Commits as `git log` lists them for the given arguments. */
export async function listCommits(gitDirectory: string, args: readonly string[]): Promise<readonly CommitData[]> {
  const output = await gitFactText(gitDirectory, ['log', '-z', '--format=%H%n%T%n%P%n%an%n%ae%n%aI%n%B', ...args]);
  return output
    .split('\0')
    .filter((entry) => entry !== '')
    .map((entry) => {
      const [sha = '', tree = '', parents = '', author = '', email = '', date = '', ...message] = entry.split('\n');
      return {
        sha,
        tree,
        parents: parents.split(' ').filter(Boolean),
        author,
        email,
        date,
        message: message.join('\n').trim(),
      };
    });
}

export function renderCommit(commit: CommitData): RestShape<'commit'> {
  const person = { name: commit.author, email: commit.email, date: commit.date };
  return {
    sha: commit.sha,
    commit: { message: commit.message, author: person, committer: person, tree: { sha: commit.tree } },
    // Nobody on GitHub owns the fixture's address.
    author: null,
    committer: null,
    parents: commit.parents.map((sha) => ({ sha })),
  };
}

export function renderGitCommit(commit: CommitData): RestShape<'git-commit'> {
  const person = { name: commit.author, email: commit.email, date: commit.date };
  return {
    sha: commit.sha,
    message: commit.message,
    author: person,
    committer: person,
    tree: { sha: commit.tree },
    parents: commit.parents.map((sha) => ({ sha })),
  };
}
