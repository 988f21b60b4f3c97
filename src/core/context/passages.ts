import type { Passage } from './text-index.ts';

/** Characters of a passage, and how many of them it shares with the next. */
const longest = 1_000;
const overlap = 200;

/** A document in passages of at most 1,000 characters, cut between lines where it can be; neighbours share about 200. */
export function passagesOf(path: string, lines: readonly string[]): readonly Passage[] {
  const passages: Passage[] = [];
  let start = 0;
  while (start < lines.length) {
    const end = endOf(lines, start);
    const text = lines.slice(start, end).join('\n').slice(0, longest);
    if (text.trim() !== '') passages.push({ path, startLine: start + 1, endLine: end, text });
    if (end >= lines.length) break;
    start = Math.max(start + 1, overlapStart(lines, end));
  }
  return passages;
}

/** The line after the passage: a heading begins the next one, when this one has some length. */
function endOf(lines: readonly string[], start: number): number {
  let length = 0;
  for (let index = start; index < lines.length; index += 1) {
    const line = lines[index] ?? '';
    const isFull = length + line.length + 1 > longest;
    const isHeading = /^#{1,6} /.test(line) && length > longest / 4;
    if (index > start && (isFull || isHeading)) return index;
    length += line.length + 1;
  }
  return lines.length;
}

function overlapStart(lines: readonly string[], end: number): number {
  if (/^#{1,6} /.test(lines[end] ?? '')) return end;
  let length = 0;
  let start = end;
  while (start > 0 && length + (lines[start - 1] ?? '').length < overlap) {
    start -= 1;
    length += (lines[start] ?? '').length + 1;
  }
  return start;
}
