import type { Side } from '../repository/repository.ts';

/** One way to read a quote. `line` is the number that its gutter gives its first line; null without a gutter. */
export type QuoteReading = {
  readonly lines: readonly string[];
  readonly line: number | null;
  readonly columns: Columns;
};

/** What stood before the code on every line. */
export type Columns = { readonly gutter: RegExp | null; readonly signs: boolean };

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
  const mark = /^\s*(`{3,}|~{3,})[^`]*$/.exec(inner[0] ?? '')?.[1];
  if (mark === undefined || inner.length < 2 || inner.at(-1)?.trim() !== mark) return null;
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
  // `10 12 +code`, `10 12  code`, `   12 +code`: as renderHunk() writes a diff, the sign is left for its own column
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
  const rows = gutter === null ? content.map(withoutNumbers) : removeGutter(content, gutter);
  const kept = rows !== null && signs ? removeSigns(rows, side) : rows;
  if (kept === null) return null;

  const filled = withoutBlankEnds(kept.map((row) => row.text));
  const first = kept.find((row) => row.text.trim() !== '');
  const line = (side === 'RIGHT' ? first?.numbers.at(-1) : first?.numbers[0]) ?? null;
  return { lines: filled, line, columns: { gutter, signs } };
}

type Row = { readonly text: string; readonly numbers: readonly number[] };

function withoutNumbers(text: string): Row {
  return { text, numbers: [] };
}

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
