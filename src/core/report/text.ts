import stringWidth from 'fast-string-width';

/** Text as a code span on one line, whatever backticks it holds. */
export function codeSpan(text: string): string {
  const line = visibleLine(text);
  if (line === '') return '';
  const marks = '`'.repeat(longestRun(line) + 1);
  const padding = /^`|`$/.test(line) ? ' ' : '';
  return `${marks}${padding}${line}${padding}${marks}`;
}

/** A fenced block whose fence is longer than any in the code. */
export function fenced(code: string, info: string): string {
  const fence = '`'.repeat(Math.max(3, longestRun(code) + 1));
  return [`${fence}${info}`, ...(code === '' ? [] : [code]), fence].join('\n');
}

/** A fold that starts closed. `summary` is HTML of ours, `body` is Markdown. */
export function details(summary: string, body: string): string {
  return `<details><summary>${summary}</summary>\n\n${body}\n\n</details>`;
}

/** A table of Markdown cells. Newlines and pipes in them are taken care of. */
export function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  return [header, header.map(() => '---'), ...rows].map((row) => `| ${row.map(cell).join(' | ')} |`).join('\n');
}

/** A path in an address. */
export function encodedPath(path: string): string {
  const parts = path.split('/').map((part) => encodeURIComponent(part.replace(/\p{Cs}/gu, '\uFFFD')));
  return parts.join('/');
}

/** A link around Markdown of ours, or that Markdown alone where there is no address. */
export function linked(label: string, url: string | null): string {
  return url === null ? label : `[${label}](${url})`;
}

function longestRun(text: string): number {
  return Math.max(0, ...(text.match(/`+/g) ?? []).map((run) => run.length));
}

// A pipe behind an odd number of backslashes is escaped already.
function cell(text: string): string {
  return text
    .replace(/\s+/g, (space) => (space.includes('\n') ? ' ' : space))
    .replace(/\\+\|?|\|/g, (run) => (run.endsWith('|') && run.length % 2 === 1 ? `${run.slice(0, -1)}\\|` : run))
    .trim();
}

export type Limit = {
  readonly max: number;
  readonly measure: (text: string) => number;
  /** Where the rest can be read; it closes the text that was cut and counts towards `max`. */
  readonly pointer: string;
};

/** UTF-16 units: never fewer than the characters that GitHub counts. */
export function characters(text: string): number {
  return text.length;
}

const encoder = new TextEncoder();

/** Bytes of the text in UTF-8. */
export function bytes(text: string): number {
  return encoder.encode(text).length;
}

/**
 * Cuts Markdown that is too long at the last border of a paragraph or fence that fits, else at a line, else
 * within one; closes what stays open and ends with the pointer. The result measures at most `max`.
 */
export function cutMarkdown(text: string, limit: Limit): string {
  if (limit.measure(text) <= limit.max) return text;
  const pointer = limit.pointer === '' ? '' : `\n\n${limit.pointer}`;
  const room = limit.max - limit.measure(pointer);
  if (room <= 0) return cutText(limit.pointer, limit);
  const best = lastBorder(text, { ...limit, max: room });
  if (best !== null) return `${text.slice(0, best.end).trimEnd()}${best.closing}${pointer}`;
  return `${cutText(text, { ...limit, max: room })}${pointer}`;
}

type Border = { readonly end: number; readonly closing: string; readonly kind: 'paragraph' | 'line' };

// A paragraph's border is worth up to half of the text that would fit.
function lastBorder(text: string, limit: Limit): Border | null {
  let paragraph: Border | null = null;
  let line: Border | null = null;
  let size = 0;
  let read = 0;
  for (const border of bordersOf(text)) {
    size += limit.measure(text.slice(read, border.end));
    read = border.end;
    if (size > limit.max) break;
    if (size + limit.measure(border.closing) > limit.max) continue;
    line = border;
    if (border.kind === 'paragraph') paragraph = border;
  }
  if (paragraph !== null && line !== null && paragraph.end * 2 >= line.end) return paragraph;
  return line;
}

function* bordersOf(text: string): Generator<Border> {
  let fence = '';
  let folds = 0;
  let end = 0;
  for (const line of text.split('\n')) {
    end += line.length;
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1] ?? '';
    const closes = fence !== '' && mark.startsWith(fence) && line.trim() === mark;
    if (closes) fence = '';
    else if (fence === '') fence = mark;
    if (fence === '') folds += occurrences(line, '<details>') - occurrences(line, '</details>');
    const closing = `${fence === '' ? '' : `\n${fence}`}${'\n\n</details>'.repeat(Math.max(0, folds))}`;
    yield { end, closing, kind: fence === '' && (closes || line.trim() === '') ? 'paragraph' : 'line' };
    end += 1;
  }
}

function occurrences(line: string, part: string): number {
  return line.split(part).length - 1;
}

/** The longest start of the text that fits, never half a character. */
export function cutText(text: string, limit: Pick<Limit, 'max' | 'measure'>): string {
  let low = 0;
  let high = text.length;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (limit.measure(text.slice(0, middle)) <= limit.max) low = middle;
    else high = middle - 1;
  }
  const splitsPair = /[\uD800-\uDBFF]/.test(text.charAt(low - 1)) && /[\uDC00-\uDFFF]/.test(text.charAt(low));
  return text.slice(0, splitsPair ? low - 1 : low);
}

/**
 * Text without the characters that no reader sees: controls, zero-width and bidi characters, Unicode tags. Joiners and emoji selectors stay where scripts and emoji need them. Every line ends in `\n`.
 */
export function removeInvisible(text: string): string {
  return replaceInvisible(text, () => '');
}

/** The same text with those characters written as `\u{202E}`, for logs and terminals, where they could act. */
export function showInvisible(text: string): string {
  return replaceInvisible(text, (character) => `\\u{${character.codePointAt(0)?.toString(16).toUpperCase()}}`);
}

/**
 * Text that the runner prints and does not obey. It takes a line that starts with `::` after spaces, and
 * `##[` anywhere in a line, for a command; it also ends a line at a lone carriage return, and may compare by a culture
 * that overlooks zero-width characters. So control and invisible characters are written out, and both marks are broken.
 */
export function neutralise(text: string): string {
  return showInvisible(text)
    .replaceAll('##[', '## [')
    .split('\n')
    .map((line) => (line.trimStart().startsWith('::') ? line.replace('::', ': :') : line))
    .join('\n');
}

/** One line of visible text: for titles, paths and reasons. */
export function visibleLine(text: string): string {
  return showInvisible(text).replace(/\s+/g, ' ').trim();
}

const lineEnds = /\r\n?|[\v\f\u0085\u2028\u2029]/g;

// A joiner between letters or emoji beyond ASCII, and the selector behind an emoji, change what a reader sees.
const needed =
  /(?<=(?!\p{ASCII}|\p{DI})[\p{L}\p{M}\p{Extended_Pictographic}\p{Emoji_Modifier}]|\p{Extended_Pictographic}\uFE0F)[\u200C\u200D](?=(?!\p{ASCII}|\p{DI})[\p{L}\p{M}\p{Extended_Pictographic}])|(?<=(?!\p{ASCII})\p{Emoji})\uFE0F/u;

const unseen = /(?![\n\t])\p{Cc}|\p{Default_Ignorable_Code_Point}|[\uFFF9-\uFFFB]|\p{Cs}/u;

const neededOrUnseen = new RegExp(`(${needed.source})|${unseen.source}`, 'gu');

function replaceInvisible(text: string, replacement: (character: string) => string): string {
  return text
    .replace(lineEnds, '\n')
    .replace(neededOrUnseen, (character, kept: string | undefined) => kept ?? replacement(character));
}

/** How wide a text is on a terminal: ideographs and most emoji take two columns. */
export function columnsOf(text: string): number {
  return stringWidth(text);
}

/**
 * Lines of at most `width` columns, cut at spaces, and within a word that is longer than a line. What continues a line hangs below its first
 * word, that of a list item too. A tab is two columns.
 */
export function wrapText(text: string, width: number): readonly string[] {
  return text
    .replaceAll('\t', '  ')
    .split('\n')
    .flatMap((line) => (columnsOf(line) <= width ? [line] : wrapLine(line, width)));
}

function wrapLine(line: string, width: number): readonly string[] {
  const [lead = '', spaces = '', mark = ''] = /^( *)([-*+>] |\d{1,3}[.)] )?/.exec(line) ?? [];
  const first = `${' '.repeat(Math.min(spaces.length, Math.floor(width / 3)))}${mark}`;
  const hang = ' '.repeat(Math.min(first.length, Math.floor(width / 2)));
  const lines: string[] = [];
  let current = { text: first, columns: first.length, isEmpty: true };
  const turn = () => {
    lines.push(current.text.trimEnd());
    current = { text: hang, columns: hang.length, isEmpty: true };
  };
  for (const word of line.slice(lead.length).split(/ +/)) {
    const columns = columnsOf(word);
    const isLonger = columns > width - hang.length;
    if (!isLonger && !current.isEmpty && current.columns + 1 + columns > width) turn();
    const start = current.isEmpty ? '' : ' ';
    current = { text: current.text + start, columns: current.columns + start.length, isEmpty: false };
    for (const piece of isLonger ? graphemesOf(word) : [{ segment: word, columns }]) {
      if (current.columns + piece.columns > width) turn();
      current = { text: current.text + piece.segment, columns: current.columns + piece.columns, isEmpty: false };
    }
  }
  return [...lines, current.text.trimEnd()];
}

/** As much of the start as fits, with an ellipsis where something is missing. */
export function cutColumns(text: string, width: number): string {
  if (columnsOf(text) <= width) return text;
  let cut = '';
  let used = 1;
  for (const { segment, columns } of graphemesOf(text)) {
    used += columns;
    if (used > width) break;
    cut += segment;
  }
  return `${cut}…`;
}

/**
 * As much as fits of a text around the character at `start`, with an ellipsis where something is missing, and where that character is in it. A line
 * may have megabytes: what is far away is not looked at.
 */
export function cutAround(
  text: string,
  { start, width }: { start: number; width: number },
): { text: string; start: number } {
  const near = text.slice(0, start + width * 4);
  if (near.length === text.length && columnsOf(text) <= width) return { text, start };
  const before = Math.max(0, start - Math.floor(width / 3));
  const from = /[\uDC00-\uDFFF]/.test(text.charAt(before)) ? before + 1 : before;
  if (from === 0) return { text: cutColumns(near, width), start };
  return { text: `…${cutColumns(near.slice(from), width - 1)}`, start: start - from + 1 };
}

let graphemes: Intl.Segmenter | undefined;

/** What a reader takes for one character: it is never cut. */
function* graphemesOf(text: string): Generator<{ readonly segment: string; readonly columns: number }> {
  // Made when it is needed: the first takes as long as loading fifty modules.
  graphemes ??= new Intl.Segmenter();
  for (const { segment } of graphemes.segment(text)) yield { segment, columns: columnsOf(segment) };
}
