import type { GitHub } from './client.ts';
import { gitHubError } from './github-error.ts';

export type PullRequestReference = {
  readonly owner: string;
  readonly repository: string;
  readonly number: number;
  /** Such as https://github.com. */
  readonly serverUrl: string;
};

/** The REST API's pull request. */
export type Pull = Awaited<ReturnType<GitHub['rest']['pulls']['get']>>['data'];

/** @throws UserError that says what to check or grant. */
export async function getPull(github: GitHub, { owner, repository, number }: PullRequestReference): Promise<Pull> {
  try {
    const answer = await github.rest.pulls.get({ owner, repo: repository, pull_number: number });
    return answer.data;
  } catch (error) {
    const subject = `pull request #${number} in ${owner}/${repository}`;
    throw gitHubError(error, { subject, permission: 'pull-requests: read' });
  }
}
