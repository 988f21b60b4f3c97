import type { Review } from '../review/review.ts';
import { annotationOf } from './annotations.ts';

/** An annotation as the checks API takes it: always on a line, and all of them. */
export type CheckAnnotation = {
  readonly findingId: string;
  readonly level: 'failure' | 'warning' | 'notice';
  readonly title: string;
  readonly message: string;
  readonly path: string;
  readonly startLine: number;
  readonly endLine: number;
};

/** The findings that are meant for people, most important first: a check has no limit a level, it takes them in pages. */
export function renderCheckAnnotations(
  review: Review,
  redact: (text: string) => string = (text) => text,
): readonly CheckAnnotation[] {
  const told = review.placements.filter(({ place }) => place !== 'summary' && place !== 'suppressed');
  return told.map((placement) => {
    const { findingId, level, title, message, path, lines } = annotationOf(placement, redact);
    const { start, end } = lines ?? { start: 1, end: 1 };
    return {
      findingId,
      level: level === 'error' ? 'failure' : level,
      title,
      message,
      path,
      startLine: start,
      endLine: end,
    };
  });
}
