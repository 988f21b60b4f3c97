import type { Finding, PlacedFinding } from '../findings/finding.ts';
import type { ReviewRecord } from '../review/sink.ts';
import type { Severity } from '../settings/setting.ts';
import { capitalised, groupBy, grouped, plural } from '../text.ts';
import { columnsOf, cutColumns, showInvisible, visibleLine, wrapText } from './text.ts';
import { usageText } from './usage.ts';
import { lifeNote, placeOf, severityLabels, suppressedWords } from './wording.ts';

/** How a stretch of text is coloured: functions that give it back unchanged where there are no colours. */
export type Paint = Readonly<Record<'bold' | 'dim' | 'red' | 'yellow' | 'blue' | 'green', Style>>;

type Style = (text: string) => string;

/**
 * The whole review for a terminal: the findings by file, then what came out, what was left out, what it took. Without `width`, the columns of
 * a line, lines are as long as they are.
 */
export function renderTerminalReport(
  { review, placed }: ReviewRecord,
  { paint, redact, width = Number.POSITIVE_INFINITY }: { paint: Paint; redact: Style; width?: number },
): string {
  const tools = {
    paint,
    width,
    line: (text: string) => visibleLine(redact(text)),
    text: (text: string) => showInvisible(redact(text)),
  };
  const shown = placed.filter(({ place, belowThreshold }) => place !== 'suppressed' && belowThreshold !== true);
  const parts = [
    ...[...groupBy(shown, ({ path }) => path)].flatMap(([path, entries]) => [
      wrapped(tools.line(path), { tools, style: paint.bold }),
      ...entries.map((entry) => findingText(entry, tools)),
    ]),
    ...[...review.nonSpecific, review.rawFreeText ?? ''].map((text) => wrapped(tools.text(text).trim(), { tools })),
    ending({ review, placed }, tools),
  ];
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
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
  const severity = `  ${severityLabels[finding.severity].toLowerCase()}  `;
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

function ending({ review, placed }: Pick<ReviewRecord, 'review' | 'placed'>, tools: Tools): string {
  const { paint, line } = tools;
  const { coverage } = review;
  const suppressed = placed.filter(({ place }) => place === 'suppressed');
  const colour = { clean: 'green', findings: 'yellow', partial: 'yellow', skipped: 'blue', failed: 'red' } as const;
  // What goes on in another line is indented there.
  const tell = (style: Style) => (text: string) => wrapped(line(text), { tools, style, label: '', indent: '  ' });
  const warn = tell(paint.yellow);
  const tellSoftly = tell(paint.dim);
  const lines = [
    wrapped(line(review.headline), { tools, style: (text) => paint.bold(paint[colour[review.outcome]](text)) }),
    wrapped(line(review.rationale), { tools }),
    ...listed([...coverage.unreviewed, ...coverage.unread], (file) =>
      warn(`Not reviewed: ${file.path} (${file.reason})`),
    ),
    ...coverage.missing.map(warn),
    ...listed(coverage.skipped, (file) => tellSoftly(`Skipped: ${file.path} (${file.reason})`)),
    ...listed(suppressed, (entry) => tellSoftly(suppressedText(entry))),
    ...belowThresholds(placed).map(tellSoftly),
    ...review.notes.map(tellSoftly),
    tellSoftly(usageText(review)),
  ];
  return lines.filter((one) => one !== '').join('\n');
}

/** What was found and is not raised, in a line: where, what, and who or what keeps it back. */
function suppressedText(finding: PlacedFinding): string {
  const { by = 'people', reason = '' } = finding.suppressed ?? {};
  return `${capitalised(suppressedWords[by])}: ${placeOf(finding)}: ${finding.title} (${reason})`;
}

/** How many findings a threshold keeps back, which the headline counts. */
function belowThresholds(placed: readonly PlacedFinding[]): readonly string[] {
  const kept = placed.filter(({ place, belowThreshold }) => place !== 'suppressed' && belowThreshold === true);
  return [...groupBy(kept, ({ reason }) => reason ?? '')].map(
    ([reason, entries]) => `Not shown: ${plural(entries.length, 'finding')} ${reason}.`,
  );
}

// A screen has room for so many of a kind; the report file has all.
const linesOfAKind = 20;

function listed<T>(items: readonly T[], lineOf: (item: T) => string): readonly string[] {
  const rest = items.length - linesOfAKind;
  const lines = items.slice(0, linesOfAKind).map(lineOf);
  return rest > 0 ? [...lines, `… and ${grouped(rest)} more`] : lines;
}
