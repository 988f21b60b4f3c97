import type { CommitMessage } from '../../core/pull-request/pull-request.ts';
import type { Git } from './run-git.ts';

/** As many as GitHub's API gives for a pull request. */
const maxCommits = 250;

/** The commits that `head` has and `base` has not, oldest first as on a pull request; the newest 250. */
export async function readCommits(git: Git, range: { base: string; head: string }): Promise<readonly CommitMessage[]> {
  const args = ['log', `--max-count=${maxCommits}`, '-z', commitFormat, range.head, '--not', range.base, '--'];
  const { stdout } = await git.run(args);
  return commitsOf(stdout.toString('utf8')).toReversed();
}

/** One commit alone. */
export async function readCommit(git: Git, hash: string): Promise<CommitMessage | null> {
  const { stdout } = await git.run(['log', '--max-count=1', '-z', commitFormat, hash, '--']);
  return commitsOf(stdout.toString('utf8'))[0] ?? null;
}

const commitFormat = '--format=%H%x00%an%x00%aI%x00%B';
const commitFields = 4;

function commitsOf(output: string): readonly CommitMessage[] {
  const fields = output.split('\0');
  const commits: CommitMessage[] = [];
  for (let index = 0; index + commitFields <= fields.length; index += commitFields) {
    const [sha = '', author = '', date = '', message = ''] = fields.slice(index, index + commitFields);
    commits.push({ sha, author, date, message: message.trim() });
  }
  return commits;
}
