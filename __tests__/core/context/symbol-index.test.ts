import { describe, expect, it } from 'vitest';
import { symbolIndex } from '../../../src/core/context/symbol-index.ts';
import type { TextMatches, TextQuery, TextSearch } from '../../../src/core/repository/repository.ts';
import { MemoryRepository } from '../../fakes/memory-repository.ts';
import { MemorySearch } from '../../fakes/memory-search.ts';

const repository = new MemoryRepository({ 'a.ts': 'export function tax() {}\n', 'b.ts': 'tax(total);\n' });
const uses = { definitions: false, limit: 600, shared: true } as const;

function indexOver(search: TextSearch, given: { readonly files?: number; readonly now?: () => number } = {}) {
  const { files = 2, now = () => 0 } = given;
  const many = Object.fromEntries(Array.from({ length: files }, (_, index) => [`f${index}.ts`, '']));
  const over = files === 2 ? repository : new MemoryRepository(many);
  return symbolIndex({ repository: over, search, syntax: null, isDenied: () => null, now, deadline: 1_000 });
}

/** Finds nothing, and counts. */
function countingSearch(answer: Partial<TextMatches> = {}) {
  const queries: TextQuery[] = [];
  const search = async (query: TextQuery): Promise<TextMatches> => {
    queries.push(query);
    return { matches: [], incomplete: null, ...answer };
  };
  return { search, queries };
}

describe('the searches that the bundles of a run share', () => {
  it('look for a name once, and answer the same again', async () => {
    const search = new MemorySearch(repository);
    const index = indexOver(search);
    const first = await index.search(['tax'], uses);
    expect(await index.search(['tax', 'total'], uses)).toEqual({
      lines: [
        { path: 'a.ts', line: 1, text: 'export function tax() {}' },
        { path: 'b.ts', line: 1, text: 'tax(total);' },
      ],
      incomplete: null,
    });
    expect(await index.search(['tax'], uses)).toEqual(first);
    expect(search.queries.map(({ pattern }) => pattern)).toEqual(['(?:\\btax\\b)', '(?:\\btotal\\b)']);
  });

  it.each([
    ['300 times', 2, {}, 300],
    ['less often the more files a search reads', 100_000, {}, 20],
    ['not again when two ran out of time', 2, { incomplete: 'time' }, 2],
  ] as const)('search %s', async (_name, files, answer, times) => {
    const search = countingSearch(answer);
    const index = indexOver(search, { files });
    const found = [];
    for (let number = 0; number < 320; number += 1) found.push(await index.search([`name${number}`], uses));
    expect(search.queries).toHaveLength(times);
    expect(found.at(-1)).toEqual({ lines: [], incomplete: 'searches' });
  });

  it('leave the searches that a model asks for alone', async () => {
    const search = countingSearch();
    const index = indexOver(search);
    for (let number = 0; number < 320; number += 1) await index.search(['name'], { ...uses, shared: false });
    expect(search.queries).toHaveLength(320);
  });

  it('end with the time of the run', async () => {
    const search = countingSearch();
    const index = indexOver(search, { now: () => 1_000 });
    expect(await index.search(['name'], { ...uses, shared: false })).toEqual({ lines: [], incomplete: 'time' });
    expect(search.queries).toEqual([]);
  });
});
