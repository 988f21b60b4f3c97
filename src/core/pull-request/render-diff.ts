import { cutLine } from '../repository/cut-line.ts';
import { shown } from '../repository/shown.ts';
import { type Hunk, type HunkLine, hunkLines } from './changed-file.ts';

/**
 * A hunk for a reader who has to name lines: old number, new number, sign, text, such as `  12   14 +text`. Both columns are
 * as wide as the largest number, so the sign stands in one column. The text is rendered as `shown()` does, and longer lines are cut.
 */
export function renderHunk(hunk: Hunk, maxCharacters = maxLineCharacters): string {
  const lines = [...hunkLines(hunk)];
  const texts = shown([hunk.heading, ...lines.map((line) => line.text)]).map((line) =>
    cutLine(line.text, maxCharacters),
  );
  const heading = `@@ ${texts[0] ?? ''}`.trimEnd();
  const width = String(Math.max(hunk.oldStart + hunk.oldLines, hunk.newStart + hunk.newLines)).length;
  const rows = lines.map((line, index) => `${gutter(line, width)}${texts[index + 1] ?? ''}`);
  return [heading, ...withFileEnds(hunk, rows), ...lineEndingChange(lines)].join('\n');
}

/** Of one line of which no window is known: data on a single line must not take the budget of all other files. The line says that it was cut. */
export const maxLineCharacters = 2_000;

const signs = { context: ' ', added: '+', removed: '-' } as const;

function gutter(line: HunkLine, width: number): string {
  const numbers = [line.oldLine, line.newLine].map((number) => String(number ?? '').padStart(width));
  return `${numbers.join(' ')} ${signs[line.kind]}`;
}

/** The rows with git's notes about missing newlines where they stood. */
function withFileEnds(hunk: Hunk, rows: readonly string[]): readonly string[] {
  let row = 0;
  return hunk.lines.map((line) => (line.startsWith('\\') ? line : (rows[row++] ?? '')));
}

/** Lines that differ only in their ends look alike, so it is said. */
function lineEndingChange(lines: readonly HunkLine[]): readonly string[] {
  const from = lineEnding('removed', lines);
  const to = lineEnding('added', lines);
  return from === null || to === null || from === to ? [] : [`\\ Line endings change: ${from} → ${to}`];
}

function lineEnding(kind: HunkLine['kind'], lines: readonly HunkLine[]): 'CRLF' | 'LF' | null {
  const some = lines.find((line) => line.kind === kind);
  if (some === undefined) return null;
  return some.text.endsWith('\r') ? 'CRLF' : 'LF';
}
