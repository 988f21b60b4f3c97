import type { Placement } from '../findings/finding.ts';
import type { Review } from '../review/review.ts';
import type { Severity } from '../settings/setting.ts';
import { bytes, characters, cutText, type Limit, showInvisible, visibleLine } from './text.ts';
import { linesOf, severityLabels } from './wording.ts';

export type AnnotationLevel = 'error' | 'warning' | 'notice';

/** A check annotation as a workflow command takes it: plain text, no columns, the end never before the start. */
export type Annotation = {
  readonly findingId: string;
  readonly level: AnnotationLevel;
  readonly title: string;
  readonly message: string;
  readonly path: string;
  /** 1-based lines of the file at head; null for a matter of the whole file, or of lines that are gone. */
  readonly lines: { readonly start: number; readonly end: number } | null;
};

type Annotations = {
  readonly annotations: readonly Annotation[];
  readonly leftOut: readonly { readonly findingId: string; readonly reason: string }[];
};

/** The runner keeps so many of each level for a step and drops the others without a word. */
const perLevel = 10;
/** The runner cuts a message here. */
const runnerMessage = { max: 4_096, measure: characters };
/** What the checks API takes as a title. */
const titleLimit = { max: 255, measure: characters };

/** The findings that are meant to be posted, most important first, as annotations; the rest is reported in the summary. */
export function renderAnnotations(review: Review, redact: (text: string) => string = (text) => text): Annotations {
  const annotations: Annotation[] = [];
  const leftOut: { findingId: string; reason: string }[] = [];
  for (const placement of review.placements) {
    const { finding, place } = placement;
    if (place === 'summary' || place === 'suppressed') continue;
    const level = levels[finding.severity];
    const full = annotations.filter((annotation) => annotation.level === level).length >= perLevel;
    if (full)
      leftOut.push({ findingId: finding.id, reason: `a step shows at most ${perLevel} annotations of level ${level}` });
    else annotations.push(annotationOf(placement, { redact, message: runnerMessage }));
  }
  return { annotations, leftOut };
}

const levels: Readonly<Record<Severity, AnnotationLevel>> = {
  critical: 'error',
  warning: 'warning',
  info: 'notice',
  nitpick: 'notice',
};

type TextLimit = Pick<Limit, 'max' | 'measure'>;

/** One finding as an annotation. A standing one is annotated too, because annotations belong to a commit. */
function annotationOf(
  placement: Placement,
  { redact, message }: { redact: (text: string) => string; message: TextLimit },
): Annotation {
  const { finding } = placement;
  const { anchor } = finding;
  const onNewSide = anchor.kind === 'lines' && anchor.side === 'RIGHT';
  return {
    findingId: finding.id,
    level: levels[finding.severity],
    title: shortened(visibleLine(redact(`${severityLabels[finding.severity]}: ${finding.title}`)), titleLimit),
    message: shortened(showInvisible(redact(messageOf(placement))), message),
    path: finding.path,
    lines: onNewSide ? { start: anchor.startLine, end: Math.max(anchor.startLine, anchor.endLine) } : null,
  };
}

function messageOf(placement: Placement): string {
  const { finding } = placement;
  const removed = finding.anchor.kind === 'lines' && finding.anchor.side === 'LEFT';
  const place = removed ? `About removed lines, ${linesOf(finding.anchor)} before the change.` : '';
  const suggestion = finding.suggestion === null ? '' : `Suggested change:\n${finding.suggestion}`;
  const rule = finding.ruleId === null ? '' : `Rule: ${finding.ruleId}`;
  const earlier = placement.place === 'standing' && placement.url !== null ? `Raised before: ${placement.url}` : '';
  return [place, finding.review.trim(), suggestion, rule, earlier].filter((part) => part !== '').join('\n\n');
}

/** The text, or as much of its start as fits with an ellipsis behind it. */
function shortened(text: string, { max, measure }: TextLimit): string {
  if (measure(text) <= max) return text;
  return `${cutText(text, { max: max - measure('…'), measure }).trimEnd()}…`;
}

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
