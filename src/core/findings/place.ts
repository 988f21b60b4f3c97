import type { Message } from '../messages/message.ts';
import { type ChangedFile, commentableLines } from '../pull-request/changed-file.ts';
import { atLeast, type Severity, severities } from '../settings/setting.ts';
import { type Anchor, type Finding, type LinesAnchor, limits, type PlacedFinding, placed } from './finding.ts';
import type { LineRange } from './words.ts';

/** Decides where GitHub will take each finding, in the same order. Nothing moves to a line it is not about. */
export function placeFindings(
  findings: readonly Finding[],
  context: { files: readonly ChangedFile[] },
): readonly PlacedFinding[] {
  const files = new Map(context.files.map((file) => [file.path, file]));
  return findings.map((finding) => placeFinding(finding, files.get(finding.path)));
}

function placeFinding(finding: Finding, file: ChangedFile | undefined): PlacedFinding {
  if (file === undefined) {
    const { unplaced } = finding;
    return unplaced === undefined
      ? placed(finding, 'body', { reason: { code: 'place.not-in-diff' } })
      : placed(finding, 'summary', { reason: unplaced.reason });
  }
  const { anchor } = finding;
  if (anchor.kind === 'file') return placed(finding, 'file');

  const range = largestCommentable(anchor, file);
  if (range !== null) return placed(narrow(finding, anchor, range), 'inline');
  const reason: Message =
    file.incomplete === null ? { code: 'place.not-in-diff-line' } : { code: 'place.incomplete-file' };
  return placed(finding, 'body', { reason });
}

/** The part of a place that one hunk shows: all of it, or of several parts the largest, the first where they are equal. */
function largestCommentable(anchor: LinesAnchor, file: ChangedFile): LineRange | null {
  const { hunkOf } = commentableLines(file);
  const parts = new Map<number, LineRange>();
  for (let line = anchor.startLine; line <= anchor.endLine; line++) {
    const hunk = hunkOf(anchor.side, line);
    if (hunk !== null) parts.set(hunk, { start: parts.get(hunk)?.start ?? line, end: line });
  }
  return [...parts.values()].reduce<LineRange | null>(
    (largest, part) => (largest !== null && length(largest) >= length(part) ? largest : part),
    null,
  );
}

function length({ start, end }: LineRange): number {
  return end - start + 1;
}

/** The finding on fewer of its lines. */
function narrow(finding: Finding, anchor: LinesAnchor, { start, end }: LineRange): Finding {
  if (start === anchor.startLine && end === anchor.endLine) return finding;
  const lines = anchor.quote.split('\n').slice(start - anchor.startLine, end - anchor.startLine + 1);
  const narrowed = { ...anchor, startLine: start, endLine: end, quote: lines.join('\n') };
  return { ...finding, anchor: narrowed, narrowed: true };
}

/** Most important first: by severity, confidence, path, line. Findings that are equal in all of these keep their order. */
export function rankFindings<T extends Finding>(findings: readonly T[]): readonly T[] {
  return findings.toSorted(
    (one, other) =>
      severities.indexOf(one.severity) - severities.indexOf(other.severity) ||
      other.confidence - one.confidence ||
      compare(one.path, other.path) ||
      firstLine(one) - firstLine(other),
  );
}

/** How much is said to people directly; `maxComments` counts inline, file-level and body. */
export type CommentLimits = {
  readonly minSeverity: Severity;
  readonly minConfidence: number;
  readonly maxComments: number;
};

/** Moves what the limits leave out to the summary, with the reason. They come in rank order; none is lost. */
export function limitFindings(findings: readonly PlacedFinding[], limits: CommentLimits): readonly PlacedFinding[] {
  let comments = 0;
  return findings.map((finding) => {
    if (finding.place === 'summary' || finding.place === 'suppressed') return finding;
    const below = belowLimit(finding, limits);
    if (below !== null) return placed(finding, 'summary', { reason: below, belowThreshold: true });
    const reason = beyondMaximum(++comments, limits);
    return reason === null ? finding : placed(finding, 'summary', { reason });
  });
}

/** Why a finding is not said to people directly; null when it is. */
export function belowLimit(
  { severity, confidence }: Finding,
  limits: Omit<CommentLimits, 'maxComments'>,
): Message | null {
  const { minSeverity, minConfidence } = limits;
  if (!atLeast(severity, minSeverity)) return { code: 'withheld.min-severity', level: minSeverity };
  if (confidence >= minConfidence) return null;
  return { code: 'withheld.min-confidence', level: String(minConfidence) };
}

function beyondMaximum(comments: number, { maxComments }: CommentLimits): Message | null {
  return comments > maxComments ? { code: 'withheld.max-comments', max: maxComments } : null;
}

/** By code unit, so that the order is the same in every locale. */
function compare(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}

/** A matter of the whole file comes before its lines. */
function firstLine({ anchor }: Finding): number {
  return anchor.kind === 'file' ? 0 : anchor.startLine;
}

type Placed = { readonly path: string; readonly anchor: Anchor };

/**
 * What may be at the same place as something else, in the order that it was given: to compare thousands of findings with each other would take
 * the square of their number. At most `limits.samePlace` at one line, and of a file as a whole.
 */
export function placesIndex<T>(
  items: readonly T[],
  placeOf: (item: T) => Placed | null,
): (place: Placed) => readonly T[] {
  const byLine = new Map<string, number[]>();
  for (const [index, item] of items.entries()) {
    const place = placeOf(item);
    for (const key of place === null ? [] : keysOf(place)) {
      const known = byLine.get(key) ?? [];
      byLine.set(key, known);
      if (known.length < limits.samePlace) known.push(index);
    }
  }
  return (place) => {
    const found = new Set<number>();
    for (const key of keysOf(place)) for (const index of byLine.get(key) ?? []) found.add(index);
    const inOrder = [...found].sort((one, other) => one - other);
    return inOrder.flatMap((index) => items.slice(index, index + 1));
  };
}

/** Lines that differ in less than this share a key, so that a place of many lines has few. */
const linesAKey = 32;

function* keysOf({ path, anchor }: Placed): Generator<string> {
  if (anchor.kind === 'file') {
    yield path;
    return;
  }
  const first = Math.floor(anchor.startLine / linesAKey);
  const last = Math.min(Math.floor(anchor.endLine / linesAKey), first + limits.placeLines / linesAKey);
  for (let block = first; block <= last; block += 1) yield `${anchor.side} ${block} ${path}`;
}
