import { estimateTokens } from '../agent/estimate.ts';
import { enclosingOf } from '../context/scopes.ts';
import type { SymbolIndex } from '../context/symbol-index.ts';
import { rangeOf } from '../findings/citations.ts';
import type { Finding } from '../findings/finding.ts';
import type { GroundSources } from '../findings/sources.ts';
import { formatLineRange, type LineRange, parsePlace } from '../findings/words.ts';
import { type ChangedFile, changedRanges, lineRanges } from '../pull-request/changed-file.ts';
import type { Side } from '../repository/repository.ts';
import { numberedLines, type ShownLine } from '../repository/shown.ts';
import { cutLine, grouped } from '../text.ts';

/** Tokens of source that are shown for one finding. */
export const mostTokens = 6_000;
/** Lines before and after what a finding is about, and around what its evidence cites. */
const around = 10;
const aroundCited = 3;
/** In lines: of a longer definition only the lines around a finding are shown. */
const longDefinition = 120;
/** Of one place before the others get their turn, in lines. */
const firstLines = 80;
/** A file that is named without lines is shown whole up to so many. */
const shortFile = 40;
const lineCharacters = 500;
/** Of each kind, in one finding. */
const mostNotes = 10;

type EvidenceSources = {
  readonly sources: GroundSources;
  /** Null where nothing is parsed. */
  readonly symbols: Pick<SymbolIndex, 'file'> | null;
};

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
      const places = await placesOf(finding, sources);
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
      return unfitted(showAll(places, take));
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
  /** Lines around it that are shown as well. */
  readonly before: number;
  readonly after: number;
  /** What a finding is about and cites has to be shown; the rest is shown where there is room. */
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
    show(place, place.start - place.before, place.start - 1);
    show(place, place.end + 1, place.end + place.after);
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

async function placesOf(finding: Finding, { sources, symbols }: EvidenceSources): Promise<readonly CitedPlace[]> {
  const others = finding.alsoAt.flatMap((place) => parsePlace(place) ?? []);
  const cited = [
    ...(finding.citations ?? []).map((citation) => ({ ...citation, range: rangeOf(citation) })),
    ...others.map((other) => ({ ...other, side: 'RIGHT' as const })),
  ];
  const places = [...(await ownPlace(finding, { sources, symbols }))];
  for (const one of cited) places.push(...(await citedPlace(one, sources)));
  return [...places, ...(await removedNearby(finding, sources))];
}

/** With the definition that it stands in, or the lines around it where there is none, or a long one. */
async function ownPlace(
  { path, anchor }: Finding,
  { sources, symbols }: EvidenceSources,
): Promise<readonly CitedPlace[]> {
  if (anchor.kind === 'file') return [];
  const { side, startLine: start, endLine: end } = anchor;
  const place = await placeIn(path, { side, sources });
  if (place === null) return [];
  const file = side === 'RIGHT' ? ((await symbols?.file(path).catch(() => null)) ?? null) : null;
  const holder = file === null ? null : enclosingOf(file.syntax, start);
  const isShort = holder !== null && holder.endLine - holder.startLine < longDefinition;
  const before = isShort ? Math.max(aroundCited, start - holder.startLine) : around;
  const after = isShort ? Math.max(aroundCited, holder.endLine - end) : around;
  return [{ ...place, start, end, before, after, needed: true }];
}

async function citedPlace(
  { path, side, range }: { path: string; side: Side; range: LineRange | null },
  sources: GroundSources,
): Promise<readonly CitedPlace[]> {
  const place = await placeIn(path, { side, sources });
  if (place === null) return [];
  if (range !== null) return [{ ...place, ...range, before: aroundCited, after: aroundCited, needed: true }];
  if (place.lines.length > shortFile) return [];
  return [{ ...place, start: 1, end: place.lines.length, before: 0, after: 0, needed: false }];
}

/** What the hunks at a finding removed: it shows what held before. */
async function removedNearby({ path, anchor }: Finding, sources: GroundSources): Promise<readonly CitedPlace[]> {
  const file = sources.files.find((one) => one.path === path);
  if (file === undefined || anchor.kind === 'file' || anchor.side === 'LEFT') return [];
  const near = file.hunks.filter(
    ({ newStart, newLines }) => newStart <= anchor.endLine + around && newStart + newLines >= anchor.startLine - around,
  );
  const { removed } = changedRanges({ ...file, hunks: near });
  const place = removed.length === 0 ? null : await placeIn(path, { side: 'LEFT', sources });
  return place === null ? [] : removed.map((range) => ({ ...place, ...range, before: 0, after: 0, needed: false }));
}

/** A text file on one side; on the old side under the path that it had there. Null when there is none, or it may not be read. */
async function placeIn(
  path: string,
  { side, sources }: { side: Side; sources: GroundSources },
): Promise<OpenedFile | null> {
  const file = sources.files.find((one) => one.path === path) ?? sources.files.find((one) => one.oldPath === path);
  const there = side === 'LEFT' ? (file?.oldPath ?? path) : path;
  const lines = await sources.read(there, side);
  return lines === null ? null : { path: there, side, file, lines };
}
