import type { Placement } from '../findings/placement.ts';
import type { Review } from '../review/review.ts';
import { annotationOf, shortened } from './annotations.ts';
import { showInvisible } from './invisible.ts';
import { bytes } from './limits.ts';

/** An annotation as the checks API takes it: always on a line, and all of them. */
export type CheckAnnotation = {
  readonly findingId: string;
  readonly level: 'failure' | 'warning' | 'notice';
  readonly title: string;
  readonly message: string;
  /** The evidence, which GitHub shows on demand; null when there is none. */
  readonly details: string | null;
  readonly path: string;
  readonly startLine: number;
  readonly endLine: number;
};

/** The checks API takes 64 KB for a message and for its details: in bytes, and with the smaller kilo. */
const textLimit = { max: 64_000, measure: bytes };

/** The findings that are meant for people, most important first: a check has no limit a level, it takes them in pages. */
export function renderCheckAnnotations(
  review: Review,
  redact: (text: string) => string = (text) => text,
): readonly CheckAnnotation[] {
  const told = review.placements.filter(({ place }) => place !== 'summary' && place !== 'suppressed');
  return told.map((placement) => checkAnnotation(placement, redact));
}

function checkAnnotation(placement: Placement, redact: (text: string) => string): CheckAnnotation {
  const { level, lines, ...annotation } = annotationOf(placement, { redact, message: textLimit });
  const { start, end } = lines ?? { start: 1, end: 1 };
  const evidence = showInvisible(redact(placement.finding.evidence)).trim();
  return {
    ...annotation,
    level: level === 'error' ? 'failure' : level,
    details: evidence === '' ? null : shortened(evidence, textLimit),
    startLine: start,
    endLine: end,
  };
}
