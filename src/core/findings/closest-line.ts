import { distance } from 'fastest-levenshtein';
import type { QuoteReading } from './read-quote.ts';

// A reason is a hint for the model: it must not cost more than the search it follows.
const maxComparedLines = 20_000;
const maxComparedCharacters = 200;
const shownCharacters = 120;

/** The line that a quote probably means, in words; null when nothing is near. */
export function describeClosest(readings: readonly QuoteReading[], text: readonly string[]): string | null {
  const aligned = readings.map((reading) => align(reading.lines, text)).reduce(better, null);
  if (aligned !== null) return describeDifference(aligned, text);

  const similar = readings.map((reading) => mostSimilar(longest(reading.lines), text)).reduce(nearer, null);
  return similar === null ? null : `the closest is line ${similar.line}: ${inBackticks(text[similar.line - 1] ?? '')}`;
}

/** At most 120 characters of a line, for a sentence. */
export function inBackticks(line: string): string {
  const trimmed = line.trim();
  const cut = trimmed.length > shownCharacters ? `${trimmed.slice(0, shownCharacters)}…` : trimmed;
  return `\`${cut}\``;
}

/** A quote laid over the text so that most of its lines agree. `start` counts from 0 and may be negative. */
type Alignment = { readonly quote: readonly string[]; readonly start: number; readonly equal: number };

function align(quote: readonly string[], text: readonly string[]): Alignment | null {
  const offsets = new Map<string, number[]>();
  quote.forEach((line, index) => {
    const key = line.trim();
    if (/\w.*\w.*\w/.test(key)) offsets.set(key, [...(offsets.get(key) ?? []), index]);
  });
  const votes = new Map<number, number>();
  text.forEach((line, index) => {
    for (const offset of offsets.get(line.trim()) ?? []) {
      votes.set(index - offset, (votes.get(index - offset) ?? 0) + 1);
    }
  });
  let best: Alignment | null = null;
  for (const [start, equal] of votes) if (best === null || equal > best.equal) best = { quote, start, equal };
  return best;
}

function describeDifference({ quote, start }: Alignment, text: readonly string[]): string {
  const index = quote.findIndex((line, offset) => line.trim() !== text[start + offset]?.trim());
  const line = start + index + 1;
  const found = text[line - 1];
  const where = `the closest starts at line ${Math.max(1, start + 1)}`;
  if (line < 1) return `${where}, but the quote begins before the file's first line`;
  if (found === undefined) return `${where}, but the quote goes beyond the file's ${text.length} lines`;
  return `${where}, but line ${line} is ${inBackticks(found)} and not ${inBackticks(quote[index] ?? '')}`;
}

function better(one: Alignment | null, other: Alignment | null): Alignment | null {
  return one !== null && (other === null || one.equal >= other.equal) ? one : other;
}

/** `far` is the edit distance in parts of the longer line: 0 is equal, 1 has nothing in common. */
type Similar = { readonly line: number; readonly far: number };

function mostSimilar(wanted: string, text: readonly string[]): Similar | null {
  const compared = wanted.slice(0, maxComparedCharacters);
  let best: Similar | null = null;
  for (const [index, line] of text.slice(0, maxComparedLines).entries()) {
    const candidate = line.trim().slice(0, maxComparedCharacters);
    const length = Math.max(compared.length, candidate.length);
    if (Math.abs(compared.length - candidate.length) > length / 2) continue;
    const far = distance(compared, candidate) / Math.max(1, length);
    if (far <= 0.5 && (best === null || far < best.far)) best = { line: index + 1, far };
  }
  return best;
}

function nearer(one: Similar | null, other: Similar | null): Similar | null {
  return one !== null && (other === null || one.far <= other.far) ? one : other;
}

function longest(lines: readonly string[]): string {
  return lines.map((line) => line.trim()).reduce((one, other) => (other.length > one.length ? other : one), '');
}
