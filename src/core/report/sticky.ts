import { type StickyMark, withoutNotice, writeMark } from '../history/mark.ts';
import { stickyMarkIn } from '../history/prior-marks.ts';
import { noKeys } from '../history/signed-marks.ts';
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

/**
 * Whether the summary comment that is there already holds all that this run has to say: the same commit, the same findings, and none of it looked at
 * again. Then the earlier run's words and costs stay.
 */
export function isToldAlready(record: ReviewRecord, present: string, context: Pick<SurfaceContext, 'redact'>): boolean {
  const mark = stickyMarkOf(record, context);
  const before = mark === null ? null : stickyMarkIn(present, mark.name);
  if (mark === null || before === null || withoutNotice(present) !== present) return false;
  return record.review.coverage.reviewed.length === 0 && told(mark) === told(before);
}

function told({ head, unreviewed, others, open = [], ended = [] }: StickyMark): string {
  const findings = [others, open, ended].map((marks) => marks.map(({ path, title, life }) => [path, title, life]));
  return JSON.stringify([head, unreviewed, ...findings]);
}
