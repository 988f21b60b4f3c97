import type { FullReason, ReviewedScope } from './memory.ts';

/** What is looked at, one plain sentence; empty for a first review, which needs no word. */
export function sentenceForScope(scope: ReviewedScope, head: string): string {
  if (scope.kind === 'full') return fullReviews[scope.why];
  const since = scope.since.slice(0, 12);
  if (scope.since === head) return `This commit (${since}) was reviewed before: what stood then still counts.`;
  return `Only what changed since ${since} is reviewed; earlier findings whose lines are still there count.`;
}

const fullReviews: Readonly<Record<FullReason, string>> = {
  'first review': '',
  'incremental is off': 'Full review: `incremental` is off.',
  'history was rewritten': 'Full review: the history was rewritten since the last one.',
  'the base changed': 'Full review: the base changed since the last one.',
  'the settings changed': 'Full review: the settings changed since the last one.',
  'the earlier commit cannot be read': 'Full review: the commit of the last one cannot be read any more.',
  'the earlier state is not signed': 'Full review: what the last one left is not signed with a key of this run.',
};
