import type { Spend } from '../agent/tool.ts';
import { anyGlob } from '../repository/path.ts';
import type { Repository } from '../repository/repository.ts';
import { shown, splitLines } from '../repository/shown.ts';
import { type Embedding, type NearestPassages, nearestPassages } from './by-meaning.ts';
import { fuseRankings, type Passage, TextIndex } from './by-words.ts';

/** The team's documents at the base commit, searched by words, and by meaning where that is wanted and works. */
export interface Knowledge {
  search(query: string, spend: Spend): Promise<FoundPassages>;
}

type FoundPassages = {
  /** The best first; empty when none is relevant. */
  readonly passages: readonly Passage[];
  /** What whoever reads them should know of how they were found, one sentence each. */
  readonly notes: readonly string[];
};

/** How the documents are searched. */
type KnowledgeSearch = {
  /** Compares by meaning, too; null searches by words alone. */
  readonly meaning: Embedding | null;
  /** Called once for each thing that did not work or is not searched. A sentence may hold words of the server. */
  readonly tell: (note: string) => void;
};

const mostPassages = 3;
const mostFiles = 2_000;
const mostBytes = 20_000_000;
/** Below this a passage holds little more of the query than a word that is everywhere. */
const leastShare = 0.2;
/** Places of a ranking that can still matter when two are fused. */
const mostRanked = 50;

export type KnowledgeDocuments = {
  readonly repository: Repository;
  readonly paths: readonly string[];
  /** Documents beyond the most that are searched. */
  readonly beyond: number;
};

/** The documents that fit the globs; null when there are none. */
export async function findDocuments(
  repository: Repository,
  { globs, isDenied }: { globs: readonly string[]; isDenied: (path: string) => string | null },
): Promise<KnowledgeDocuments | null> {
  if (globs.length === 0) return null;
  const matches = anyGlob(globs);
  const entries = await repository.listFiles('base');
  const paths = entries
    .filter(
      ({ path, kind }) =>
        kind === 'file' && /\.(md|mdx|txt|rst|adoc)$/i.test(path) && matches(path) && isDenied(path) === null,
    )
    .map(({ path }) => path);
  const searched = paths.slice(0, mostFiles);
  return paths.length === 0 ? null : { repository, paths: searched, beyond: paths.length - searched.length };
}

/** Reads the documents at the first search, once. */
export function openKnowledge(documents: KnowledgeDocuments, { meaning, tell }: KnowledgeSearch): Knowledge {
  let opened: Promise<OpenedDocuments> | null = null;
  let told = false;
  return {
    search: async (query, spend) => {
      opened ??= open(documents, { meaning, tell });
      const { words, all, near, unsearched } = await opened;
      const byWords = words
        .search(query, mostRanked)
        .filter(({ share }) => share >= leastShare)
        .map(({ passage }) => passage);
      if (near === null) return found(byWords, unsearched);
      const byMeaning = await near.nearest(query, spend);
      if (byMeaning.ok) {
        const fused = fuseRankings([byWords, byMeaning.passages.slice(0, mostRanked)]);
        return found(fused, [...unsearched, ...(near.compared < all ? [cutNote(near.compared, all)] : [])]);
      }
      if (!told) tell(`search_knowledge ranks by words alone: ${byMeaning.why}`);
      told = true;
      return found(byWords, [...unsearched, 'Found by words alone: the documents could not be compared by meaning.']);
    },
  };
}

function found(passages: readonly Passage[], notes: readonly string[]): FoundPassages {
  return { passages: passages.slice(0, mostPassages), notes };
}

function cutNote(compared: number, all: number): string {
  return `${compared} of ${all} passages were compared by meaning, the others by words alone.`;
}

type OpenedDocuments = {
  readonly words: TextIndex;
  readonly all: number;
  readonly near: NearestPassages | null;
  /** What is said of documents that are not searched. */
  readonly unsearched: readonly string[];
};

async function open(documents: KnowledgeDocuments, { meaning, tell }: KnowledgeSearch): Promise<OpenedDocuments> {
  const { passages, missing } = await readPassages(documents);
  const count = documents.paths.length + documents.beyond;
  const unsearched = missing === 0 ? [] : [`${missing} of ${count} documents were not searched: ${whyNot}.`];
  for (const note of unsearched) tell(`search_knowledge: ${note}`);
  const near = meaning === null ? null : nearestPassages(passages, meaning);
  return { words: new TextIndex(passages), all: passages.length, near, unsearched };
}

const whyNot = `they cannot be read as text, or are beyond the first ${mostFiles} or ${mostBytes / 1_000_000} MB`;

async function readPassages({ repository, paths, beyond }: KnowledgeDocuments) {
  const passages: Passage[] = [];
  let read = 0;
  let bytes = 0;
  for (const path of paths) {
    const content = await repository.readFile(path, 'base');
    if (content.kind !== 'text') continue;
    bytes += content.bytes;
    if (bytes > mostBytes) break;
    read += 1;
    const lines = shown(splitLines(content.text)).map(({ text }) => text);
    passages.push(...passagesOf(path, lines));
  }
  return { passages, missing: paths.length - read + beyond };
}

/** Characters of a passage, and how many of them it shares with the next. */
const longest = 1_000;
const overlap = 200;

/**
 * A document in passages of at most 1,000 characters, which hold all of it. Neighbours share 100 to 200, unless a heading begins the
 * next. They are cut between lines where they can be, else between words.
 */
export function passagesOf(path: string, lines: readonly string[]): readonly Passage[] {
  const text = lines.join('\n');
  const lineStarts = startsOf(lines);
  const headings = lineStarts.filter((_start, line) => /^#{1,6} /.test(lines[line] ?? ''));
  const document: Document = { text, lineStarts, headings };
  const passages: Passage[] = [];
  let start = 0;
  while (start < text.length) {
    const end = endOf(document, start);
    const passage = text.slice(start, end).replace(/\n$/, '');
    if (passage.trim() !== '') {
      passages.push({ path, startLine: lineAt(document, start), endLine: lineAt(document, end - 1), text: passage });
    }
    if (end >= text.length) break;
    start = headings[firstAtLeast(headings, end)] === end ? end : overlapStart(document, end);
  }
  return passages;
}

/** Offsets are in characters of the whole text. */
type Document = {
  readonly text: string;
  readonly lineStarts: readonly number[];
  readonly headings: readonly number[];
};

function startsOf(lines: readonly string[]): readonly number[] {
  let next = 0;
  return lines.map((line) => {
    const start = next;
    next += line.length + 1;
    return start;
  });
}

/** A heading begins the next passage, when this one has some length. */
function endOf({ text, lineStarts, headings }: Document, start: number): number {
  // A last line end is not part of the passage.
  const limit = start + longest + 1;
  const least = start + longest / 4;
  const isBetween = (offset: number) => least < offset && offset <= limit;
  const heading = headings[firstAtLeast(headings, least + 1)];
  if (heading !== undefined && isBetween(heading)) return heading;
  if (text.length < limit) return text.length;
  const line = lineStarts[firstAtLeast(lineStarts, limit + 1) - 1];
  return line !== undefined && isBetween(line) ? line : wholeCharacter(text, wordBefore(text, limit - 1));
}

function overlapStart({ text, lineStarts }: Document, end: number): number {
  const first = end - overlap;
  const line = lineStarts[firstAtLeast(lineStarts, first)];
  if (line !== undefined && line <= end - overlap / 2) return line;
  const space = text.slice(first, end - overlap / 2).search(/\s/);
  return space === -1 ? wholeCharacter(text, first) : first + space + 1;
}

/** Behind the last space of the last 100 characters before an offset; the offset itself where there is none. */
function wordBefore(text: string, offset: number): number {
  const near = text.slice(offset - overlap / 2, offset);
  const space = Math.max(near.lastIndexOf(' '), near.lastIndexOf('\t'));
  return space === -1 ? offset : offset - near.length + space + 1;
}

/** Not between the two halves of a character. */
function wholeCharacter(text: string, offset: number): number {
  return /[\uDC00-\uDFFF]/.test(text.charAt(offset)) ? offset - 1 : offset;
}

/** 1-based. */
function lineAt({ lineStarts }: Document, offset: number): number {
  return firstAtLeast(lineStarts, offset + 1);
}

/** The index of the first number that is at least so much; the length when there is none. Sorted numbers, by halves: documents have many lines. */
function firstAtLeast(numbers: readonly number[], least: number): number {
  let [low, high] = [0, numbers.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((numbers[middle] ?? 0) < least) low = middle + 1;
    else high = middle;
  }
  return low;
}
