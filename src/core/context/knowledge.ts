import { anyGlob } from '../repository/linear-glob.ts';
import type { Repository } from '../repository/repository.ts';
import { shown, splitLines } from '../repository/shown.ts';
import { passagesOf } from './passages.ts';
import { type Passage, TextIndex } from './text-index.ts';

/** The team's documents at the base commit, searched by words. */
export interface Knowledge {
  /** The best passages, most relevant first; empty when none shares a word that counts. */
  search(query: string): Promise<readonly Passage[]>;
}

const mostPassages = 3;
const mostFiles = 2_000;
const mostBytes = 20_000_000;
/** Below this a passage shares little more than a word that is everywhere. */
const leastScore = 0.5;

/** Null when no document fits the globs. The index is built at the first search. */
export async function openKnowledge(
  repository: Repository,
  { globs, isDenied }: { readonly globs: readonly string[]; readonly isDenied: (path: string) => string | null },
): Promise<Knowledge | null> {
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
  if (paths.length === 0) return null;
  let index: Promise<TextIndex> | null = null;
  return {
    search: async (query) => {
      index ??= indexOf(repository, paths);
      const ranked = (await index).search(query, mostPassages);
      return ranked.filter(({ score }) => score >= leastScore).map(({ passage }) => passage);
    },
  };
}

async function indexOf(repository: Repository, paths: readonly string[]): Promise<TextIndex> {
  const passages: Passage[] = [];
  let bytes = 0;
  for (const path of paths) {
    const content = await repository.readFile(path, 'base');
    if (content.kind !== 'text') continue;
    bytes += content.bytes;
    if (bytes > mostBytes) break;
    passages.push(
      ...passagesOf(
        path,
        shown(splitLines(content.text)).map(({ text }) => text),
      ),
    );
  }
  return new TextIndex(passages);
}
