import { estimateTokens } from '../agent/estimate.ts';
import type { Finding } from '../findings/finding.ts';
import { type Citation, citationsIn, type EvidenceSources } from '../findings/sources.ts';
import { formatLineRange, type LineRange } from '../findings/words.ts';
import { type ChangedFile, changedRanges, lineRanges } from '../pull-request/changed-file.ts';
import type { Side } from '../repository/repository.ts';
import { numberedLines, type ShownLine } from '../repository/shown.ts';
import { cutLine, grouped, plural } from '../text.ts';

/** Tokens of source that are shown for one finding. */
export const mostTokens = 6_000;
/** Lines before and after what a finding is about, and around what its evidence cites. */
const around = 10;
const aroundCited = 3;
/** Of one place before the others get their turn, in lines. */
const firstLines = 80;
/** A file that is named without lines is shown whole up to so many. */
const shortFile = 40;
const lineCharacters = 500;
/** Of each kind, in one finding. */
const mostNotes = 10;

/** The source that the findings of one call are about and cite: no line stands twice. */
export type Evidence = {
  /** Adds what a finding needs. @returns what cannot be shown of it, one sentence each */
  add(finding: Finding): Promise<readonly string[]>;
  /** Of all that was added. */
  tokens(): number;
  render(): string;
};

export function openEvidence(sources: EvidenceSources): Evidence {
  const pages = new Map<string, Page>();
  let spent = 0;
  return {
    add: async (finding) => {
      const { places, notes } = await placesOf(finding, sources);
      const before = spent;
      const take = (place: CitedPlace, line: number) => {
        const page = pageOf(pages, place);
        const text = place.lines[line - 1];
        if (text === undefined || page.shown.has(line)) return true;
        const cost = costOf(text, line) + (page.shown.size === 0 ? costOfHead(page) : 0);
        if (spent - before + cost > mostTokens) return false;
        spent += cost;
        page.shown.add(line);
        return true;
      };
      return [...notes, ...unfitted(showAll(places, take))];
    },
    tokens: () => spent,
    render: () => {
      const filled = [...pages.values()].filter(({ shown }) => shown.size > 0);
      return filled.map(renderPage).join('\n');
    },
  };
}

type CitedPlace = {
  readonly path: string;
  readonly side: Side;
  readonly file: ChangedFile | undefined;
  readonly lines: readonly ShownLine[];
  readonly start: number;
  readonly end: number;
  readonly around: number;
  /** What a finding is about and what it surely cites has to be shown; the rest is shown where there is room. */
  readonly needed: boolean;
};

/** A text file on one side. */
type OpenedFile = Pick<CitedPlace, 'path' | 'side' | 'file' | 'lines'>;

type Page = OpenedFile & { readonly shown: Set<number> };

function pageOf(pages: Map<string, Page>, { path, side, file, lines }: CitedPlace): Page {
  const key = `${side}:${path}`;
  const page = pages.get(key) ?? { path, side, file, lines, shown: new Set() };
  pages.set(key, page);
  return page;
}

type Unfitted = { readonly place: CitedPlace; readonly from: number };

/** Cited lines first, of every place some, then the lines around them. Gives the needed lines that had no room. */
function showAll(
  places: readonly CitedPlace[],
  take: (place: CitedPlace, line: number) => boolean,
): readonly Unfitted[] {
  const left: Unfitted[] = [];
  const show = (place: CitedPlace, from: number, to: number) => {
    for (let line = Math.max(1, from); line <= Math.min(to, place.lines.length); line += 1) {
      if (!take(place, line)) return line;
    }
    return null;
  };
  const needed = places.filter((place) => place.needed);
  const long: CitedPlace[] = [];
  for (const place of needed) {
    const last = Math.min(place.end, place.start + firstLines - 1);
    const from = show(place, place.start, last);
    if (from !== null) left.push({ place, from });
    else if (last < place.end) long.push(place);
  }
  const context = (place: CitedPlace) => {
    show(place, place.start - place.around, place.start - 1);
    show(place, place.end + 1, place.end + place.around);
  };
  // What the finding is about is seen with its surroundings before a long citation is seen whole.
  for (const place of needed.slice(0, 1)) context(place);
  for (const place of long) {
    const from = show(place, place.start + firstLines, place.end);
    if (from !== null) left.push({ place, from });
  }
  for (const place of needed.slice(1)) context(place);
  for (const place of places.filter((one) => !one.needed)) {
    if (show(place, place.start, place.end) === null) context(place);
  }
  return left;
}

function unfitted(left: readonly Unfitted[]): readonly string[] {
  if (left.length === 0) return [];
  const named = left.slice(0, mostNotes).map(({ place, from }) => `${place.path}:${from}-${place.end}`);
  const more = left.length > named.length ? ` and ${grouped(left.length - named.length)} more places` : '';
  return [`Cited, but there is no room to show it: ${named.join(', ')}${more}.`];
}

function costOf({ text }: ShownLine, line: number): number {
  // One more for the mark where lines are left out.
  return estimateTokens(`${line} | ${cutLine(text, lineCharacters)}`) + 1;
}

function costOfHead(page: Page): number {
  return estimateTokens(headOf(page)) + 1;
}

function renderPage(page: Page): string {
  const numbers = [...page.shown].sort((one, other) => one - other);
  const runs = lineRanges(numbers).map(({ start, end }) => {
    const lines = page.lines.slice(start - 1, end);
    const short = lines.map((line) => ({ ...line, text: cutLine(line.text, lineCharacters) }));
    return numberedLines(short, start);
  });
  return `${headOf(page)}\n${runs.join('\n…\n')}`;
}

const mostRanges = 20;

/** The path, and which of its lines the change made: whoever judges what caused a defect has to know. */
function headOf({ path, side, file }: Page): string {
  if (file === undefined) return `${path} (not changed):`;
  const { added, removed } = changedRanges(file);
  const ranges = side === 'LEFT' ? removed : added;
  const listed = ranges.slice(0, mostRanges).map(formatLineRange);
  const all = [...listed, ...(ranges.length > mostRanges ? ['…'] : [])].join(', ');
  if (side === 'LEFT') return `${path} before the change (removed: ${all || 'none'}):`;
  return `${path} (${file.status === 'added' ? 'new' : `added: ${all || 'none'}`}):`;
}

async function placesOf(
  finding: Finding,
  sources: EvidenceSources,
): Promise<{ readonly places: readonly CitedPlace[]; readonly notes: readonly string[] }> {
  const places = [...(await anchorPlace(finding, sources))];
  const missing = new Set<string>();
  const pathsFor = await sources.names();
  const isFile = (word: string) => pathsFor(word, finding.path).length > 0;
  const { citations, left } = citationsIn([finding.evidence, ...finding.alsoAt].join('\n'), isFile);
  // The review names other places of a defect; its bare numbers are no lines.
  const named = citationsIn(finding.review, isFile).citations.filter(
    ({ word, range }) => word !== null && range !== null,
  );
  for (const citation of [...citations, ...named]) {
    const paths = citation.word === null ? [finding.path] : pathsFor(citation.word, finding.path);
    const found = await citedPlaces(citation, { finding, paths, sources });
    places.push(...found.places);
    if (found.note !== null) missing.add(found.note);
  }
  places.push(...(await removedNearby(finding, sources)));
  const told = [...missing].slice(0, mostNotes);
  const more = missing.size - told.length + left;
  return { places, notes: [...told, ...(more > 0 ? [`${plural(more, 'more place')} cited, not looked up.`] : [])] };
}

async function anchorPlace(finding: Finding, sources: EvidenceSources): Promise<readonly CitedPlace[]> {
  const { anchor } = finding;
  if (anchor.kind === 'file') return [];
  const place = await placeIn(finding.path, { side: anchor.side, sources });
  const { startLine: start, endLine: end } = anchor;
  return place === null ? [] : [{ ...place, start, end, around, needed: true }];
}

/** What the hunks at a finding removed: it shows what held before. */
async function removedNearby({ path, anchor }: Finding, sources: EvidenceSources): Promise<readonly CitedPlace[]> {
  const file = sources.files.find((one) => one.path === path);
  if (file === undefined || anchor.kind === 'file' || anchor.side === 'LEFT') return [];
  const near = file.hunks.filter(
    ({ newStart, newLines }) => newStart <= anchor.endLine + around && newStart + newLines >= anchor.startLine - around,
  );
  const { removed } = changedRanges({ ...file, hunks: near });
  const place = removed.length === 0 ? null : await placeIn(path, { side: 'LEFT', sources });
  return place === null ? [] : removed.map((range) => ({ ...place, ...range, around: 0, needed: false }));
}

/** A text file on one side; on the old side under the path that it had there. Null when there is none, or it may not be read. */
async function placeIn(
  path: string,
  { side, sources }: { side: Side; sources: EvidenceSources },
): Promise<OpenedFile | null> {
  const file = sources.files.find((one) => one.path === path) ?? sources.files.find((one) => one.oldPath === path);
  const there = side === 'LEFT' ? (file?.oldPath ?? path) : path;
  const lines = await sources.read(there, side);
  return lines === null ? null : { path: there, side, file, lines };
}

async function citedPlaces(
  citation: Citation,
  given: { finding: Finding; paths: readonly string[]; sources: EvidenceSources },
): Promise<{ readonly places: readonly CitedPlace[]; readonly note: string | null }> {
  const { finding, paths } = given;
  const { word, range, certain } = citation;
  const lines = range === null ? '' : `:${formatLineRange(range)}`;
  const named = `${(word ?? finding.path).slice(0, 200)}${lines}`;
  const note = (why: string) => ({ places: [], note: certain ? `Cited, but ${why}: ${named}.` : null });
  const [path] = paths;
  if (path === undefined) return note('there is no such file');
  if (paths.length > 1) return note(`${paths.length} files are called so`);
  const sides = await sidesOf(path, { ...given, citation });
  const [first] = sides;
  if (first === undefined) return note('no text of it may be read');
  if (range === null) {
    const whole = { ...first, start: 1, end: first.lines.length, around: 0, needed: false };
    return { places: first.lines.length > shortFile ? [] : [whole], note: null };
  }
  const { start } = range;
  // A bare range may count something else: it is not let take all the room.
  const last = certain ? range.end : Math.min(range.end, start + firstLines - 1);
  const places = sides
    .filter(({ lines: all }) => start <= all.length)
    .map((one) => ({
      ...one,
      start,
      end: Math.min(last, one.lines.length),
      around: aroundCited,
      needed: certain || range.end > start,
    }));
  const longest = Math.max(...sides.map(({ lines: all }) => all.length));
  return { places, note: range.end > longest ? note(`${path} has ${plural(longest, 'line')}`).note : null };
}

/** At head, and before the change where the citation can mean that; the old side alone where the file or the line is gone. */
async function sidesOf(
  path: string,
  given: { finding: Finding; citation: Citation; sources: EvidenceSources },
): Promise<readonly OpenedFile[]> {
  const { finding, citation, sources } = given;
  const { range } = citation;
  const right = await placeIn(path, { side: 'RIGHT', sources });
  const changed = sources.files.some((file) => file.status !== 'added' && [file.path, file.oldPath].includes(path));
  const removed = finding.anchor.kind === 'lines' && finding.anchor.side === 'LEFT';
  const gone = right === null || (range !== null && range.start > right.lines.length);
  if (!changed || !(removed || citation.before || gone)) return right === null ? [] : [right];
  const left = await placeIn(path, { side: 'LEFT', sources });
  if (right === null || left === null) return [right ?? left].filter((one) => one !== null);
  return range !== null && sameLines(left, right, range) ? [right] : [right, left];
}

function sameLines(one: OpenedFile, other: OpenedFile, { start, end }: LineRange): boolean {
  for (let line = start; line <= Math.min(end, Math.max(one.lines.length, other.lines.length)); line += 1) {
    if (one.lines[line - 1]?.text !== other.lines[line - 1]?.text) return false;
  }
  return true;
}
