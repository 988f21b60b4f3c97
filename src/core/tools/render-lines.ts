import { cutLine } from '../repository/cut-line.ts';
import { numbered, type ShownLine } from '../repository/shown.ts';
import { limits } from './limits.ts';

export type RenderedLines = {
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
  return { text: numbered(fitting, range.from), last: fitting.length === 0 ? 0 : range.from + fitting.length - 1 };
}

// The number, ` | ` and the end of the line.
const gutterCharacters = 10;
