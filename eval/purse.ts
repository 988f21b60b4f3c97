import {
  type Amount,
  add,
  Budget,
  type CallSize,
  type Funds,
  larger,
  nothing,
  type Share,
} from '../src/core/agent/budget.ts';
import { estimateTokens, requestEstimator } from '../src/core/agent/estimate.ts';
import { costOf, type Model, ModelError, noUsage, type Price, type Usage } from '../src/core/agent/model.ts';
import type { Reporter } from '../src/core/events.ts';
import type { Embedder } from '../src/core/knowledge/by-meaning.ts';
import { ownPriceOf, priceOf } from '../src/core/settings/formats.ts';
import { outputTokens } from '../src/core/settings/problems.ts';
import type { Settings } from '../src/core/settings/settings.ts';
import type { EvalModels } from './recording.ts';

type Limit = 'tokens' | 'cost';

/** In input and output tokens, and US$; null is no limit. */
export type PurseLimits = { readonly maxTokens: number | null; readonly maxCost: number | null };

/** What the review of one case may use. */
export type CaseFunds = {
  /** Sets aside what the review usually takes, before its first call. */
  readonly onEvent: Reporter;
  /** The same models: a call that might not fit is not made, and the case ends. */
  readonly paying: (models: EvalModels, by: { settings: Settings; judgeModel: string }) => EvalModels;
  readonly used: () => Amount;
  /** Set when there is no room for the case as long as others go on: it resolves when one of them ends, and the case may be begun again. */
  readonly room: () => Promise<void> | null;
  readonly close: () => void;
};

/** What all reviews of an evaluation, and its judge, use together. */
export class Purse {
  readonly #budget: Budget;
  #dearest = nothing;
  #reached: Limit | null = null;

  constructor({ maxTokens, maxCost }: PurseLimits) {
    const never = Number.POSITIVE_INFINITY;
    const deadlines = { softDeadline: never, hardDeadline: never, now: () => 0 };
    this.#budget = new Budget({ maxTokens: maxTokens ?? never, maxCost, ...deadlines });
  }

  get used(): Amount {
    return { tokens: this.#budget.spent, cost: this.#budget.spentCost };
  }

  /** The limit that the next case might not fit; null while cases may start. */
  get reached(): Limit | null {
    return this.#reached;
  }

  /** For one case, which `end` ends. What is kept for it is what reviews like it usually take, or the dearest one so far took, and an answer more. */
  open(end: () => void): CaseFunds {
    let [share, used, answer]: [Share | null, Amount, Amount] = [null, nothing, nothing];
    let room: Promise<void> | null = null;
    const refuse = (limit: Limit | 'time') => {
      this.#reached ??= limit === 'cost' ? 'cost' : 'tokens';
      end();
    };
    const spend = (amount: Amount) => {
      used = add(used, amount);
    };
    return {
      onEvent: (event) => {
        if (event.type !== 'run-estimate') return;
        const usual = { tokens: event.input + event.output, cost: event.cost ?? 0 };
        const wanted = add(larger(usual, this.#dearest), answer);
        const given = this.#budget.share({ least: wanted, wanted });
        if (given.granted) share = given;
        else if (!this.#budget.hasShares || this.#reached !== null) refuse(given.limit);
        else {
          room = this.#budget.nextClosed();
          end();
        }
      },
      paying: ({ model, verifyModel, judge, embedder }, { settings, judgeModel }) => {
        const { pricing, model: name, verifyModel: verifier, embeddingsModel } = settings;
        const account = (price: Price | null) => ({ funds: () => share ?? this.#budget, refuse, spend, price });
        const [price, tokens] = [priceOf(pricing, name), outputTokens(settings).last];
        answer = { tokens, cost: price === null ? 0 : costOf({ ...noUsage, output: tokens }, price) };
        return {
          model: model && payingModel(model, account(price)),
          verifyModel: verifyModel && payingModel(verifyModel, account(priceOf(pricing, verifier))),
          judge: judge && payingModel(judge, account(priceOf(pricing, judgeModel))),
          embedder: embedder && payingEmbedder(embedder, account(ownPriceOf(pricing, embeddingsModel))),
        };
      },
      used: () => used,
      room: () => room,
      close: () => {
        share?.close();
        this.#dearest = larger(this.#dearest, used);
      },
    };
  }
}

type Account = {
  readonly funds: () => Pick<Funds, 'enter'>;
  readonly refuse: (limit: Limit | 'time') => void;
  readonly spend: (amount: Amount) => void;
  readonly price: Price | null;
};

function payingModel(model: Model, account: Account): Model {
  const inputOf = requestEstimator(estimateTokens);
  return {
    answer: (request, signal) =>
      pay(account, { input: inputOf(request), output: request.maxOutputTokens }, () => model.answer(request, signal)),
  };
}

function payingEmbedder(embedder: Embedder, account: Account): Embedder {
  return {
    embed: (texts, signal) =>
      pay(account, { input: estimateTokens(texts.join('\n')), output: 0 }, () => embedder.embed(texts, signal)),
  };
}

async function pay<T extends { readonly usage: Usage | null }>(
  { funds, refuse, spend, price }: Account,
  size: CallSize,
  ask: () => Promise<T>,
): Promise<T> {
  const member = funds().enter({ opening: null, lastCall: size, price });
  const call = member.granted ? member.reserveLast(size) : member;
  if (!member.granted || !call.granted) {
    refuse(call.granted ? 'tokens' : call.limit);
    throw new ModelError('aborted', 'The limit of the evaluation was reached.');
  }
  // As long as nobody says otherwise: a server may go on with a call that was given up, and bill it.
  let usage: Usage = { ...noUsage, ...size, estimated: true };
  try {
    const answer = await ask();
    usage = answer.usage ?? usage;
    return answer;
  } catch (error) {
    if (error instanceof ModelError && error.kind !== 'aborted' && !error.maybeBilled) usage = noUsage;
    throw error;
  } finally {
    call.settle(usage);
    member.leave();
    spend({ tokens: usage.input + usage.output, cost: price === null ? 0 : costOf(usage, price) });
  }
}
