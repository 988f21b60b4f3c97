import { writeMark } from '../memory/mark.ts';
import { noKeys } from '../memory/signed-marks.ts';
import type { ReviewRecord } from '../review/sink.ts';
import { noticeCharacters } from './not-reviewed.ts';
import { printSurface } from './print-markdown.ts';
import type { SurfaceContext } from './sections/surfaces.ts';
import { stickyMarkOf } from './sticky-mark.ts';

type StickyContext = SurfaceContext & {
  /** The number of the comment; null while it has none yet. */
  readonly comment: number | null;
};

/**
 * The one summary comment of a pull request, updated by every run; null when this run looked at nothing. Its mark is signed for one `comment`, so a copy
 * of it in another one says nothing; null while it has no number yet.
 */
export function renderSticky(record: ReviewRecord, context: StickyContext): string | null {
  const { review } = record;
  const mark = stickyMarkOf(record, context);
  // Where there is no key for a model, the rules looked.
  const isSkipped = review.outcome === 'skipped' && !(review.stop.reason === 'no-key' && review.signs === true);
  const looked = !isSkipped && review.outcome !== 'failed' && review.stop.reason !== 'cancelled';
  if (mark === null || !looked) return null;
  const { keys = noKeys, comment } = context;
  const sign = (content: string) => (comment === null ? null : keys.sign(content, { in: 'summary', comment }));
  const marker = `\n\n${writeMark(mark, sign)}`;
  const reserved = marker.length + noticeCharacters;
  return `${printSurface('summary comment', record, { context, reserved })}${marker}`;
}
