import { type DiffFile, readPullDiff } from './changed-files.ts';
import type { Call } from './route.ts';
import type { StoredPull } from './store.ts';

/**
 * The diff that comments on a commit are checked against: the pull request's as it was when that commit was its head.
 * Null for a commit that never was. An empty name is the newest head.
 */
export async function filesAt(
  call: Call,
  { pull, commit }: { readonly pull: StoredPull; readonly commit: string },
): Promise<readonly DiffFile[] | null> {
  if (commit === '' || commit === pull.headSha) return pull.diff.files;
  if (!pull.earlierHeads.includes(commit)) return null;
  const base = pull.given.base.sha;
  return (await readPullDiff(call.store.world.gitDirectory, { base, head: commit })).files;
}
