import type { Finding, PlacedFinding } from '../findings/finding.ts';
import type { ReviewRecord } from '../review/sink.ts';
import type { Severity } from '../settings/setting.ts';
import { grouped, plural } from '../text.ts';
import type { Block, Line, Tone, Words } from './sections/blocks.ts';
import { sectionOf, surfaces } from './sections/surfaces.ts';
import { columnsOf, cutColumns, showInvisible, visibleLine, wrapText } from './text.ts';
import { lifeNote, severityLabels } from './wording.ts';

/** How a stretch of text is coloured: functions that give it back unchanged where there are no colours. */
export type Paint = Readonly<Record<'bold' | 'dim' | 'red' | 'yellow' | 'blue' | 'green', Style>>;

type Style = (text: string) => string;

/**
 * The whole review for a terminal: the findings, then what came out, what was left out, what it took. Without `width`, the columns of a line, lines are
 * as long as they are.
 */
export function renderTerminalReport(
  record: ReviewRecord,
  { paint, redact, width = Number.POSITIVE_INFINITY }: { paint: Paint; redact: Style; width?: number },
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
    sectionOf(name, record, { context, amounts }).map((block) => ({
      text: blockText(block, tools),
      isApart: block.kind === 'finding' || name === 'general words',
    })),
  );
  return `${texts.map(({ text, isApart }, index) => `${text}${index + 1 < texts.length && isApart ? '\n' : ''}\n`).join('')}`;
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
  const severity = `${severityLabels[finding.severity].toLowerCase()}  `;
  const title = { style: paint.bold, label: colour(severity), indent: ' '.repeat(severity.length) };
  const about = [
    place(finding, tools),
    ...(finding.ruleId === null ? [] : [`rule ${line(finding.ruleId)}`]),
    ...(finding.alsoAt.length === 0 ? [] : [`also at ${finding.alsoAt.map(line).join(', ')}`]),
    ...lifeNote({ life, reason }),
    ...(finding.unplaced === undefined ? [] : [line(`unplaced: ${finding.unplaced.reason}`)]),
    ...(reason === null || finding.unplaced !== undefined ? [] : [line(reason)]),
  ].join(' · ');
  const lines = [
    wrapped(line(finding.title), { tools, ...title }),
    wrapped(about, { tools, style: paint.dim, indent: '  ' }),
    wrapped(line(url ?? ''), { tools, style: paint.dim, indent: '  ' }),
    ...frame(finding, tools),
    wrapped(text(finding.review).trim(), { tools, indent: '  ' }),
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
const quotedColumns = 160;

/** The quoted lines with their numbers. The first is marked: the place that is named begins there. */
function frame({ anchor, severity }: Finding, { paint, text, width }: Tools): readonly string[] {
  if (anchor.kind === 'file') return [];
  const lines = text(anchor.quote).replaceAll('\t', '  ').split('\n');
  const digits = String(anchor.startLine + Math.min(lines.length, quotedLines) - 1).length;
  const gutter = (label: string) => paint.dim(`  ${label.padStart(digits)} │`);
  const room = Math.min(width - digits - 5, quotedColumns);
  const numbered = lines
    .slice(0, quotedLines)
    .map((line, index) => `${gutter(String(anchor.startLine + index))} ${cutColumns(line, room)}`.trimEnd());
  const [first = ''] = lines;
  const lead = columnsOf(first) - columnsOf(first.trimStart());
  const carets = Math.min(columnsOf(first.trim()), room - lead);
  const marks = carets < 1 ? [] : [`${gutter('')} ${' '.repeat(lead)}${paint[colours[severity]]('^'.repeat(carets))}`];
  const rest = lines.length - quotedLines;
  const more = rest > 0 ? [`${gutter('')} ${paint.dim(`… ${plural(rest, 'more line')}`)}`] : [];
  return [...numbered.slice(0, 1), ...marks, ...numbered.slice(1), ...more];
}

function suggested({ suggestion }: Finding, tools: Tools): string {
  if (suggestion === null) return '';
  const { paint, text } = tools;
  if (suggestion.trim() === '') {
    return wrapped('Suggested: remove these lines.', { tools, style: paint.dim, indent: '  ' });
  }
  const lines = text(suggestion).replace(/\n$/, '').split('\n');
  const added = { tools, style: paint.green, label: paint.green('    + '), indent: '      ' };
  return [`  ${paint.dim('Suggested:')}`, ...lines.map((line) => wrapped(line, added))].join('\n');
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
