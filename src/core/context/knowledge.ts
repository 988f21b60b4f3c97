import type { Spend } from '../agent/tool.ts';
import { anyGlob } from '../repository/linear-glob.ts';
import type { Repository } from '../repository/repository.ts';
import { shown, splitLines } from '../repository/shown.ts';
import type { Embedding } from './embed-texts.ts';
import { fuseRankings } from './fuse-rankings.ts';
import { type NearestPassages, nearestPassages } from './nearest-passages.ts';
import { passagesOf } from './passages.ts';
import { type Passage, TextIndex } from './text-index.ts';

/** The team's documents at the base commit, searched by words, and by meaning where that is wanted and works. */
export interface Knowledge {
  search(query: string, spend: Spend): Promise<FoundPassages>;
}

export type FoundPassages = {
  /** The best first; empty when none is relevant. */
  readonly passages: readonly Passage[];
  /** What whoever reads them should know of how they were found, one sentence each. */
  readonly notes: readonly string[];
};

/** How the documents are searched. */
export type KnowledgeSearch = {
  /** Compares by meaning, too; null searches by words alone. */
  readonly meaning: Embedding | null;
  /** Told once what did not work and what is not searched. A sentence may hold words of the server. */
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
  { globs, isDenied }: { readonly globs: readonly string[]; readonly isDenied: (path: string) => string | null },
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
  let opened: Promise<Opened> | null = null;
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
  return `Of ${all} passages ${compared} were compared by meaning, the others by words alone.`;
}

type Opened = {
  readonly words: TextIndex;
  readonly all: number;
  readonly near: NearestPassages | null;
  /** What is said of documents that are not searched. */
  readonly unsearched: readonly string[];
};

async function open(documents: KnowledgeDocuments, { meaning, tell }: KnowledgeSearch): Promise<Opened> {
  const { passages, missing } = await readPassages(documents);
  const count = documents.paths.length + documents.beyond;
  const unsearched = missing === 0 ? [] : [`Of ${count} documents ${missing} were not searched: ${whyNot}.`];
  for (const note of unsearched) tell(`search_knowledge: ${note}`);
  const near = meaning === null ? null : nearestPassages(passages, meaning);
  return { words: new TextIndex(passages), all: passages.length, near, unsearched };
}

const whyNot = `they cannot be read as text, or are beyond the first ${mostFiles} or ${mostBytes / 1_000_000} MB`;

type ReadPassages = { readonly passages: readonly Passage[]; readonly missing: number };

async function readPassages({ repository, paths, beyond }: KnowledgeDocuments): Promise<ReadPassages> {
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
