import { openSyntax } from '../../../src/adapters/syntax/open-syntax.ts';
import { type ContextChain, contextChain } from '../../../src/core/context/context-chain.ts';
import { type SymbolIndex, symbolIndex } from '../../../src/core/context/symbol-index.ts';
import type { Syntax } from '../../../src/core/context/syntax.ts';
import type { ChangedFile } from '../../../src/core/pull-request/changed-file.ts';
import type { Repository, TextSearch } from '../../../src/core/repository/repository.ts';
import { MemorySearch } from '../../fakes/memory-search.ts';
import { sourceSyntaxFiles } from '../../fakes/source-syntax-files.ts';

/** The real parser, from the sources. Close it after the tests. */
export const parser = openSyntax({
  files: sourceSyntaxFiles,
  onProblem: (text) => {
    throw new Error(text);
  },
});

type IndexOptions = {
  readonly syntax?: Syntax | null;
  /** By default everything is searched; null where nothing can be. */
  readonly search?: TextSearch | null;
  readonly isDenied?: (path: string) => string | null;
};

export function indexOf(repository: Repository, options: IndexOptions = {}): SymbolIndex {
  return symbolIndex({
    repository,
    search: options.search === undefined ? new MemorySearch(repository) : options.search,
    syntax: options.syntax === undefined ? parser : options.syntax,
    isDenied: options.isDenied ?? (() => null),
    now: () => performance.now(),
  });
}

type ChainOf = IndexOptions & {
  readonly changes: readonly ChangedFile[];
  readonly maxTokens?: number;
  readonly signaturesOnly?: boolean;
};

/** The chain of a change whose hunks are all shown. */
export function chainOf(repository: Repository, options: ChainOf): Promise<ContextChain> {
  const { changes, maxTokens = 5_000, signaturesOnly = false } = options;
  return contextChain(indexOf(repository, options), {
    changes: changes.map((file) => ({ file, hunks: file.hunks })),
    maxTokens,
    signaturesOnly,
  });
}

/** `defines src/tax.ts taxFor` of each entry. */
export function placesOf(chain: ContextChain): readonly string[] {
  return chain.entries.map(({ relation, path, symbol, startLine, endLine }) => {
    const lines = startLine === endLine ? startLine : `${startLine}-${endLine}`;
    return `${relation} ${path}:${lines} ${symbol}`.trimEnd();
  });
}
