import type { Passage } from './text-index.ts';

/** Characters of a passage, and how many of them it shares with the next. */
const longest = 1_000;
const overlap = 200;

/**
 * A document in passages of at most 1,000 characters, which hold all of it. Neighbours share 100 to 200, unless a heading begins the
 * next. They are cut between lines where they can be, else between words.
 */
export function passagesOf(path: string, lines: readonly string[]): readonly Passage[] {
  const text = lines.join('\n');
  const lineStarts = startsOf(lines);
  const headings = lineStarts.filter((_start, line) => /^#{1,6} /.test(lines[line] ?? ''));
  const document: Document = { text, lineStarts, headings };
  const passages: Passage[] = [];
  let start = 0;
  while (start < text.length) {
    const end = endOf(document, start);
    const passage = text.slice(start, end).replace(/\n$/, '');
    if (passage.trim() !== '') {
      passages.push({ path, startLine: lineAt(document, start), endLine: lineAt(document, end - 1), text: passage });
    }
    if (end >= text.length) break;
    start = headings[firstAtLeast(headings, end)] === end ? end : overlapStart(document, end);
  }
  return passages;
}

/** Offsets are in characters of the whole text. */
type Document = {
  readonly text: string;
  readonly lineStarts: readonly number[];
  readonly headings: readonly number[];
};

function startsOf(lines: readonly string[]): readonly number[] {
  let next = 0;
  return lines.map((line) => {
    const start = next;
    next += line.length + 1;
    return start;
  });
}

/** A heading begins the next passage, when this one has some length. */
function endOf({ text, lineStarts, headings }: Document, start: number): number {
  // A last line end is not part of the passage.
  const limit = start + longest + 1;
  const least = start + longest / 4;
  const isBetween = (offset: number) => least < offset && offset <= limit;
  const heading = headings[firstAtLeast(headings, least + 1)];
  if (heading !== undefined && isBetween(heading)) return heading;
  if (text.length < limit) return text.length;
  const line = lineStarts[firstAtLeast(lineStarts, limit + 1) - 1];
  return line !== undefined && isBetween(line) ? line : wholeCharacter(text, wordBefore(text, limit - 1));
}

function overlapStart({ text, lineStarts }: Document, end: number): number {
  const first = end - overlap;
  const line = lineStarts[firstAtLeast(lineStarts, first)];
  if (line !== undefined && line <= end - overlap / 2) return line;
  const space = text.slice(first, end - overlap / 2).search(/\s/);
  return space === -1 ? wholeCharacter(text, first) : first + space + 1;
}

/** Behind the last space of the last 100 characters before an offset; the offset itself where there is none. */
function wordBefore(text: string, offset: number): number {
  const near = text.slice(offset - overlap / 2, offset);
  const space = Math.max(near.lastIndexOf(' '), near.lastIndexOf('\t'));
  return space === -1 ? offset : offset - near.length + space + 1;
}

/** Not between the two halves of a character. */
function wholeCharacter(text: string, offset: number): number {
  return /[\uDC00-\uDFFF]/.test(text.charAt(offset)) ? offset - 1 : offset;
}

/** 1-based. */
function lineAt({ lineStarts }: Document, offset: number): number {
  return firstAtLeast(lineStarts, offset + 1);
}

/** The index of the first number that is at least so much; the length when there is none. Sorted numbers, by halves: documents have many lines. */
function firstAtLeast(numbers: readonly number[], least: number): number {
  let [low, high] = [0, numbers.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((numbers[middle] ?? 0) < least) low = middle + 1;
    else high = middle;
  }
  return low;
}
