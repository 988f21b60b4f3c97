import type { Side } from '../repository/repository.ts';
import type { ShownLine } from '../repository/shown.ts';
import { plural } from '../text.ts';
import { type Finding, fullPlaceOf, type LinesAnchor, limits } from './finding.ts';
import { maxQuotedLines } from './ground.ts';
import { parseRepairedJson } from './loose-json.ts';
import { inOnePlace } from './similarity.ts';
import type { GroundSources } from './sources.ts';
import { findChangedFile, pathOnSide, pathSpellings, sideOf } from './subject.ts';
import {
  type Citation,
  firstOf,
  formatLineRange,
  isObject,
  type LineRange,
  parseLineRange,
  parsePlace,
  sideWord,
  textOf,
} from './words.ts';

/** Of one finding: who cites more shows nothing by it. */
const mostCitations = 50;
const mostPlaces = 100;
/** Characters of a text in which places are looked for. */
const mostCharacters = 20_000;

/** Evidence as a model gives it: a list, also as JSON text, or a text. An entry without a path is words that cite nothing. Never throws. */
export function readEvidence(value: unknown): readonly Citation[] {
  const listed = typeof value === 'string' && value.trimStart().startsWith('[') ? parseRepairedJson(value) : null;
  const given = listed?.ok === true && Array.isArray(listed.value) ? listed.value : value;
  const entries: readonly unknown[] = Array.isArray(given) ? given : [given];
  return entries.slice(0, mostCitations).flatMap((entry) => {
    if (isObject(entry)) return readCitation(firstOf(entry, 'path', 'file'), entry);
    return textOf(entry) === '' ? [] : [{ ...onHead, path: '', lines: null, shows: textOf(entry) }, ...citedIn(entry)];
  });
}

const onHead = { side: 'RIGHT', shows: '' } as const;

function readCitation(named: unknown, entry: { readonly [name: string]: unknown }): readonly Citation[] {
  const place = parsePlace(textOf(named));
  const given = firstOf(entry, 'lines', 'line');
  const lines = typeof given === 'number' ? String(given) : textOf(given).replace(/^(?:null|none|n\/a)$/i, '');
  const said = { path: textOf(named), side: sideWord(firstOf(entry, 'side')), shows: textOf(firstOf(entry, 'shows')) };
  if (lines === '' && place !== null) return [{ ...said, path: place.path, lines: formatLineRange(place.range) }];
  // Several ranges are several places, of which the first says what they show.
  return lines
    .split(',')
    .map((part, index) => ({ ...said, lines: part.trim() || null, shows: index === 0 ? said.shows : '' }));
}

/** A text cites what it names by its whole path and lines, such as `src/a.ts:12-20`, and nothing else. */
function citedIn(text: unknown): readonly Citation[] {
  const words = textOf(text)
    .slice(0, mostCharacters)
    .split(/[\s()[\]{}<>`'",;]+/);
  const places = words.flatMap((word) => parsePlace(word.replace(/[.:]$/, '')) ?? []);
  return places.slice(0, mostCitations).map(({ path, range }) => ({ ...onHead, path, lines: formatLineRange(range) }));
}

export type CheckedEvidence = {
  /** Those whose lines are there. */
  readonly citations: readonly Citation[];
  /** All that was said, as one text. */
  readonly evidence: string;
  /** Of the others, for the model. What it only mentioned in a text is not held against it. */
  readonly problems: readonly string[];
};

export async function checkEvidence(given: readonly Citation[], sources: GroundSources): Promise<CheckedEvidence> {
  const citations: Citation[] = [];
  const problems: string[] = [];
  const told: string[] = [];
  for (const [index, citation] of given.entries()) {
    const { path, shows } = citation;
    const found = path === '' ? null : await findCited(citation, sources);
    if (found?.ok === true) citations.push(found.citation);
    else if (found !== null && shows !== '') problems.push(`evidence ${index + 1}: ${found.problem}`);
    if (shows !== '') told.push(found?.ok === true ? `${shows} (${placeIn(found.citation)})` : shows);
  }
  return { citations, evidence: told.join('; '), problems };
}

function placeIn({ path, lines, side }: Citation): string {
  return `${path}${lines === null ? '' : `:${lines}`}${side === 'LEFT' ? ' before the change' : ''}`;
}

type Cited = { readonly ok: true; readonly citation: Citation } | { readonly ok: false; readonly problem: string };

async function findCited(citation: Citation, sources: GroundSources): Promise<Cited> {
  const { path, lines: said } = citation;
  const range = said === null ? null : parseLineRange(said);
  if (range?.ok === false) return { ok: false, problem: range.problems.join('; ') };
  const changed = findChangedFile(path, sources.files);
  // An image has no lines to show.
  if (range === null && changed !== null) return { ok: true, citation: { ...citation, path: changed.path } };
  const found = await openCited(citation, sources);
  if (found === null) return { ok: false, problem: `there is no text file ${path} on side ${citation.side}` };
  if (range === null) return { ok: true, citation: { ...citation, path: found.path, side: found.side } };
  if (range.value.end > found.lines.length) {
    return { ok: false, problem: `${found.path} has ${plural(found.lines.length, 'line')} on side ${found.side}` };
  }
  const lines = formatLineRange(range.value);
  return { ok: true, citation: { ...citation, path: found.path, side: found.side, lines } };
}

type Opened = { readonly path: string; readonly side: Side; readonly lines: readonly ShownLine[] };

/** The text that a citation is of, by its path in the diff. What did not change is read at head, whatever the side. */
async function openCited(
  { path, side }: Pick<Citation, 'path' | 'side'>,
  sources: GroundSources,
): Promise<Opened | null> {
  // What cannot be read costs the citation, not the finding.
  const read: GroundSources['read'] = (name, on) => sources.read(name, on).catch(() => null);
  const file = findChangedFile(path, sources.files);
  if (file !== null) {
    const there = sideOf(file, side);
    const lines = await read(pathOnSide(file, there), there);
    return lines === null ? null : { path: file.path, side: there, lines };
  }
  for (const spelling of pathSpellings(path)) {
    const lines = await read(spelling, 'RIGHT');
    if (lines !== null) return { path: spelling, side: 'RIGHT', lines };
  }
  return null;
}

/** Other places of a defect as a model gives them: texts, or objects with a path and lines. */
export function readPlaces(value: unknown): readonly string[] {
  const given: readonly unknown[] = Array.isArray(value) ? value : [value];
  return given.slice(0, mostPlaces).flatMap((entry) => {
    if (!isObject(entry)) return textOf(entry) || [];
    return readCitation(firstOf(entry, 'path', 'file'), entry).map(({ path, lines }) => `${path}:${lines}`);
  });
}

/** The places that are there at head, each once, such as `src/a.ts:12-14`. The others are left out. */
export async function checkPlaces(places: readonly string[], sources: GroundSources): Promise<readonly string[]> {
  const found = new Set<string>();
  for (const place of places) {
    const named = parsePlace(place);
    if (named === null || named.range.end - named.range.start >= maxQuotedLines) continue;
    const opened = await openCited({ path: named.path, side: 'RIGHT' }, sources);
    if (opened?.side !== 'RIGHT' || named.range.end > opened.lines.length) continue;
    found.add(`${opened.path}:${formatLineRange(named.range)}`);
  }
  return [...found];
}

/** Lines of a file at head as people see them; null where there is no text. */
type ReadHead = (path: string) => Promise<readonly ShownLine[] | null>;

/**
 * The same findings with their other places looked up. What is not there, and what is beyond `limits.places`, is counted in `alsoMore`; what meets
 * a place before it is no other one.
 */
export function withPlaces(findings: readonly Finding[], read: ReadHead): Promise<readonly Finding[]> {
  return Promise.all(findings.map((finding) => (finding.alsoAt.length === 0 ? finding : lookedUp(finding, read))));
}

async function lookedUp(finding: Finding, read: ReadHead): Promise<Finding> {
  const others: OtherPlace[] = [];
  let left = finding.alsoMore ?? 0;
  for (const text of finding.alsoAt) {
    const named = otherPlace(text);
    if (named !== null && [finding, ...others].some((one) => inOnePlace(one, named))) continue;
    const place = named === null || others.length + 1 === limits.places ? null : await withQuote(named, read);
    if (place === null) left += 1;
    else others.push(place);
  }
  const more = left === 0 ? {} : { alsoMore: left };
  return { ...finding, others, alsoAt: others.map(fullPlaceOf), ...more };
}

type OtherPlace = NonNullable<Finding['others']>[number];

function otherPlace(text: string): OtherPlace | null {
  const named = parsePlace(text);
  if (named === null) return null;
  const { start, end } = named.range;
  return { path: named.path, anchor: { kind: 'lines', side: 'RIGHT', startLine: start, endLine: end, quote: '' } };
}

async function withQuote({ path, anchor }: OtherPlace, read: ReadHead): Promise<OtherPlace | null> {
  const lines = (await read(path).catch(() => null)) ?? [];
  if (anchor.endLine > lines.length) return null;
  const quoted = lines.slice(anchor.startLine - 1, anchor.endLine).map(({ text }) => text);
  const found: LinesAnchor = { ...anchor, quote: quoted.join('\n') };
  return { path, anchor: found };
}

/** Lines of a citation that was checked; null: the whole file. */
export function rangeOf({ lines }: Citation): LineRange | null {
  const range = lines === null ? null : parseLineRange(lines);
  return range?.ok === true ? range.value : null;
}
