import { type Amount, Budget, type CallSize } from '../src/core/agent/budget.ts';
import { estimateTokens, requestEstimator } from '../src/core/agent/estimate.ts';
import { type Model, ModelError, noUsage, type Price, type Usage } from '../src/core/agent/model.ts';
import type { Embedder } from '../src/core/knowledge/by-meaning.ts';

/** In input and output tokens, and US$; null is no limit. */
export type EvalLimits = { readonly maxTokens: number | null; readonly maxCost: number | null };

type Metering = { readonly price: Price | null; readonly onRefused: () => void };

/** What all reviews of an evaluation and its judge may use together. A call that might not fit is not made, and no further case starts. */
export class EvalBudget {
  readonly #budget: Budget;
  readonly #inFlight = new Set<Promise<unknown>>();
  #reached: 'tokens' | 'cost' | null = null;

  constructor({ maxTokens, maxCost }: EvalLimits) {
    const never = Number.POSITIVE_INFINITY;
    const deadlines = { softDeadline: never, hardDeadline: never, now: () => 0 };
    this.#budget = new Budget({ maxTokens: maxTokens ?? never, maxCost, ...deadlines });
  }

  get used(): Amount {
    return { tokens: this.#budget.spent, cost: this.#budget.spentCost };
  }

  /** The limit that a call might not fit; null while cases may start. */
  get reached(): 'tokens' | 'cost' | null {
    return this.#reached;
  }

  meteredModel(model: Model | null, metering: Metering): Model | null {
    if (model === null) return null;
    const inputOf = requestEstimator(estimateTokens);
    return {
      answer: (request, signal) => {
        const size = { input: inputOf(request), output: request.maxOutputTokens };
        return this.#pay(size, metering, () => model.answer(request, signal));
      },
    };
  }

  meteredEmbedder(embedder: Embedder | null, metering: Metering): Embedder | null {
    if (embedder === null) return null;
    return {
      embed: (texts, signal) => {
        const size = { input: estimateTokens(texts.join('\n')), output: 0 };
        return this.#pay(size, metering, () => embedder.embed(texts, signal));
      },
    };
  }

  async #pay<Answer extends { readonly usage: Usage | null }>(
    size: CallSize,
    { price, onRefused }: Metering,
    call: () => Promise<Answer>,
  ): Promise<Answer> {
    let reservation = this.#reserve(size, price);
    // Calls in flight use less than the most they might, so the rest is waited for.
    while (!reservation.granted && this.#inFlight.size > 0) {
      await Promise.race(this.#inFlight);
      reservation = this.#reserve(size, price);
    }
    if (!reservation.granted) {
      this.#reached ??= reservation.limit === 'cost' ? 'cost' : 'tokens';
      onRefused();
      throw new ModelError('aborted', 'The limit of the evaluation was reached.');
    }
    const answer = settled(call, size, reservation.settle);
    const ended: Promise<unknown> = answer.catch(() => undefined).finally(() => this.#inFlight.delete(ended));
    this.#inFlight.add(ended);
    return answer;
  }

  #reserve(size: CallSize, price: Price | null) {
    const member = this.#budget.enter({ opening: null, lastCall: size, price });
    if (!member.granted) return member;
    const reservation = member.reserveLast(size);
    if (!reservation.granted) return reservation;
    const settle = (usage: Usage) => {
      reservation.settle(usage);
      member.leave();
    };
    return { ...reservation, settle };
  }
}

async function settled<Answer extends { readonly usage: Usage | null }>(
  call: () => Promise<Answer>,
  size: CallSize,
  settle: (usage: Usage) => void,
): Promise<Answer> {
  // A server may go on with a call that was given up, and bill it.
  let usage: Usage = { ...noUsage, ...size, estimated: true };
  try {
    const answer = await call();
    usage = answer.usage ?? usage;
    return answer;
  } catch (error) {
    if (error instanceof ModelError && error.kind !== 'aborted' && !error.maybeBilled) usage = noUsage;
    throw error;
  } finally {
    settle(usage);
  }
}
