import type { Finding, LinesAnchor, PlacedFinding } from '../findings/finding.ts';
import { inEnglish } from '../messages/languages.ts';
import type { ReviewRecord } from '../review/sink.ts';
import { reviewInEnglish } from '../rules/rule-texts.ts';
import type { Severity } from '../settings/setting.ts';
import { grouped, plural } from '../text.ts';
import { linesAtHead } from './annotations.ts';
import { cleanCode } from './sanitise-phrasing.ts';
import type { Block, Line, Tone, Words } from './sections/blocks.ts';
import { fixPrompt } from './sections/sections.ts';
import { sectionOf, surfaces } from './sections/surfaces.ts';
import { columnsOf, cutAround, cutColumns, showInvisible, visibleLine, wrapText } from './text.ts';
import { groups, lifeNote, otherPlaces, severityLabel } from './wording.ts';

/** How a stretch of text is coloured: functions that give it back unchanged where there are no colours. */
export type Paint = Readonly<Record<'bold' | 'dim' | 'red' | 'yellow' | 'blue' | 'green', Style>>;

type Style = (text: string) => string;

/**
 * The whole review for a terminal: the findings, then what came out, what was left out, what it took. Without `width`, the columns of a line, lines are
 * as long as they are.
 */
export function renderTerminalReport(
  record: ReviewRecord,
  {
    paint,
    redact,
    width = Number.POSITIVE_INFINITY,
    quiet = false,
  }: { paint: Paint; redact: Style; width?: number /** The findings alone. */; quiet?: boolean },
): string {
  const tools = {
    paint,
    width,
    line: (text: string) => visibleLine(redact(text)),
    text: (text: string) => showInvisible(redact(text)),
  };
  const { sections, ...amounts } = surfaces.terminal;
  const context = { serverUrl: null, repository: null, redact, name: '' };
  const texts = sections.flatMap((name) =>
    sectionOf(name, record, { context, amounts })
      .filter(({ kind }) => !quiet || kind === 'finding')
      .map((block) => ({
        text: blockText(block, tools),
        isApart: block.kind === 'finding' || name === 'general words',
      })),
  );
  return `${texts.map(({ text, isApart }, index) => `${text}${index + 1 < texts.length && isApart ? '\n' : ''}\n`).join('')}`;
}

/** What people are shown: those below the thresholds are only counted. */
function shownIn({ placed }: ReviewRecord): readonly PlacedFinding[] {
  return groups(placed).open.filter(({ belowThreshold }) => belowThreshold !== true);
}

/** The findings for an agent that is to fix them, as comments have them; nothing where there are none. */
export function renderPrompt(record: ReviewRecord, redact: Style): string {
  const findings = shownIn(record);
  return findings.length === 0 ? '' : `${cleanCode(fixPrompt(findings), redact)}\n`;
}

/** `path:line:column: severity: title`, a line each, as editors and other tools read it. A matter of the whole file is on its first line. */
export function renderLines(record: ReviewRecord, redact: Style): string {
  const lines = shownIn(record).map((finding) => {
    const { path, anchor, severity, title } = finding;
    const line = linesAtHead(finding)?.start ?? 1;
    const [first = ''] = anchor.kind === 'lines' && anchor.side === 'RIGHT' ? anchor.quote.split('\n') : [];
    const column = first.length - first.trimStart().length + 1;
    return visibleLine(redact(`${path}:${line}:${column}: ${severity}: ${title}`));
  });
  return lines.map((line) => `${line}\n`).join('');
}

type Tools = {
  readonly paint: Paint;
  readonly width: number;
  /** These two keep untrusted text from acting on the terminal: its control characters are written out. */
  readonly line: Style;
  readonly text: Style;
};

/** Every line is painted by itself: a pager shows them one at a time. The first stands behind its label, the others below it. */
function wrapped(
  text: string,
  {
    tools,
    style = same,
    indent = '',
    label = indent,
  }: { tools: Tools; style?: Style; indent?: string; label?: string },
): string {
  return wrapText(text, tools.width - indent.length)
    .map((line, index) => ({ line, before: index === 0 ? label : indent }))
    .map(({ line, before }) => (line === '' && before.trim() === '' ? '' : `${before}${style(line)}`))
    .join('\n');
}

function same(text: string): string {
  return text;
}

function findingText(finding: PlacedFinding, tools: Tools): string {
  const { paint, line, text } = tools;
  const { reason, url, life } = finding;
  const colour = paint[colours[finding.severity]];
  const severity = `${inEnglish(severityLabel(finding.severity)).toLowerCase()}  `;
  const title = { style: paint.bold, label: colour(severity), indent: ' '.repeat(severity.length) };
  const about = [
    place(finding, tools),
    ...(finding.ruleId === null ? [] : [`rule ${line(finding.ruleId)}`]),
    ...(otherPlaces(finding).length === 0 ? [] : [`also at ${otherPlaces(finding).map(line).join(', ')}`]),
    ...lifeNote({ life, reason }).map(inEnglish),
    ...(finding.unplaced === undefined ? [] : [line(`unplaced: ${inEnglish(finding.unplaced.reason)}`)]),
    ...(reason === null || finding.unplaced !== undefined ? [] : [line(inEnglish(reason))]),
  ].join(' · ');
  const lines = [
    wrapped(line(finding.title), { tools, ...title }),
    wrapped(about, { tools, style: paint.dim, indent: '  ' }),
    wrapped(line(url ?? ''), { tools, style: paint.dim, indent: '  ' }),
    ...frame(finding, tools),
    wrapped(text(reviewInEnglish(finding)).trim(), { tools, indent: '  ' }),
    suggested(finding, tools),
  ];
  return lines.filter((one) => one !== '').join('\n');
}

// Terminals and editors open `path:line`; a range they do not know.
function place({ path, anchor }: Finding, { line }: Tools): string {
  if (anchor.kind === 'file') return line(path);
  return `${line(path)}:${anchor.startLine}${anchor.side === 'LEFT' ? ' (before the change)' : ''}`;
}

const colours: Readonly<Record<Severity, 'red' | 'yellow' | 'blue' | 'dim'>> = {
  critical: 'red',
  warning: 'yellow',
  info: 'blue',
  nitpick: 'dim',
};

const quotedLines = 6;
/** Columns of a quoted line: enough to recognise it. */
const quotedColumns = 100;

/** The quoted lines with their numbers. The first is marked: the place that is named begins there. */
function frame({ anchor, severity }: Finding, { paint, text, width }: Tools): readonly string[] {
  if (anchor.kind === 'file') return [];
  const [first = '', ...below] = text(anchor.quote).split('\n');
  const digits = String(anchor.startLine + Math.min(below.length, quotedLines - 1)).length;
  const gutter = (label: string) => paint.dim(`  ${label.padStart(digits)} │`);
  const room = Math.min(width - digits - 5, quotedColumns);
  const numbered = (line: string, index: number) => `${gutter(String(anchor.startLine + index))} ${line}`.trimEnd();
  const marked = markedLine(first, anchor.columns, room);
  const carets = paint[colours[severity]]('^'.repeat(marked.carets));
  const rest = below.length + 1 - quotedLines;
  return [
    numbered(marked.text, 0),
    ...(marked.carets < 1 ? [] : [`${gutter('')} ${' '.repeat(marked.lead)}${carets}`]),
    ...below.slice(0, quotedLines - 1).map((line, index) => numbered(cutColumns(spaced(line), room), index + 1)),
    ...(rest > 0 ? [`${gutter('')} ${paint.dim(`… ${plural(rest, 'more line')}`)}`] : []),
  ];
}

function spaced(line: string): string {
  return line.replaceAll('\t', '  ');
}

/** As much of the line as there is room for, and the columns of it that are marked: all but the spaces around where nothing else is known. */
function markedLine(line: string, columns: LinesAnchor['columns'], room: number) {
  const start = columns === undefined ? line.length - line.trimStart().length : columns.start - 1;
  const end = columns === undefined ? line.trimEnd().length : columns.end - 1;
  const cut = cutAround(spaced(line), { start: spaced(line.slice(0, start)).length, width: room });
  const lead = columnsOf(cut.text.slice(0, cut.start));
  const marked = spaced(line.slice(start, Math.min(end, start + room)));
  return { text: cut.text, lead, carets: Math.min(columnsOf(marked), room - lead) };
}

/** What is replaced is left out where the quote has only a part of it. */
function suggested({ suggestion, anchor, narrowed }: Finding, tools: Tools): string {
  if (suggestion === null) return '';
  const { paint, text } = tools;
  if (suggestion.trim() === '') {
    return wrapped('Suggested: remove these lines.', { tools, style: paint.dim, indent: '  ' });
  }
  const before = anchor.kind === 'file' || narrowed === true ? [] : text(anchor.quote).split('\n');
  const lines = text(suggestion).replace(/\n$/, '').split('\n');
  const signed = (sign: string, style: Style) => (line: string) =>
    wrapped(line, { tools, style, label: style(`    ${sign} `), indent: '      ' });
  return [
    `  ${paint.dim('Suggested:')}`,
    ...before.map(signed('-', paint.red)),
    ...lines.map(signed('+', paint.green)),
  ].join('\n');
}

/** What goes on in another line is indented there. */
function blockText(block: Block, tools: Tools): string {
  const { paint } = tools;
  const tell = (style: Style) => (line: Line) =>
    wrapped(wordsOf(line, tools), { tools, style, label: '', indent: '  ' });
  switch (block.kind) {
    case 'finding':
      return findingText(block.finding, tools);
    case 'heading':
      return tell(paint.bold)(block.line);
    case 'line': {
      const colour = block.tone === undefined ? paint.dim : paint[toneColours[block.tone]];
      return wrapped(wordsOf(block.line, tools), {
        tools,
        style: block.tone === undefined ? colour : (text) => paint.bold(colour(text)),
      });
    }
    case 'prose':
      return wrapped(tools.text(block.text).trim(), { tools });
    case 'alert':
      return [[block.title], ...block.items.map((item): Line => ['- ', ...item])].map(tell(paint.yellow)).join('\n');
    case 'list':
      return few(block.items, tell(paint.dim)).join('\n');
    case 'code':
      return wrapped(tools.text(block.text), { tools });
    case 'table':
    case 'fold':
      return '';
  }
}

const toneColours: Readonly<Record<Tone, 'green' | 'blue' | 'yellow' | 'red'>> = {
  good: 'green',
  info: 'blue',
  warning: 'yellow',
  bad: 'red',
};

function wordsOf(line: Line, tools: Tools): string {
  return line.map((words) => plainWords(words, tools)).join('');
}

function plainWords(words: Words, tools: Tools): string {
  if (typeof words === 'string') return words;
  if ('said' in words) return tools.line(words.said);
  if ('name' in words) return tools.line(words.name);
  if ('names' in words) {
    const rest = words.names.length - words.most;
    const named = words.names.slice(0, words.most).map(tools.line).join(', ');
    return rest > 0 ? `${named} and ${grouped(rest)} more` : named;
  }
  if ('lineBreak' in words) return ' ';
  if ('small' in words) return words.small.map((line) => wordsOf(line, tools)).join(' · ');
  return wordsOf('strong' in words ? words.strong : 'struck' in words ? words.struck : words.linked, tools);
}

// A screen has room for so many of a kind; the report file has all.
const linesOfAKind = 20;

function few<T>(items: readonly T[], lineOf: (item: T) => string): readonly string[] {
  const rest = items.length - linesOfAKind;
  const lines = items.slice(0, linesOfAKind).map(lineOf);
  return rest > 0 ? [...lines, `… and ${grouped(rest)} more`] : lines;
}
