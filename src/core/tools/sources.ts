import type { SymbolIndex } from '../context/symbol-index.ts';
import type { ImageParts } from '../images/part.ts';
import type { Knowledge } from '../knowledge/knowledge.ts';
import type { ChangedFile } from '../pull-request/changed-file.ts';
import type { History, Repository, TextSearch } from '../repository/repository.ts';
import { numberedLines, type ShownLine } from '../repository/shown.ts';
import { cutLine, plural } from '../text.ts';

/** What the reading tools read from. */
export type Sources = {
  readonly repository: Repository;
  /** Null where nothing can be searched: `search_text` is not offered. */
  readonly search: TextSearch | null;
  /** Null where there is no history: blame and log are not offered. */
  readonly history: History | null;
  /** Every changed file of the pull request. */
  readonly files: readonly ChangedFile[];
  /** True with more than one batch: a diff that is not in the prompt can be asked for. */
  readonly offerDiff: boolean;
  /** The reason why a path may not be read; null when it may. */
  readonly isDenied: (path: string) => string | null;
  /** Absent where there are no documents: `search_knowledge` is not offered. */
  readonly knowledge?: Knowledge;
  /** Absent without `vision`: `view_image` is not offered. */
  readonly images?: ImageParts;
  /** Absent where nothing is parsed: outlines are then read line by line, and `find_symbol` is not offered. */
  readonly symbols?: SymbolIndex;
};

export type Files = Pick<Sources, 'repository' | 'files' | 'symbols'>;

/** What one tool call gives at most. Results stay under the loop's 30,000 characters, so that their notes are never cut off. */
export const limits = {
  resultCharacters: 29_000,
  /** Characters of one line; minified files have lines of megabytes. */
  lineCharacters: 2_000,
  /** Lines of a range (`read_file_lines`). */
  rangeLines: 2_000,
  listedFiles: 500,
  /** OwlSight's number. */
  matches: 100,
  matchCharacters: 400,
  patternCharacters: 500,
  blameLines: 500,
  logEntries: 50,
  treeLines: 250,
  outlineEntries: 400,
  /** Of one symbol (`find_symbol`). */
  definitions: 5,
  bodyLines: 30,
  uses: 30,
} as const;

type FittedRows = { readonly rows: readonly string[] /** How many did not fit. */; readonly left: number };

/** The first rows that fit into one result: at most `maxRows`, and no more characters than the model gets to see. */
export function fitRows(rows: readonly string[], maxRows: number): FittedRows {
  let characters = 0;
  let fitting = 0;
  for (const row of rows.slice(0, maxRows)) {
    characters += row.length + 1;
    if (characters > limits.resultCharacters) break;
    fitting += 1;
  }
  return { rows: rows.slice(0, fitting), left: rows.length - fitting };
}

type LineRange = {
  readonly from: number;
  readonly to: number;
  /** The last line that was asked for and exists; beyond `to` when the range was too long. */
  readonly wanted: number;
  readonly notes: readonly string[];
};

/** The lines that a call can mean: swapped, moved into the file and shortened to `maxLines` where needed. */
export function fitRange(asked: { start: number; end: number }, file: { lines: number; maxLines: number }): LineRange {
  const [first, last] = asked.start <= asked.end ? [asked.start, asked.end] : [asked.end, asked.start];
  const start = Math.max(1, first);
  const end = Math.max(start, last);
  const outside = first < 1 || end > file.lines;
  // A range beyond the end shows the end: the model counted wrong, and what it looks for is near.
  const from = start > file.lines ? Math.max(1, file.lines - (end - start)) : start;
  const wanted = Math.min(end, file.lines);
  const notes = [
    ...(asked.start > asked.end ? ['start_line and end_line were swapped'] : []),
    ...(outside ? [`the file has ${plural(file.lines, 'line')}`] : []),
  ];
  return { from, to: Math.min(wanted, from + file.maxLines - 1), wanted, notes };
}

/** Says where to go on when fewer lines are shown than were asked for. */
export function cutNote(last: number, wanted: number): readonly string[] {
  return last < wanted ? [`cut: the next line is ${last + 1}`] : [];
}

type RenderedLines = {
  readonly text: string;
  /** The last line that is in the text, 1-based; 0 when there is none. */
  readonly last: number;
};

/** Lines `from` to `to` (1-based, inclusive) with a gutter, as many as fit into one result, each of bearable length. */
export function renderLines(lines: readonly ShownLine[], range: { from: number; to: number }): RenderedLines {
  const fitting: ShownLine[] = [];
  let characters = 0;
  for (const line of lines.slice(range.from - 1, range.to)) {
    const text = cutLine(line.text, limits.lineCharacters);
    characters += text.length + gutterCharacters;
    if (characters > limits.resultCharacters && fitting.length > 0) break;
    fitting.push({ ...line, text });
  }
  return { text: numberedLines(fitting, range.from), last: fitting.length === 0 ? 0 : range.from + fitting.length - 1 };
}

// The number, ` | ` and the end of the line.
const gutterCharacters = 10;
