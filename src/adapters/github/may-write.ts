import type { GitHub } from './client.ts';
import type { RepositoryName } from './trees.ts';

/** Whether this person may write to the repository; null when that cannot be learnt. */
export async function mayWrite(
  github: GitHub,
  { repository: { owner, repository: repo }, login }: { readonly repository: RepositoryName; readonly login: string },
): Promise<boolean | null> {
  try {
    const answer = await github.rest.repos.getCollaboratorPermissionLevel({ owner, repo, username: login });
    // `maintain` and own roles come as the nearest of these.
    return answer.data.permission === 'admin' || answer.data.permission === 'write';
  } catch {
    return null;
  }
}
