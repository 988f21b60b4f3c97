import type { FullReason } from '../memory/memory.ts';
import type { Review } from '../review/review.ts';
import { codeSpan } from './markdown.ts';

/** What was looked at, one sentence of Markdown; empty where nothing is remembered. */
export function scopeText({ scope, pullRequest }: Review): string {
  if (scope === null || pullRequest === null) return '';
  if (scope.kind === 'full') return fullReviews[scope.why];
  const since = codeSpan(scope.since.slice(0, 12));
  if (scope.since === pullRequest.head.sha)
    return `This commit (${since}) was reviewed before; what stood then still counts.`;
  return `Reviewed what changed since ${since}; earlier findings whose lines are still there count.`;
}

const fullReviews: Readonly<Record<FullReason, string>> = {
  'first review': '',
  'incremental is off': 'Full review: `incremental` is off.',
  'history was rewritten': 'Full review: the history was rewritten since the last one.',
  'the base changed': 'Full review: the base changed since the last one.',
  'the settings changed': 'Full review: the settings changed since the last one.',
  'the earlier commit cannot be read': 'Full review: the commit of the last one cannot be read any more.',
};
