import { distance } from 'fastest-levenshtein';
import { maxLineCharacters } from '../pull-request/changed-file.ts';
import { quotedParts } from '../pull-request/line-windows.ts';
import type { Side } from '../repository/repository.ts';
import type { LineRange } from './words.ts';

/** One way to read a quote. `line` is the number that its gutter gives its first line; null without a gutter. */
export type QuoteReading = {
  readonly lines: readonly string[];
  readonly line: number | null;
  readonly columns: Columns;
};

/** What stood before the code on every line. */
type Columns = { readonly gutter: RegExp | null; readonly signs: boolean };

/**
 * The ways a quote can be meant, literal first: as it is, without a code fence, without a uniform line-number gutter (one column of
 * numbers or two), without a uniform `+`/`-` column. Blank lines at its ends are dropped. A reading is never empty.
 */
export function readQuote(quote: string, side: Side): readonly QuoteReading[] {
  const literal = quote.split(/\r?\n/);
  const unfenced = removeFence(literal);
  const texts = unfenced === null ? [literal] : [literal, unfenced];
  return texts
    .flatMap((lines) => allColumns.map((columns) => removeColumns(lines, { ...columns, side })))
    .filter((reading) => reading !== null)
    .filter((reading) => reading.lines.length > 0);
}

/** The lines between the marks of a code fence; null when they do not stand in one. */
export function removeFence(lines: readonly string[]): readonly string[] | null {
  const inner = withoutBlankEnds(lines);
  const [opening = '', mark] = /^\s*(`{3,}|~{3,})/.exec(inner[0] ?? '') ?? [];
  if (
    mark === undefined ||
    inner[0]?.includes('`', opening.length) ||
    inner.length < 2 ||
    inner.at(-1)?.trim() !== mark
  )
    return null;
  return inner.slice(1, -1);
}

export function withoutBlankEnds(lines: readonly string[]): readonly string[] {
  const first = lines.findIndex((line) => line.trim() !== '');
  const last = lines.findLastIndex((line) => line.trim() !== '');
  return first === -1 ? [] : lines.slice(first, last + 1);
}

/** `  12 | code`, `   10     12 | code`, `+ 12 | code`. */
export const shownGutter = /^[ \t]*(?:[+-][ \t]*)?(\d+)(?:[ \t]+(\d+))?[ \t]*(?:[+-][ \t]*)?[|│] ?/;

const gutters = [
  shownGutter,
  // `12: code`
  /^[ \t]*(?:[+-][ \t]*)?(\d+)(?:[ \t]+(\d+))?: ?/,
  // `12<tab>code`
  /^[ \t]*(\d+)\t/,
  // `12 +code`, `12  code`: as renderHunk() writes a diff, the sign is left for its own column
  /^[ \t]*(\d+)(?:[ \t](?=[+\- ])|[ \t]*$)/,
  // `10 12 +code`, `10 12  code`: as it is written elsewhere, with both numbers
  /^[ \t]*(\d+)(?:[ \t]+(\d+)(?:[ \t](?=[+\- ])|[ \t]*$)|[ \t]+(?=[+-])|[ \t]*$)/,
] as const;

const allColumns: readonly Columns[] = [null, ...gutters].flatMap((gutter) => [
  { gutter, signs: false },
  { gutter, signs: true },
]);

/** The quote without these columns; null when a line lacks them. */
export function removeColumns(
  lines: readonly string[],
  columns: Columns & { readonly side: Side },
): QuoteReading | null {
  const content = withoutBlankEnds(lines);
  const { gutter, signs, side } = columns;
  const plain = () => content.map((text): Row => ({ text, numbers: [] }));
  const rows = gutter === null ? plain() : removeGutter(content, gutter);
  const kept = rows !== null && signs ? removeSigns(rows, side) : rows;
  if (kept === null) return null;

  const filled = withoutBlankEnds(kept.map((row) => row.text));
  const first = kept.find((row) => row.text.trim() !== '');
  const line = (side === 'RIGHT' ? first?.numbers.at(-1) : first?.numbers[0]) ?? null;
  return { lines: filled, line, columns: { gutter, signs } };
}

type Row = { readonly text: string; readonly numbers: readonly number[] };

function removeGutter(lines: readonly string[], gutter: RegExp): readonly Row[] | null {
  const rows: Row[] = [];
  for (const line of lines) {
    const found = gutter.exec(line);
    if (found === null && line.trim() !== '') return null;
    const numbers = (found?.slice(1) ?? []).filter((digits) => digits !== undefined).map(Number);
    rows.push({ text: found === null ? '' : line.slice(found[0].length), numbers });
  }
  return rows;
}

/** Lines of the other side go: where a quote shows both, only this side's stand in the file. */
function removeSigns(rows: readonly Row[], side: Side): readonly Row[] | null {
  if (!rows.every((row) => /^[+\- ]|^\s*$/.test(row.text))) return null;
  const other = side === 'RIGHT' ? '-' : '+';
  return rows.filter((row) => !row.text.startsWith(other)).map((row) => ({ ...row, text: row.text.slice(1) }));
}

/** Where a quote stands. `exact` when the indentation is the same, too; trailing space never counts. */
type QuotePlace = LineRange & { readonly exact: boolean };

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

type Choice =
  | { readonly kind: 'one'; readonly place: QuotePlace }
  /** Equal places that nothing tells apart. */
  | { readonly kind: 'several'; readonly places: readonly QuotePlace[] };

/**
 * Chooses among equal places: the one that the line hint names, else those with the quote's own indentation; of these the nearest to
 * the hint, else the one inside a hunk.
 */
export function choosePlace(
  places: readonly QuotePlace[],
  evidence: { near: number | null; insideHunk: (place: LineRange) => boolean },
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

function findLines(
  quote: readonly string[],
  text: { lines: readonly string[]; trimmed: readonly string[] },
): readonly QuotePlace[] {
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

// A reason is a hint for the model: it must not cost more than the search it follows.
const maxComparedLines = 20_000;
const maxComparedCharacters = 200;
const shownCharacters = 120;

/** The line that a quote probably means, in words; null when nothing is near. */
export function describeClosest(readings: readonly QuoteReading[], text: readonly string[]): string | null {
  const alignments = readings.flatMap((reading) => align(reading.lines, text) ?? []);
  const [aligned] = alignments.toSorted((one, other) => other.equal - one.equal);
  if (aligned !== undefined) return describeDifference(aligned, text);

  const candidates = readings.flatMap((reading) => mostSimilar(longest(reading.lines), text) ?? []);
  const [similar] = candidates.toSorted((one, other) => one.far - other.far);
  if (similar === undefined) return null;
  return `the closest is line ${similar.line}: ${inBackticks(text[similar.line - 1] ?? '')}`;
}

/** At most 120 characters of a line, for a sentence. */
function inBackticks(line: string): string {
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

function longest(lines: readonly string[]): string {
  return lines.map((line) => line.trim()).reduce((one, other) => (other.length > one.length ? other : one), '');
}
