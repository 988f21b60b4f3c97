import { markOf } from '../memory/finding-mark.ts';
import { noKeys } from '../memory/mark-keys.ts';
import { writeMark } from '../memory/mark-text.ts';
import type { Review } from '../review/review.ts';
import type { Marks } from './comment.ts';
import type { RenderContext } from './render-context.ts';

/** The marks that comments of this review end with. */
export function findingMarks({ identity, pullRequest }: Review, { redact, keys = noKeys }: RenderContext): Marks {
  if (identity === null || pullRequest === null) return () => '';
  const at = { identity, commit: pullRequest.head.sha, mergeBase: pullRequest.mergeBase, redact };
  return (finding, words) => {
    const place = words === null ? ({ in: 'review' } as const) : ({ in: 'thread', words } as const);
    return `\n\n${writeMark(markOf(finding, at), (content) => keys.sign(content, place))}`;
  };
}

/** The mark that the body of this review ends with. */
export function reviewMark({ identity, pullRequest, event }: Review, { keys = noKeys }: RenderContext): string {
  if (identity === null || pullRequest === null) return '';
  const { name, run, settings } = identity;
  const mark = { kind: 'review', name, run, commit: pullRequest.head.sha, settings, event } as const;
  return `\n\n${writeMark(mark, (content) => keys.sign(content, { in: 'review' }))}`;
}
