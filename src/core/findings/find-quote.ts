import { quotedParts } from '../pull-request/line-windows.ts';
import { maxLineCharacters } from '../pull-request/render-diff.ts';
import type { LineRange } from './line-range.ts';
import type { QuoteReading } from './read-quote.ts';

/** Where a quote stands. `exact` when the indentation is the same, too; trailing space never counts. */
export type QuotePlace = LineRange & { readonly exact: boolean };

export type QuoteMatch = { readonly reading: QuoteReading; readonly places: readonly QuotePlace[] };

/** The first reading of a quote that stands in the text, with all its places; null when none does. */
export function findQuote(readings: readonly QuoteReading[], lines: readonly string[]): QuoteMatch | null {
  const text = { lines, trimmed: lines.map((line) => line.trim()) };
  for (const reading of readings) {
    const places = findLines(reading.lines, text);
    if (places.length > 0) return { reading, places };
  }
  return null;
}

export type Choice =
  | { readonly kind: 'one'; readonly place: QuotePlace }
  /** Equal places that nothing tells apart. */
  | { readonly kind: 'several'; readonly places: readonly QuotePlace[] };

/**
 * Chooses among equal places: the one that the line hint names, else those with the quote's own indentation; of these the nearest to
 * the hint, else the one inside a hunk.
 */
export function choosePlace(
  places: readonly QuotePlace[],
  evidence: { readonly near: number | null; readonly insideHunk: (place: LineRange) => boolean },
): Choice {
  const { near, insideHunk } = evidence;
  const named = places.find((place) => place.start === near);
  if (named !== undefined) return { kind: 'one', place: named };

  const exact = places.filter((place) => place.exact);
  const nearest = near === null ? orAll(exact, places) : nearestTo(near, orAll(exact, places));
  const inside = orAll(nearest.filter(insideHunk), nearest);
  const only = inside[0];
  return only !== undefined && inside.length === 1 ? { kind: 'one', place: only } : { kind: 'several', places: inside };
}

type Text = { readonly lines: readonly string[]; readonly trimmed: readonly string[] };

function findLines(quote: readonly string[], text: Text): readonly QuotePlace[] {
  const trimmedQuote = quote.map((line) => line.trim());
  const places: QuotePlace[] = [];
  for (let offset = 0; offset + quote.length <= text.lines.length; offset++) {
    if (!trimmedQuote.every((line, index) => stands(line, text.trimmed[offset + index] ?? ''))) continue;
    const exact = quote.every((line, index) => line.trimEnd() === text.lines[offset + index]?.trimEnd());
    places.push({ start: offset + 1, end: offset + quote.length, exact });
  }
  return places;
}

/** What must be quoted of a line that is too long to be shown whole, in characters. */
const shortestPart = 20;

function stands(quoted: string, line: string): boolean {
  if (quoted === line) return true;
  if (line.length <= maxLineCharacters || quoted.length < shortestPart) return false;
  let from = 0;
  return quotedParts(quoted).every((part) => {
    const at = line.indexOf(part, from);
    from = at + part.length;
    return at !== -1;
  });
}

function nearestTo(line: number, places: readonly QuotePlace[]): readonly QuotePlace[] {
  const distance = (place: QuotePlace) => Math.abs(place.start - line);
  const least = places.reduce((nearest, place) => Math.min(nearest, distance(place)), Number.POSITIVE_INFINITY);
  return places.filter((place) => distance(place) === least);
}

function orAll<T>(some: readonly T[], all: readonly T[]): readonly T[] {
  return some.length > 0 ? some : all;
}
