import type { Clock } from '../agent/agent.ts';
import type { Budget, Reservation } from '../agent/budget.ts';
import { waitBeforeRetry } from '../agent/call-model.ts';
import { estimateTokens } from '../agent/estimate.ts';
import { costOf, ModelError, noUsage, type Price, type Usage } from '../agent/model.ts';
import type { Spend } from '../agent/tool.ts';
import { withTimeLimit } from '../agent/waiting.ts';
import { alternate } from '../context/symbol-index.ts';
import { groupBy } from '../text.ts';
import type { Passage } from './by-words.ts';

/** What embedding takes part in: the tokens, the money and the time of the whole run. */
export type Embedding = {
  readonly embedder: Embedder;
  readonly budget: Budget;
  /** Of the embedding model; null when it is not known: then cost is not counted. */
  readonly price: Price | null;
  readonly clock: Clock;
  readonly random: () => number;
  /** Of the run. */
  readonly signal: AbortSignal;
};

type EmbeddedTexts = { readonly ok: true; readonly vectors: readonly Vector[] } | Failed;
/** `why` is one sentence. Untrusted where a server wrote it. */
type Failed = { readonly ok: false; readonly why: string };

/** Texts of a request: servers of one's own often take no more. */
const batch = 32;
const attempts = 2;
/** Milliseconds: of one request, of the wait before another, and of all batches. */
const callMilliseconds = 30_000;
const longestWait = 10_000;
const allMilliseconds = 90_000;

/** The vectors of texts, in batches, each reserved and settled like a call of the model. Throws only for bugs. */
async function embedTexts(texts: readonly string[], embedding: Embedding, spend: Spend): Promise<EmbeddedTexts> {
  const { clock } = embedding;
  const end = clock.now() + allMilliseconds;
  const vectors: Vector[] = [];
  for (let start = 0; start < texts.length; start += batch) {
    if (clock.now() >= end) return failed(`it took longer than ${allMilliseconds / 1_000} seconds.`);
    const embedded = await embedBatch(texts.slice(start, start + batch), embedding, spend);
    if (!embedded.ok) return embedded;
    vectors.push(...embedded.vectors);
  }
  const lengths = new Set(vectors.map(({ length }) => length));
  return lengths.size > 1 ? failed('the vectors have different lengths.') : { ok: true, vectors };
}

async function embedBatch(texts: readonly string[], embedding: Embedding, spend: Spend): Promise<EmbeddedTexts> {
  const size = { input: texts.reduce((sum, text) => sum + estimateTokens(text), 0), output: 0 };
  const nothing = { input: 0, output: 0 };
  const { budget, price } = embedding;
  const member = budget.enter({ opening: size, lastCall: nothing, price });
  if (!member.granted) return failed(limits[member.limit]);
  try {
    for (let number = 1; ; number += 1) {
      const reservation = member.reserve(size, nothing);
      if (!reservation.granted) return failed(limits[reservation.limit]);
      const answer = await attempt(texts, { ...embedding, reservation, spend });
      if (!(answer instanceof ModelError)) return answer;
      if (!(await mayTryAgain(answer, number, embedding))) return failed(answer.message);
    }
  } finally {
    member.leave();
  }
}

const limits = {
  tokens: 'the tokens of the run are used up.',
  cost: 'the money of the run is used up.',
  time: 'the time of the run is used up.',
} as const;

type Attempt = Embedding & { readonly reservation: Reservation; readonly spend: Spend };

/** One request, settled with what it used. An error is given back: whether to try again is not decided here. */
async function attempt(texts: readonly string[], made: Attempt): Promise<EmbeddedTexts | ModelError> {
  const { embedder, budget, price, clock, signal, reservation, spend } = made;
  let usage: Usage = { ...noUsage, input: reservation.input, estimated: true };
  try {
    const milliseconds = Math.min(callMilliseconds, budget.softDeadline - clock.now());
    const timed = await withTimeLimit({ clock, milliseconds, signal }, (until) => embedder.embed(texts, until));
    if (timed.ended === 'cancelled') return failed('the run was cancelled.');
    if (timed.ended === 'time') return failed(`no answer came within ${Math.round(milliseconds / 1_000)} seconds.`);
    usage = timed.value.usage ?? usage;
    const { vectors } = timed.value;
    return vectors.length === texts.length ? { ok: true, vectors } : failed('not every text got a vector.');
  } catch (error) {
    if (!(error instanceof ModelError)) throw error;
    if (!error.maybeBilled) usage = noUsage;
    return error;
  } finally {
    // Another tokenizer: the estimates of the model's own calls learn nothing from it.
    reservation.settle({ ...usage, estimated: true });
    spend({ usage, cost: price === null ? null : costOf(usage, price) });
  }
}

async function mayTryAgain(error: ModelError, number: number, embedding: Embedding): Promise<boolean> {
  const { clock, random, signal } = embedding;
  const wait = waitBeforeRetry(error, { attempt: number, random });
  if (error.kind !== 'transient' || number >= attempts || wait > longestWait || signal.aborted) return false;
  await clock.wait(wait, signal);
  return !signal.aborted;
}

function failed(why: string): Failed {
  return { ok: false, why };
}

/** Passages that are embedded at most, and their share of the run's tokens: most of these are for reading code. */
const mostPassages = 1_000;
const share = 0.2;
/** The cosine below which texts of different matters lie at most models. */
const leastSimilarity = 0.3;

type Nearest = { readonly ok: true; readonly passages: readonly Passage[] } | Failed;

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
    if (similarities === null) return failed('the vectors have different lengths.');
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
  const documents = groupBy(passages, ({ path }) => path);
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

/** A direction in signed bytes: scaled so that the largest component is 127. A quarter of the size, and as good to compare by. */
export type Vector = Int8Array;

export type Embedded = {
  /** One for each text, in their order. */
  readonly vectors: readonly Vector[];
  /** Null when the server did not report it. */
  readonly usage: Usage | null;
};

/** Turns texts into vectors that lie near each other when the texts mean alike. One request, one attempt. */
export interface Embedder {
  /** @throws ModelError for everything that a server or the connection can do wrong, an answer that cannot be used too. */
  embed(texts: readonly string[], signal: AbortSignal): Promise<Embedded>;
}

/** Null for what has no direction: nothing, zeros, or what is no number. */
export function vectorOf(components: readonly number[]): Vector | null {
  const largest = components.reduce((most, each) => Math.max(most, Math.abs(each)), 0);
  if (!Number.isFinite(largest) || largest === 0 || components.some(Number.isNaN)) return null;
  return Int8Array.from(components, (each) => Math.round((each / largest) * 127));
}

/** The cosine of the angle between two vectors of the same length: 1 for the same direction. */
export function similarity(one: Vector, other: Vector): number {
  let product = 0;
  let length = 0;
  let otherLength = 0;
  for (let at = 0; at < one.length; at += 1) {
    const [a, b] = [one[at] ?? 0, other[at] ?? 0];
    product += a * b;
    length += a * a;
    otherLength += b * b;
  }
  return product === 0 ? 0 : product / Math.sqrt(length * otherLength);
}
