import type { Repository, TextMatch, TextMatches, TextSearch } from '../../core/repository/repository.ts';
import { grepParser } from './grep-output.ts';
import { type Git, GitError } from './run-git.ts';
import { searchFiles } from './search-files.ts';
import { type PreparedQuery, prepareQuery, shownMatch } from './text-query.ts';

/** Searches the files at head by `git grep` on the commit. Patterns come back within 5 seconds, whatever they are. */
export function searchText(options: {
  readonly git: Git;
  readonly head: string;
  readonly repository: Repository;
  /** Milliseconds of a clock that never goes back. */
  readonly now: () => number;
}): TextSearch {
  return {
    search: async (query) => {
      const prepared = prepareQuery(query);
      const deadline = options.now() + prepared.timeout;
      try {
        return await grep({ ...options, ...prepared });
      } catch (error) {
        // PCRE gives up on the whole search at a hostile pattern, and may be missing from this git.
        if (!query.regex || !(error instanceof GitError) || error.exitCode !== 128) throw error;
        return searchFiles({ ...options, ...prepared, deadline });
      }
    },
  };
}

async function grep(search: PreparedQuery & { readonly git: Git; readonly head: string }): Promise<TextMatches> {
  const { git, head, accepts, limit, find } = search;
  const matches: TextMatch[] = [];
  let more = false;
  const parser = grepParser(head, (match) => {
    if (!accepts(match.path)) return 'go on';
    if (matches.length >= limit) {
      more = true;
      return 'stop';
    }
    matches.push(shownMatch(match, find));
    return 'go on';
  });
  const { stopped } = await git.run(
    [
      ...['grep', '-z', '-n', '-I', '--no-color', '--no-recurse-submodules', search.regex ? '-P' : '-F'],
      ...['-e', search.pattern, head, '--', ...(search.path === '' ? [] : [search.path])],
    ],
    { timeout: search.timeout, accept: [1], onOutput: parser.push },
  );
  if (more) return { matches, incomplete: 'limit' };
  return { matches, incomplete: stopped === 'time' ? 'time' : null };
}
