import { markOf } from '../memory/finding-mark.ts';
import { writeMark } from '../memory/mark-text.ts';
import type { Review } from '../review/review.ts';
import type { Marks } from './comment.ts';
import type { RenderContext } from './render-context.ts';

/** The marks that comments of this review end with. */
export function findingMarks({ identity, pullRequest }: Review, { redact }: RenderContext): Marks {
  if (identity === null || pullRequest === null) return () => '';
  const at = { identity, commit: pullRequest.head.sha, mergeBase: pullRequest.mergeBase, redact };
  return (finding) => `\n\n${writeMark(markOf(finding, at))}`;
}

/** The mark that the body of this review ends with. */
export function reviewMark({ identity, pullRequest }: Review): string {
  if (identity === null || pullRequest === null) return '';
  const { name, run, settings } = identity;
  return `\n\n${writeMark({ kind: 'review', name, run, commit: pullRequest.head.sha, settings })}`;
}
