import { sentenceForScope } from '../memory/scope-sentence.ts';
import type { Review } from '../review/review.ts';

/** What was looked at, one sentence; empty where nothing is remembered. */
export function scopeText({ scope, pullRequest }: Review): string {
  return scope === null || pullRequest === null ? '' : sentenceForScope(scope, pullRequest.head.sha);
}
