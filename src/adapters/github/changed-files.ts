import type { PullRequest } from '../../core/pull-request/pull-request.ts';
import type { Changes } from '../../core/pull-request/source.ts';
import { changedFileFrom, type DiffEntry } from './changed-file-from.ts';
import type { GitHub } from './client.ts';
import { getPull, type PullRequestReference } from './get-pull.ts';
import { gitHubError } from './github-error.ts';

const pageSize = 100;
// GitHub's list ends there, whatever the size of the pull request (FAILURES D2).
const listedFiles = 3000;

/** The diff by the files API: for runs where git cannot get the commits. Says what GitHub left out. */
export async function listChanges(
  github: GitHub,
  { reference, pullRequest }: { readonly reference: PullRequestReference; readonly pullRequest: PullRequest },
): Promise<Changes> {
  const [pull, first] = await Promise.all([getPull(github, reference), listPage(github, { reference, page: 1 })]);
  const pages = Math.ceil(Math.min(pull.changed_files, listedFiles) / pageSize);
  const others = Array.from({ length: Math.max(0, pages - 1) }, (_, index) => index + 2);
  const rest = await Promise.all(others.map((page) => listPage(github, { reference, page })));
  const entries = [first, ...rest].flat();
  return {
    files: entries.map(changedFileFrom),
    missing: [
      ...unlisted({ listed: entries.length, changed: pull.changed_files }),
      ...movedHead({ reviewed: pullRequest.head.sha, now: pull.head.sha }),
    ],
  };
}

async function listPage(
  github: GitHub,
  { reference, page }: { reference: PullRequestReference; page: number },
): Promise<readonly DiffEntry[]> {
  const { owner, repository, number } = reference;
  try {
    const answer = await github.rest.pulls.listFiles({
      owner,
      repo: repository,
      pull_number: number,
      per_page: pageSize,
      page,
    });
    return answer.data;
  } catch (error) {
    const subject = `list of changed files of pull request #${number}`;
    throw gitHubError(error, { subject, permission: 'pull-requests: read' });
  }
}

function unlisted({ listed, changed }: { listed: number; changed: number }): readonly string[] {
  if (listed >= changed) return [];
  return [`GitHub lists ${listed} of ${changed} changed files: the other ${changed - listed} could not be read.`];
}

function movedHead({ reviewed, now }: { reviewed: string; now: string }): readonly string[] {
  if (reviewed === now) return [];
  return [`The head moved to ${now.slice(0, 12)} meanwhile: the patches are those of the newer commit.`];
}
