import { gitFactText } from '../world/git.ts';
import { renderUser } from './render-rest.ts';
import type { RestShape } from './rest-shape.ts';

export type CommitData = {
  readonly sha: string;
  readonly tree: string;
  readonly parents: readonly string[];
  readonly author: string;
  readonly email: string;
  readonly committerEmail: string;
  readonly date: string;
  readonly message: string;
};

/** Commits as `git log` lists them for the given arguments. */
export async function listCommits(gitDirectory: string, args: readonly string[]): Promise<readonly CommitData[]> {
  const output = await gitFactText(gitDirectory, ['log', '-z', '--format=%H%n%T%n%P%n%an%n%ae%n%ce%n%aI%n%B', ...args]);
  return output
    .split('\0')
    .filter((entry) => entry !== '')
    .map((entry) => {
      const [sha = '', tree = '', parents = '', author = '', email = '', committerEmail = '', date = '', ...message] =
        entry.split('\n');
      return {
        sha,
        tree,
        parents: parents.split(' ').filter(Boolean),
        author,
        email,
        committerEmail,
        date,
        message: message.join('\n').trim(),
      };
    });
}

export function renderCommit(commit: CommitData): RestShape<'commit'> {
  const person = { name: commit.author, email: commit.email, date: commit.date };
  return {
    sha: commit.sha,
    commit: {
      message: commit.message,
      author: person,
      committer: person,
      tree: { sha: commit.tree },
      // GitHub signs what is made on its own pages and by its bots.
      verification: { verified: commit.committerEmail === 'noreply@github.com' },
    },
    author: accountOf(commit.email),
    committer: accountOf(commit.committerEmail),
    parents: commit.parents.map((sha) => ({ sha })),
  };
}

/** Who on GitHub owns an address; nobody owns the fixture's own. */
function accountOf(email: string): RestShape<'simple-user'> | null {
  if (email === 'noreply@github.com') return renderUser('web-flow');
  const login = /^(?:\d+\+)?(.+)@users\.noreply\.github\.com$/.exec(email)?.[1];
  return login === undefined ? null : renderUser(login);
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
