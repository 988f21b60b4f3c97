import { whyOf } from './headline.ts';
import type { Coverage, Review } from './review.ts';

type Judged = Pick<Review, 'stop' | 'coverage' | 'bundles' | 'pullRequest'>;

/** True when the whole change was read and reviewed, or there was nothing in it to review. */
export function isComplete(review: Judged): boolean {
  return whyNotComplete(review) === null;
}

/**
 * What was not read or not reviewed, in plain sentences; null when everything was. What the workflow left out on purpose (`exclude`, lock files)
 * is no gap. A pull request that was not looked at is one, whatever the reason: a draft, its author, too many reviews.
 */
export function whyNotComplete({ stop, coverage, bundles, pullRequest }: Judged): string | null {
  // Events without a pull request (a push, a merge group) have nothing to review.
  const nothing = stop.reason === 'skipped' && (stop.nothing === true || pullRequest === null);
  if (stop.reason !== 'completed' && !nothing) return whyOf(stop);
  if (pullRequest !== null && !pullRequest.discussionRead) {
    return 'Could not read the existing comments, so earlier findings are unknown.';
  }
  if (!isCovered(coverage)) return [...coverage.missing, ...unreviewed(coverage)].join(' ');
  const cut = bundles.find(({ reviewed, gap }) => !reviewed || gap !== null);
  return cut === undefined ? null : (cut.gap ?? `The batch ${cut.name} was not reviewed.`);
}

/** True when no file of the change was left unread or unreviewed. */
export function isCovered({ missing, unreviewed, unread }: Coverage): boolean {
  return missing.length + unreviewed.length + unread.length === 0;
}

function unreviewed({ unreviewed: left, unread }: Coverage): readonly string[] {
  const files = [...left, ...unread];
  const [first] = files;
  if (first === undefined) return [];
  const more = files.length === 1 ? '' : ` and ${files.length - 1} more`;
  return [`Not reviewed: ${first.path} (${first.reason})${more}.`];
}
