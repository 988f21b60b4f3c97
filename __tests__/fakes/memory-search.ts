import { RE2JS } from 're2js';
import type { Repository, TextMatch, TextQuery, TextSearch } from '../../src/core/repository/repository.ts';

/** Searches all files of a repository at head, in the order of their paths. Paths and file patterns are not obeyed. */
export class MemorySearch implements TextSearch {
  readonly queries: TextQuery[] = [];
  readonly #repository: Repository;

  constructor(repository: Repository) {
    this.#repository = repository;
  }

  async search(query: TextQuery) {
    this.queries.push(query);
    if (query.path !== '' || query.filePattern !== '') throw new Error('This fake searches everything.');
    const pattern = RE2JS.compile(query.regex ? query.pattern : RE2JS.quote(query.pattern));
    const matches: TextMatch[] = [];
    for (const { path } of await this.#repository.listFiles('head')) {
      const content = await this.#repository.readFile(path, 'head');
      if (content.kind !== 'text') continue;
      for (const [at, text] of content.text.split('\n').entries()) {
        if (!pattern.matcher(text).find()) continue;
        if (matches.length >= query.limit) return { matches, incomplete: 'limit' } as const;
        matches.push({ path, line: at + 1, text });
      }
    }
    return { matches, incomplete: null } as const;
  }
}
