import type { Finding, SuppressedBy } from '../findings/finding.ts';
import type { LedgerEntry } from '../review/review.ts';
import type { ReviewRecord } from '../review/sink.ts';
import type { Severity } from '../settings/setting.ts';
import { grouped, plural } from '../text.ts';
import { showInvisible, visibleLine } from './text.ts';
import { usageText } from './usage.ts';
import { placeOf, severityLabels } from './wording.ts';

/** How a stretch of text is coloured: functions that give it back unchanged where there are no colours. */
export type Paint = Readonly<Record<'bold' | 'dim' | 'red' | 'yellow' | 'blue' | 'green', (text: string) => string>>;

/** The whole review for a terminal: the findings, then what came out, what was left out, what it took. */
export function renderTerminalReport(
  { review, ledger }: ReviewRecord,
  { paint, redact }: { paint: Paint; redact: (text: string) => string },
): string {
  const tools = {
    paint,
    line: (text: string) => visibleLine(redact(text)),
    text: (text: string) => showInvisible(redact(text)),
  };
  const shown = ledger.filter((entry) => entry.place !== 'suppressed');
  const parts = [
    ...shown.map((entry) => findingText(entry, tools)),
    ...review.nonSpecific.map((text) => indented(tools.text(text.trim()), '')),
    review.rawFreeText === null ? '' : tools.text(review.rawFreeText.trim()),
    ending({ review, ledger }, tools),
  ];
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}

/** What keeps untrusted text from acting on the terminal: its control characters are written out. */
type Tools = {
  readonly paint: Paint;
  readonly line: (text: string) => string;
  readonly text: (text: string) => string;
};

function findingText({ finding, reason }: LedgerEntry, { paint, line, text }: Tools): string {
  const label = paint[colours[finding.severity]](severityLabels[finding.severity].toLowerCase());
  const lines = [
    `${place(finding, { paint, line, text })}  ${label}  ${paint.bold(line(finding.title))}`,
    ...quoted(finding, { paint, line, text }),
    indented(text(finding.review.trim()), '  '),
    ...(finding.suggestion === null
      ? []
      : [`  ${paint.dim('Suggested:')}`, indented(text(finding.suggestion), '    + ')]),
    ...(finding.ruleId === null ? [] : [`  ${paint.dim(`rule ${line(finding.ruleId)}`)}`]),
    ...(finding.alsoAt.length === 0 ? [] : [`  ${paint.dim(`also at ${finding.alsoAt.map(line).join(', ')}`)}`]),
    ...(reason === null ? [] : [`  ${paint.dim(line(reason))}`]),
  ];
  return lines.filter((one) => one !== '').join('\n');
}

// Terminals and editors open `path:line`; a range they do not know.
function place({ path, anchor }: Finding, { paint, line }: Tools): string {
  if (anchor.kind === 'file') return paint.bold(line(path));
  const removed = anchor.side === 'LEFT' ? paint.dim(' (before the change)') : '';
  return `${paint.bold(`${line(path)}:${anchor.startLine}`)}${removed}`;
}

const colours: Readonly<Record<Severity, 'red' | 'yellow' | 'blue' | 'dim'>> = {
  critical: 'red',
  warning: 'yellow',
  info: 'blue',
  nitpick: 'dim',
};

const quotedLines = 6;
/** Characters of a quoted line: enough to recognise it. */
const columns = 160;

function quoted({ anchor }: Finding, { paint, text }: Tools): readonly string[] {
  if (anchor.kind === 'file') return [];
  const lines = text(anchor.quote).split('\n');
  const width = String(anchor.startLine + lines.length - 1).length;
  const excerpt = lines
    .slice(0, quotedLines)
    .map((line) => (line.length > columns ? `${line.slice(0, columns)}…` : line))
    .map((line, index) => paint.dim(`  ${String(anchor.startLine + index).padStart(width)} │ ${line}`));
  const rest = lines.length - quotedLines;
  return rest > 0 ? [...excerpt, paint.dim(`  ${' '.repeat(width)} │ … ${plural(rest, 'more line')}`)] : excerpt;
}

function ending({ review, ledger }: Pick<ReviewRecord, 'review' | 'ledger'>, { paint, line }: Tools): string {
  const { coverage, refused } = review;
  const suppressed = ledger.filter(({ place }) => place === 'suppressed');
  const colour = { clean: 'green', findings: 'yellow', partial: 'yellow', skipped: 'blue', failed: 'red' } as const;
  const lines = [
    paint.bold(paint[colour[review.outcome]](line(review.headline))),
    ...[line(review.rationale)].filter((text) => text !== ''),
    ...listed(coverage.unreviewed, (file) => paint.yellow(`Not reviewed: ${line(file.path)} (${line(file.reason)})`)),
    ...listed(coverage.unread, (file) => paint.yellow(`Not read: ${line(file.path)} (${line(file.reason)})`)),
    ...coverage.missing.map((sentence) => paint.yellow(line(sentence))),
    ...listed(coverage.skipped, (file) => paint.dim(`Skipped: ${line(file.path)} (${line(file.reason)})`)),
    ...listed(refused, (one) => paint.dim(`Unplaced: ${line(one.path)}: ${line(one.title)} (${line(one.reason)})`)),
    ...listed(suppressed, (entry) => paint.dim(line(suppressedText(entry)))),
    ...review.notes.map((note) => paint.dim(line(note))),
    paint.dim(usageText(review)),
  ];
  return lines.join('\n');
}

/** What was found and is not raised, in a line: where, what, and who or what keeps it back. */
function suppressedText({ finding, by, reason }: LedgerEntry): string {
  const what = by === undefined ? 'Not raised again' : suppressedTitles[by];
  return `${what}: ${placeOf(finding)}: ${finding.title}${reason === null ? '' : ` (${reason})`}`;
}

const suppressedTitles: Readonly<Record<SuppressedBy, string>> = {
  verification: 'Disproved',
  'follow-up': 'Withdrawn',
  'rule-comment': 'Ignored',
};

// A screen has room for so many of a kind; the report file has all.
const linesOfAKind = 20;

function listed<T>(items: readonly T[], lineOf: (item: T) => string): readonly string[] {
  const rest = items.length - linesOfAKind;
  const lines = items.slice(0, linesOfAKind).map(lineOf);
  return rest > 0 ? [...lines, `… and ${grouped(rest)} more`] : lines;
}

function indented(text: string, indentation: string): string {
  return text
    .split('\n')
    .map((line) => (line === '' ? '' : `${indentation}${line}`))
    .join('\n');
}
