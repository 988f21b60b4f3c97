import { findSymbol } from './find-symbol.ts';
import { getFileStructure } from './get-file-structure.ts';
import { getGitBlame, getGitLog } from './git-history.ts';
import { listFiles } from './list-files.ts';
import { readDiff } from './read-diff.ts';
import { readFile, readFileLines } from './read-file.ts';
import { searchKnowledge } from './search-knowledge.ts';
import { searchText } from './search-text.ts';
import type { Sources, Tool } from './sources.ts';
import { viewImage } from './view-image.ts';

/** The tools that a run offers, chosen once and in a fixed order: providers cache the start of a prompt. */
export function readingTools(sources: Sources): readonly Tool[] {
  const { search, history, symbols, files } = sources;
  const parsed = symbols !== undefined && search !== null && files.some(({ path }) => symbols.knows(path));
  return [
    readFile(sources),
    readFileLines(sources),
    listFiles(sources),
    ...(search === null ? [] : [searchText(sources, search)]),
    getFileStructure(sources),
    ...(sources.offerDiff ? [readDiff(sources)] : []),
    ...(sources.knowledge === undefined ? [] : [searchKnowledge(sources.knowledge, sources)]),
    ...(history === null ? [] : [getGitBlame(sources, history), getGitLog(sources, history)]),
    ...(parsed ? [findSymbol(sources, symbols)] : []),
    ...(sources.images === undefined ? [] : [viewImage(sources, sources.images)]),
  ];
}
