import type { Budget, Reservation } from '../agent/budget.ts';
import type { Clock } from '../agent/clock.ts';
import { estimateTokens } from '../agent/estimate.ts';
import { ModelError } from '../agent/model.ts';
import { costOf, type Price } from '../agent/price.ts';
import { waitBeforeRetry } from '../agent/retry.ts';
import { withTimeLimit } from '../agent/time-limit.ts';
import type { Spend } from '../agent/tool.ts';
import { noUsage, type Usage } from '../agent/usage.ts';
import type { Embedder, Vector } from './embedder.ts';

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

export type EmbeddedTexts =
  | { readonly ok: true; readonly vectors: readonly Vector[] }
  /** One sentence. Untrusted where a server wrote it. */
  | { readonly ok: false; readonly why: string };

/** Texts of a request: servers of one's own often take no more. */
const batch = 32;
const attempts = 2;
/** Milliseconds: of one request, of the wait before another, and of all batches. */
const callMilliseconds = 30_000;
const longestWait = 10_000;
const allMilliseconds = 90_000;

/** The vectors of texts, in batches, each reserved and settled like a call of the model. Throws only for bugs. */
export async function embedTexts(texts: readonly string[], embedding: Embedding, spend: Spend): Promise<EmbeddedTexts> {
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

function failed(why: string): EmbeddedTexts {
  return { ok: false, why };
}
