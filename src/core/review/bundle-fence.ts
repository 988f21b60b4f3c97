import { createFence, type Fence } from '../bundles/fence.ts';
import type { ChangedFile } from '../pull-request/changed-file.ts';
import type { PullRequest } from '../pull-request/pull-request.ts';

type Fenced = { readonly pullRequest: PullRequest; readonly files: readonly ChangedFile[] };

/** The mark must not occur in anything that is fenced. */
export function fenceFor({ pullRequest, files }: Fenced): Fence {
  const texts = JSON.stringify([
    pullRequest.title,
    pullRequest.body,
    pullRequest.commits,
    pullRequest.linked,
    pullRequest.conversation,
    pullRequest.threads,
    pullRequest.reviews,
  ]);
  return createFence(
    pullRequest.head.sha,
    (mark) =>
      texts.includes(mark) ||
      files.some(
        (file) =>
          file.path.includes(mark) ||
          file.oldPath.includes(mark) ||
          file.hunks.some((hunk) => hunk.lines.some((line) => line.includes(mark))),
      ),
  );
}
