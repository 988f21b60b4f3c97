import { estimateTokens } from '../agent/estimate.ts';
import type { Spend } from '../agent/tool.ts';
import { alternate } from './alternate.ts';
import { type EmbeddedTexts, type Embedding, embedTexts } from './embed-texts.ts';
import { similarity, type Vector } from './embedder.ts';
import type { Passage } from './text-index.ts';

/** Passages that are embedded at most, and their share of the run's tokens: most of these are for reading code. */
const mostPassages = 1_000;
const share = 0.2;
/** The cosine below which texts of different matters lie at most models. */
const leastSimilarity = 0.3;

export type Nearest =
  | { readonly ok: true; readonly passages: readonly Passage[] }
  /** One sentence. Untrusted where a server wrote it. */
  | { readonly ok: false; readonly why: string };

export type NearestPassages = {
  /** How many passages are compared; fewer than there are where that would cost too much. */
  readonly compared: number;
  /** Passages that mean something like the query, the nearest first. What failed once is not tried again. */
  nearest(query: string, spend: Spend): Promise<Nearest>;
};

/** Compares by meaning. The passages are embedded at the first search, once for all that search at the same time. */
export function nearestPassages(passages: readonly Passage[], embedding: Embedding): NearestPassages {
  const chosen = affordable(passages, embedding.budget.maxTokens * share);
  let documents: Promise<EmbeddedTexts> | null = null;
  let failure: Nearest | null = null;
  async function find(query: string, spend: Spend): Promise<Nearest> {
    documents ??= embedTexts(chosen.map(textOf), embedding, spend);
    const known = await documents;
    if (!known.ok) return known;
    const asked = await embedTexts([query], embedding, spend);
    if (!asked.ok) return asked;
    const similarities = compare(asked.vectors[0], known.vectors);
    if (similarities === null) return { ok: false, why: 'the vectors have different lengths.' };
    return { ok: true, passages: ranked(chosen, similarities) };
  }
  return {
    compared: chosen.length,
    nearest: async (query, spend) => {
      const found = failure ?? (await find(query, spend));
      if (!found.ok) failure ??= found;
      return found;
    },
  };
}

/** The beginning of every document before the rest of any. */
function affordable(passages: readonly Passage[], tokens: number): readonly Passage[] {
  const documents = new Map<string, Passage[]>();
  for (const passage of passages) {
    const others = documents.get(passage.path);
    if (others === undefined) documents.set(passage.path, [passage]);
    else others.push(passage);
  }
  const chosen: Passage[] = [];
  let left = tokens;
  for (const passage of alternate([...documents.values()]).slice(0, mostPassages)) {
    left -= estimateTokens(textOf(passage));
    if (left < 0) break;
    chosen.push(passage);
  }
  return chosen;
}

/** The path says what a passage is about, too. */
function textOf({ path, text }: Passage): string {
  return `${path}\n${text}`;
}

function compare(query: Vector | undefined, documents: readonly Vector[]): readonly number[] | null {
  if (query === undefined || documents.some(({ length }) => length !== query.length)) return null;
  return documents.map((document) => similarity(query, document));
}

function ranked(passages: readonly Passage[], similarities: readonly number[]): readonly Passage[] {
  return passages
    .flatMap((passage, at) => ({ passage, near: similarities[at] ?? 0 }))
    .filter(({ near }) => near >= leastSimilarity)
    .sort((one, other) => other.near - one.near)
    .map(({ passage }) => passage);
}
