import { openSyntax } from '../../../src/adapters/syntax/syntax.ts';
import { Budget } from '../../../src/core/agent/budget.ts';
import { noUsage, type Price, type Usage } from '../../../src/core/agent/model.ts';
import { type ContextChain, contextChain } from '../../../src/core/context/context-chain.ts';
import { type SymbolIndex, symbolIndex } from '../../../src/core/context/symbol-index.ts';
import { type Embedder, type Embedding, type Vector, vectorOf } from '../../../src/core/knowledge/by-meaning.ts';
import { findDocuments, openKnowledge } from '../../../src/core/knowledge/knowledge.ts';
import type { Syntax } from '../../../src/core/languages/syntax.ts';
import type { ChangedFile } from '../../../src/core/pull-request/changed-file.ts';
import type { Repository, TextSearch } from '../../../src/core/repository/repository.ts';
import { searchKnowledge } from '../../../src/core/tools/search-knowledge.ts';
import { FakeClock, MemoryRepository, MemorySearch, sourceSyntaxFiles } from '../../fakes/memory-repository.ts';
import { resultOf } from '../tools/tools-over.ts';

const docs = {
  'docs/rounding.md': '# Rounding\n\nTaxes are rounded half up.\n',
  'docs/login.md': '# Login\n\nSessions end after an hour.\n',
  'docs/refunds.md': '# Refunds\n\nMoney goes back within a day.\n',
};

/** Knows three matters: fractions, identity and giving back. */
const matters = [/round|fraction|cents/i, /login|session|identity/i, /refund|back/i];
export function meaningOf(text: string): Vector {
  const known = matters.map((matter) => Number(matter.test(text)));
  return vectorOf([...known, known.includes(1) ? 0 : 1]) ?? new Int8Array(matters.length + 1);
}

/** Answers by meaning, and keeps what it was asked. */
export class FakeEmbedder implements Embedder {
  readonly requests: (readonly string[])[] = [];
  readonly #answer: (texts: readonly string[], turn: number) => readonly Vector[];

  constructor(answer: (texts: readonly string[], turn: number) => readonly Vector[] = (texts) => texts.map(meaningOf)) {
    this.#answer = answer;
  }

  async embed(texts: readonly string[]) {
    this.requests.push(texts);
    const vectors = this.#answer(texts, this.requests.length - 1);
    return { vectors, usage: { ...noUsage, input: texts.length * 10 } };
  }
}

export type SearchOptions = {
  readonly files?: { readonly [path: string]: string };
  readonly maxTokens?: number;
  readonly price?: Price;
};

/** The tool over these documents, with everything that it told and spent. */
export async function searching(embedder: Embedder, { files = docs, maxTokens = 100_000, price }: SearchOptions = {}) {
  const clock = new FakeClock();
  const budget = new Budget({ maxTokens, maxCost: null, softDeadline: 600_000, hardDeadline: 700_000, now: clock.now });
  const told: string[] = [];
  const used: { usage: Usage; cost: number | null }[] = [];
  const signal = new AbortController().signal;
  const meaning: Embedding = { embedder, budget, clock, signal, price: price ?? null, random: () => 0 };
  const repository = new MemoryRepository(files);
  const documents = await findDocuments(repository, { globs: ['docs/**'], isDenied: () => null });
  if (documents === null) throw new Error('no documents');
  const tool = searchKnowledge(openKnowledge(documents, { meaning, tell: (note) => told.push(note) }));
  const ask = async (query: string) =>
    String(await clock.drive(resultOf(tool, { query }, { signal, spend: (each) => used.push(each) })));
  return { ask, told, used, budget, clock };
}

/** The numbers and places of an answer. */
export const placesIn = (answer: string) => answer.match(/^\[\d\] \S+/gm) ?? [];

/** The real parser, from the sources. Close it after the tests. */
export const parser = openSyntax({
  files: sourceSyntaxFiles,
  onProblem: (text) => {
    throw new Error(text);
  },
});

/** Knows all languages, and can read no text of them. */
export const brokenParser: Syntax = { languageOf: () => 'x', parse: async () => null };

/** As long as it takes: how fast the machine is proves nothing here. */
const patient: Syntax = { ...parser, parse: (file) => parser.parse(file, { milliseconds: 60_000 }) };

type IndexOptions = {
  /** By default the real parser. */
  readonly syntax?: Syntax;
  /** By default everything is searched; null where nothing can be. */
  readonly search?: TextSearch | null;
  readonly isDenied?: (path: string) => string | null;
};

export function indexOf(repository: Repository, options: IndexOptions = {}): SymbolIndex {
  return symbolIndex({
    repository,
    search: options.search === undefined ? new MemorySearch(repository) : options.search,
    syntax: options.syntax ?? patient,
    isDenied: options.isDenied ?? (() => null),
    now: () => 0,
  });
}

type ChainOf = IndexOptions & {
  readonly changes: readonly ChangedFile[];
  readonly maxTokens?: number;
};

/** The chain of a change whose hunks are all shown. */
export function chainOf(repository: Repository, options: ChainOf): Promise<ContextChain> {
  const { changes, maxTokens = 5_000 } = options;
  return contextChain(indexOf(repository, options), {
    changes: changes.map((file) => ({ file, hunks: file.hunks })),
    maxTokens,
  });
}

/** `defines src/tax.ts taxFor` of each entry. */
export function placesOf(chain: ContextChain): readonly string[] {
  return chain.entries.map(({ relation, path, symbol, startLine, endLine }) => {
    const lines = startLine === endLine ? startLine : `${startLine}-${endLine}`;
    return `${relation} ${path}:${lines} ${symbol}`.trimEnd();
  });
}
