import { type QuoteReading, removeColumns, removeFence, shownGutter, withoutBlankEnds } from './quote.ts';

/** The lines that a suggestion replaces, as the file has them, and the quote as the model wrote it. */
export type Replaced = { readonly file: readonly string[]; readonly reading: QuoteReading };

/**
 * The replacement as it can be applied to the file: no fence, no diff, no line numbers, the file's indentation. Null when it changes
 * nothing or cannot be made sure of: a wrong suggestion costs more than none.
 */
export function cleanSuggestion(suggestion: string, replaced: Replaced): string | null {
  const literal = suggestion.split(/\r?\n/);
  const unfenced = withoutBlankEnds(withoutFence(literal, replaced.file));
  const plain = withoutColumns(unfenced, replaced);
  const lines = plain === null ? null : withFileIndentation(plain, replaced);
  if (lines === null || lines.length === 0 || sameLines(lines, replaced.file)) return null;
  // What shown() put in place of the source must never be written back.
  const text = lines.join('\n');
  return /\[redacted: |\\u\{[0-9A-F]+\}/.test(text) ? null : text;
}

/** A fence around the whole goes. Where the file's own lines are fences, only one that is longer than all inside is around the whole. */
function withoutFence(lines: readonly string[], file: readonly string[]): readonly string[] {
  const inner = removeFence(lines) ?? lines;
  if (!file.some((line) => fenceOf(line) !== '')) return inner;
  const mark = fenceOf(lines.find((line) => line.trim() !== '') ?? '');
  const marksInside = inner.map(fenceOf).filter((inside) => inside !== '');
  return marksInside.length > 0 && marksInside.every((inside) => inside.length < mark.length) ? inner : lines;
}

function fenceOf(line: string): string {
  return /^\s*(`{3,}|~{3,})/.exec(line)?.[1] ?? '';
}

function withoutColumns(lines: readonly string[], { file, reading }: Replaced): readonly string[] | null {
  const unnumbered = withoutGutter(lines, { file, reading });
  if (unnumbered === null) return null;
  // Where the file's own lines start with a sign, a sign is no diff marker.
  return file.some(startsWithSign) ? unnumbered : withoutSigns(unnumbered, file);
}

/** The gutter that the quote had goes, and the one that source is shown with, unless the file's own lines look like it. */
function withoutGutter(lines: readonly string[], { file, reading }: Replaced): readonly string[] | null {
  const gutter = reading.columns.gutter ?? shownGutter;
  const hasGutter = (line: string) => line.trim() !== '' && gutter.test(line);
  if (file.some(hasGutter) || !lines.some(hasGutter)) return lines;
  return removeColumns(lines, { gutter, signs: false, side: 'RIGHT' })?.lines ?? null;
}

function withoutSigns(lines: readonly string[], file: readonly string[]): readonly string[] | null {
  if (!lines.some(startsWithSign)) return lines;
  const filled = lines.filter((line) => line.trim() !== '');
  if (filled.every((line) => line.startsWith('+'))) return lines.map((line) => line.slice(1));

  const isDiff = filled.every((line) => /^[+\- ]/.test(line));
  const before = lines.filter((line) => !line.startsWith('+')).map((line) => line.slice(1));
  if (isDiff && sameLines(before.map(trimmed), file.map(trimmed))) {
    return lines.filter((line) => !line.startsWith('-')).map((line) => line.slice(1));
  }
  // A list in Markdown or YAML starts its lines with `- `: only a `+` makes it an unreadable diff.
  return filled.some((line) => line.startsWith('+')) ? null : lines;
}

/**
 * Models drop the indentation of a quote, of all its lines or of the first alone, and of the suggestion with it. The same is
 * added back; where it is not clear what was dropped, there is no suggestion.
 */
function withFileIndentation(lines: readonly string[], { file, reading }: Replaced): readonly string[] | null {
  const quote = reading.lines;
  const firstAlike = indentation(quote[0]) === indentation(file[0]);
  const restAlike = quote.every((line, index) => index === 0 || sameIndentation(line, file[index]));
  if (firstAlike) return restAlike ? lines : null;
  if (indentation(lines[0]) === indentation(file[0])) return lines;
  if (indentation(lines[0]) !== indentation(quote[0]) || !indentation(file[0]).endsWith(indentation(quote[0])))
    return null;

  const dropped = indentation(file[0]).slice(0, indentation(file[0]).length - indentation(quote[0]).length);
  const firstOnly = quote.length > 1 ? restAlike : lines.slice(1).every((line) => isDeeper(line, file[0]));
  if (firstOnly) return lines.map((line, index) => (index === 0 ? dropped + line : line));
  const allDropped = quote.every((line, index) => sameIndentation(dropped + line, file[index]));
  return allDropped ? lines.map((line) => (line.trim() === '' ? line : dropped + line)) : null;
}

function startsWithSign(line: string): boolean {
  return /^[+-]/.test(line);
}

function indentation(line: string | undefined): string {
  return /^[ \t]*/.exec(line ?? '')?.[0] ?? '';
}

function sameIndentation(line: string, other: string | undefined): boolean {
  return line.trim() === '' || indentation(line) === indentation(other);
}

function isDeeper(line: string, other: string | undefined): boolean {
  return line.trim() === '' || line.startsWith(indentation(other));
}

function trimmed(line: string): string {
  return line.trim();
}

function sameLines(lines: readonly string[], others: readonly string[]): boolean {
  return lines.length === others.length && lines.every((line, index) => line.trimEnd() === others[index]?.trimEnd());
}
