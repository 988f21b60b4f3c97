import type { Message } from '../messages/message.ts';
import {
  commentableLines,
  type Hunk,
  hunkLines,
  isOpaque,
  lineOn,
  maxLineCharacters,
} from '../pull-request/changed-file.ts';
import type { Side } from '../repository/repository.ts';
import type { ShownLine } from '../repository/shown.ts';
import type { Anchor } from './finding.ts';
import { choosePlace, describeClosest, findQuote, type QuoteMatch, type QuoteReading, readQuote } from './quote.ts';
import type { GroundSources } from './sources.ts';
import { findSubject, pathOnSide, type Refused, refuse, type Subject } from './subject.ts';
import type { SubmittedFinding } from './submission.ts';
import { cleanSuggestion } from './suggestion.ts';
import { type LineRange, parseLineRange } from './words.ts';

export type Grounded =
  /** `path` is as the diff knows it. */
  { readonly ok: true; readonly anchor: Anchor; readonly path: string; readonly suggestion: string | null } | Refused;

/** More lines than this point at nothing. */
export const maxQuotedLines = 200;

/** Finds what a finding talks about in the source: quoted, line only or the whole file. Invents no line. */
export async function ground(item: SubmittedFinding, sources: GroundSources): Promise<Grounded> {
  const found = await findSubject(item, sources);
  if (!found.ok) return found;

  const { subject } = found;
  if (subject.file !== null && isOpaque(subject.file)) return wholeFile(subject);
  if (item.quote !== null) return groundQuote({ item, quote: item.quote, subject }, sources);
  if (item.lines !== null) return groundLines(item.lines, subject);
  return wholeFile(subject);
}

function wholeFile({ path }: Subject): Grounded {
  return { ok: true, anchor: { kind: 'file' }, path, suggestion: null };
}

async function groundQuote(
  { item, quote, subject }: { item: SubmittedFinding; quote: string; subject: Subject },
  sources: GroundSources,
): Promise<Grounded> {
  if (quote.split('\n').length > maxQuotedLines)
    return refuse(tooLong('the quote'), { code: 'unplaced.long-quote', max: maxQuotedLines });
  const readings = readQuote(quote, subject.side);
  if (readings.length === 0) {
    return refuse('the quote is empty: quote the lines, or send null for the whole file', {
      code: 'unplaced.empty-quote',
    });
  }

  const match = findQuote(readings, textOf(subject.lines));
  if (match === null) {
    const { path } = subject;
    const told: Message =
      subject.side === 'RIGHT' ? { code: 'unplaced.not-in', path } : { code: 'unplaced.not-in-before', path };
    return refuse(await explainNotFound({ quote, subject }, sources), told);
  }

  const choice = choosePlace(match.places, { near: hintOf(item, match), insideHunk: insideHunk(subject) });
  if (choice.kind === 'several') {
    const told: Message = { code: 'unplaced.many-places', places: choice.places.length, path: subject.path };
    return refuse(ambiguous(choice.places, subject), told);
  }
  const { start, end } = choice.place;
  const suggestion = suggestionFor(item.suggestion, { subject, match, place: choice.place });
  return { ok: true, anchor: anchorOf(subject, { start, end }), path: subject.path, suggestion };
}

/** For formats without quotes: the line's own text becomes the quote, and nothing vouches for a suggestion. */
function groundLines(lines: string, subject: Subject): Grounded {
  const range = parseLineRange(lines);
  if (!range.ok) return refuse(range.problems.join('; '), { code: 'unplaced.no-range' });
  const { start, end } = range.value;
  if (end > subject.lines.length) {
    return refuse(
      `lines is ${lines}, but ${subject.path} has ${subject.lines.length} lines on the ${subject.side} side`,
      { code: 'unplaced.path-has-no-lines', path: subject.path, lines },
    );
  }
  if (end - start >= maxQuotedLines)
    return refuse(tooLong('lines'), { code: 'unplaced.many-lines', max: maxQuotedLines });
  return { ok: true, anchor: anchorOf(subject, { start, end }), path: subject.path, suggestion: null };
}

/** What the model says in `lines`, else the number that its quote carried along. */
function hintOf(item: SubmittedFinding, match: QuoteMatch): number | null {
  const range = item.lines === null ? null : parseLineRange(item.lines);
  return range?.ok === true ? range.value.start : match.reading.line;
}

function insideHunk({ file, side }: Subject): (place: LineRange) => boolean {
  if (file === null) return () => false;
  const { hunkOf } = commentableLines(file);
  return ({ start, end }) => hunkOf(side, start) !== null && hunkOf(side, start) === hunkOf(side, end);
}

function ambiguous(places: readonly LineRange[], subject: Subject): string {
  const numbers = places.slice(0, 8).map((place) => place.start);
  const more = places.length > numbers.length ? ` and ${places.length - numbers.length} more` : '';
  return `the quote stands ${places.length} times in ${subject.path}, at lines ${numbers.join(', ')}${more}: name one in lines, or quote more`;
}

function suggestionFor(
  suggestion: string | null,
  { subject, match, place }: { subject: Subject; match: QuoteMatch; place: LineRange },
): string | null {
  const replaced = subject.lines.slice(place.start - 1, place.end);
  if (suggestion === null || subject.side === 'LEFT' || replaced.some(isUnknown)) return null;
  return cleanSuggestion(suggestion, { file: textOf(replaced), reading: match.reading });
}

/** Whose text the model did not see as it is: what it writes in its place would lose the rest. */
function isUnknown({ redacted, text }: ShownLine): boolean {
  return redacted || text.length > maxLineCharacters;
}

function anchorOf({ lines, side }: Subject, { start, end }: LineRange): Anchor {
  const quote = textOf(lines.slice(start - 1, end)).join('\n');
  return { kind: 'lines', side, startLine: start, endLine: end, quote };
}

function textOf(lines: readonly Pick<ShownLine, 'text'>[]): readonly string[] {
  return lines.map((line) => line.text);
}

function tooLong(what: string): string {
  return `${what} spans more than ${maxQuotedLines} lines: name the few that show the matter`;
}

/** A quote that its subject does not hold. */
type LostQuote = { readonly quote: string; readonly subject: Subject };

/** Says that a quote was not found and where it stands instead: on the other side, in another changed file, or nearly at a line. */
export async function explainNotFound(lost: LostQuote, sources: GroundSources): Promise<string> {
  const { path, side } = lost.subject;
  const where = side === 'RIGHT' ? 'at head' : 'at the merge base (side LEFT)';
  const elsewhere = (await onOtherSide(lost, sources)) ?? inOtherFile(lost, sources) ?? nearby(lost);
  return `quote not found in ${path} ${where} — ${elsewhere}`;
}

async function onOtherSide({ quote, subject }: LostQuote, { read }: GroundSources): Promise<string | null> {
  const { file } = subject;
  if (file === null || file.status === 'added' || file.status === 'deleted') return null;
  const side: Side = subject.side === 'RIGHT' ? 'LEFT' : 'RIGHT';
  const lines = (await read(pathOnSide(file, side), side)) ?? [];
  const place = findQuote(readQuote(quote, side), textOf(lines))?.places[0];
  return place === undefined ? null : `it stands on the ${side} side at line ${place.start}: set side to ${side}`;
}

/** The first place in the diff of the other files. It reads none of them: this serves a hint only. */
function inOtherFile({ quote, subject }: LostQuote, { files }: GroundSources): string | null {
  const readings = readQuote(quote, subject.side);
  const probes = readings.map((reading) => reading.lines[0]?.trim() ?? '').filter((probe) => probe.length > 2);
  for (const { path, hunks } of files.filter((file) => file !== subject.file)) {
    for (const hunk of hunks) {
      if (!hunk.lines.some((line) => probes.some((probe) => line.includes(probe)))) continue;
      const line = findInHunk(readings, hunk, subject.side);
      if (line !== null) return `it stands in ${path} at line ${line}: set path to ${path}`;
    }
  }
  return null;
}

function nearby({ quote, subject }: LostQuote): string {
  const closest = describeClosest(readQuote(quote, subject.side), textOf(subject.lines));
  return closest ?? 'no line is like it: read the lines again';
}

function findInHunk(readings: readonly QuoteReading[], hunk: Hunk, side: Side): number | null {
  const lines = [...hunkLines(hunk)].filter((line) => lineOn(side, line) !== null);
  const first = findQuote(readings, textOf(lines))?.places[0];
  const line = first === undefined ? undefined : lines[first.start - 1];
  return line === undefined ? null : lineOn(side, line);
}
