import type { ChangedFile } from '../pull-request/changed-file.ts';
import { commentableLines } from '../pull-request/commentable-lines.ts';
import type { Anchor, Finding } from './finding.ts';
import type { LineRange } from './line-range.ts';
import type { Placement } from './placement.ts';

type LinesAnchor = Extract<Anchor, { kind: 'lines' }>;

/** Decides where GitHub will take each finding, in the same order (FAILURES P1). Nothing moves to a line it is not about. */
export function placeFindings(
  findings: readonly Finding[],
  context: { readonly files: readonly ChangedFile[] },
): readonly Placement[] {
  const files = new Map(context.files.map((file) => [file.path, file]));
  return findings.map((finding) => placeFinding(finding, files.get(finding.path)));
}

function placeFinding(finding: Finding, file: ChangedFile | undefined): Placement {
  if (file === undefined) return { finding, place: 'body', reason: 'not in the diff' };
  const { anchor } = finding;
  if (anchor.kind === 'file') return { finding, place: 'file' };

  const range = largestCommentable(anchor, file);
  if (range !== null) return { finding: narrow(finding, anchor, range), place: 'inline' };
  const reason = file.incomplete === null ? 'line not in the diff' : 'the diff of this file is incomplete';
  return { finding, place: 'body', reason };
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
