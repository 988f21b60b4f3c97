import { Budget } from '../../../src/core/agent/budget.ts';
import type { Price } from '../../../src/core/agent/price.ts';
import type { Usage } from '../../../src/core/agent/usage.ts';
import type { Embedding } from '../../../src/core/context/embed-texts.ts';
import { type Embedder, type Vector, vectorOf } from '../../../src/core/context/embedder.ts';
import { findDocuments, openKnowledge } from '../../../src/core/context/knowledge.ts';
import { searchKnowledge } from '../../../src/core/tools/search-knowledge.ts';
import { FakeClock } from '../../fakes/fake-clock.ts';
import { MemoryRepository } from '../../fakes/memory-repository.ts';

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
    return { vectors, usage: { input: texts.length * 10, cached: 0, output: 0, thinking: 0, estimated: false } };
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
  const meaning: Embedding = {
    ...{ embedder, budget, clock, signal, price: price ?? null },
    random: () => 0,
  };
  const repository = new MemoryRepository(files);
  const documents = await findDocuments(repository, { globs: ['docs/**'], isDenied: () => null });
  if (documents === null) throw new Error('no documents');
  const tool = searchKnowledge(openKnowledge(documents, { meaning, tell: (note) => told.push(note) }));
  const ask = async (query: string) =>
    String(await clock.drive(tool.run({ query }, signal, (each) => used.push(each))));
  return { ask, told, used, budget, clock };
}

/** The numbers and places of an answer. */
export const placesIn = (answer: string) => answer.match(/^\[\d\] \S+/gm) ?? [];
