import type { PullRequest } from '../../core/pull-request/pull-request.ts';
import type { Demoted } from './file-comments.ts';
import type { Refusal } from './refusal.ts';

const namedAtMost = 5;

/** The comments that GitHub did not take where they belong, in one sentence. */
export function describeRefused(refused: readonly Demoted[]): readonly string[] {
  if (refused.length === 0) return [];
  const named = refused.slice(0, namedAtMost).map(({ path, line, reason, onFile }) => {
    const place = line === null ? path : `${path}:${line}`;
    return `${place} (${reason}${onFile ? '; it is a comment on the file now' : ''})`;
  });
  const more = refused.length > namedAtMost ? `, and ${refused.length - namedAtMost} more` : '';
  return [
    `GitHub did not accept ${refused.length === 1 ? 'a comment' : `${refused.length} comments`}: ${named.join(', ')}${more}.`,
  ];
}

/** Why writing ended early, and what to do about it (FAILURES P3, P5, P7). */
export function describeStop({ kind, reason }: Refusal, pullRequest: PullRequest | null): string {
  switch (kind) {
    case 'permission':
      return `GitHub does not permit writing: ${reason}. ${permissionHint(pullRequest)}`;
    case 'pending':
      return `An unfinished review of yours is in the way: ${reason}. Submit or discard it, then run again.`;
    case 'cancelled':
      return 'The run was cancelled: nothing more was posted.';
    case 'time':
      return `Nothing more was posted: ${reason} (\`timeout-minutes\`).`;
    case 'uncertain':
      return `GitHub gave no clear answer (${reason}), so nothing was sent again: look at the pull request before a new run.`;
    case 'anchor':
    case 'event':
    case 'other':
      return `GitHub did not accept the review: ${reason}.`;
  }
}

function permissionHint(pullRequest: PullRequest | null): string {
  if (pullRequest?.author === 'dependabot[bot]') {
    return 'Runs that Dependabot triggers get a read-only token. The findings are in the annotations and the job summary.';
  }
  if (pullRequest?.fromFork === true) {
    return 'Runs for pull requests from forks get a read-only token; grant `pull-requests: write` in a `pull_request_target` workflow.';
  }
  return 'Grant `pull-requests: write`.';
}
