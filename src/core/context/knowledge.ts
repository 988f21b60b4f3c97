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
  /** What whoever reads them should know of how they were found, a sentence each. */
  readonly notes: readonly string[];
};

/** Compares by meaning, too. */
export type MeaningSearch = Embedding & {
  /** Told once when it does not work. The sentence may hold words of the server. */
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
    .map(({ path }) => path)
    .slice(0, mostFiles);
  return paths.length === 0 ? null : { repository, paths };
}

/** Reads the documents at the first search, once. `meaning: null` searches by words alone. */
export function openKnowledge(documents: KnowledgeDocuments, meaning: MeaningSearch | null): Knowledge {
  let opened: Promise<Opened> | null = null;
  let told = false;
  return {
    search: async (query, spend) => {
      opened ??= open(documents, meaning);
      const { words, all, near } = await opened;
      const byWords = words
        .search(query, mostRanked)
        .filter(({ share }) => share >= leastShare)
        .map(({ passage }) => passage);
      if (near === null || meaning === null) return found(byWords, []);
      const byMeaning = await near.nearest(query, spend);
      if (byMeaning.ok) {
        const fused = fuseRankings([byWords, byMeaning.passages.slice(0, mostRanked)]);
        return found(fused, near.compared < all ? [cutNote(near.compared, all)] : []);
      }
      if (!told) meaning.tell(`search_knowledge ranks by words alone: ${byMeaning.why}`);
      told = true;
      return found(byWords, ['Found by words alone: the documents could not be compared by meaning.']);
    },
  };
}

function found(passages: readonly Passage[], notes: readonly string[]): FoundPassages {
  return { passages: passages.slice(0, mostPassages), notes };
}

function cutNote(compared: number, all: number): string {
  return `Of ${all} passages ${compared} were compared by meaning, the others by words alone.`;
}

type Opened = { readonly words: TextIndex; readonly all: number; readonly near: NearestPassages | null };

async function open(documents: KnowledgeDocuments, meaning: MeaningSearch | null): Promise<Opened> {
  const passages = await readPassages(documents);
  const near = meaning === null ? null : nearestPassages(passages, meaning);
  return { words: new TextIndex(passages), all: passages.length, near };
}

async function readPassages({ repository, paths }: KnowledgeDocuments): Promise<readonly Passage[]> {
  const passages: Passage[] = [];
  let bytes = 0;
  for (const path of paths) {
    const content = await repository.readFile(path, 'base');
    if (content.kind !== 'text') continue;
    bytes += content.bytes;
    if (bytes > mostBytes) break;
    const lines = shown(splitLines(content.text)).map(({ text }) => text);
    passages.push(...passagesOf(path, lines));
  }
  return passages;
}
