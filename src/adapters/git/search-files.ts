import type { Repository, TextMatch, TextMatches } from '../../core/repository/repository.ts';
import { type PreparedQuery, shownMatch } from './text-query.ts';

// One line of this length takes a moment only, so the deadline is kept between lines.
const maxLineCharacters = 50_000;

/** Searches file by file with the linear-time engine, until the deadline. */
export async function searchFiles(
  search: PreparedQuery & {
    readonly repository: Repository;
    readonly now: () => number;
    readonly deadline: number;
  },
): Promise<TextMatches> {
  const { repository, accepts, limit, find, now, deadline } = search;
  const matches: TextMatch[] = [];
  for (const { path, kind } of await repository.listFiles('head')) {
    if (kind !== 'file' || !isWithin(search.path, path) || !accepts(path)) continue;
    if (now() > deadline) return { matches, incomplete: 'time' };
    const file = await repository.readFile(path, 'head');
    if (file.kind !== 'text') continue;
    for (const [index, line] of file.text.split('\n').entries()) {
      if (now() > deadline) return { matches, incomplete: 'time' };
      const text = line.slice(0, maxLineCharacters);
      if (find(text) === -1) continue;
      if (matches.length >= limit) return { matches, incomplete: 'limit' };
      matches.push(shownMatch({ path, line: index + 1, text }, find));
    }
  }
  return { matches, incomplete: null };
}

function isWithin(folder: string, path: string): boolean {
  return folder === '' || path === folder || path.startsWith(`${folder}/`);
}
