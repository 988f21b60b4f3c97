import type { Memory } from '../memory/memory.ts';
import type { PullRequest } from '../pull-request/pull-request.ts';
import type { Settings } from '../settings/settings.ts';

/** Why a pull request is not reviewed at all; null when it is. Those that coding agents opened are reviewed like any other. */
export function reasonToSkip(pullRequest: PullRequest, settings: Settings): string | null {
  if (pullRequest.state !== 'open') return `The pull request is ${pullRequest.state}.`;
  if (pullRequest.draft && !settings.reviewDrafts) {
    return 'The pull request is a draft. It is reviewed when it is ready, or with `review-drafts: true`.';
  }
  const author = pullRequest.author.toLowerCase();
  if (settings.skipAuthors.some((name) => name.toLowerCase() === author)) {
    return `Pull requests of ${pullRequest.author} are not reviewed (\`skip-authors\`).`;
  }
  return null;
}

/** Runs of one reviewer over one pull request: agents that push in a circle end, and with them what they cost (DESIGN section 2). */
const reviewsAtMost = 50;

/** Why a pull request that was reviewed so often is not reviewed again; null when it is. */
export function reasonToRest({ reviews }: Memory): string | null {
  if (reviews < reviewsAtMost) return null;
  return `The pull request has had ${reviews} reviews, and ${reviewsAtMost} are the most that it gets. Open another for what is left to do, run \`postil review\` on a laptop, or set another \`name\`: each name is counted by itself.`;
}

/** What a diff without anything to review consists of (FAILURES D7). */
export function nothingToReview(
  changed: number,
  { skipped }: { readonly skipped: readonly { readonly reason: string }[] },
): string {
  if (changed === 0) return 'The pull request changes no files.';
  const reasons = [...new Set(skipped.map((file) => file.reason))];
  const shown = reasons.slice(0, 4).join('; ');
  const noun = changed === 1 ? 'The one changed file was' : `All ${changed} changed files were`;
  return `Nothing to review. ${noun} left out: ${shown}${reasons.length > 4 ? '; …' : ''}.`;
}
