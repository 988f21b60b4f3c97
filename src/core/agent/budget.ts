import { type CallSize, estimateRatio } from './call-size.ts';
import { costOf, type Price } from './price.ts';
import type { Usage } from './usage.ts';

export type { CallSize } from './call-size.ts';

export type BudgetLimits = {
  /** Input and output tokens, which count alike. */
  readonly maxTokens: number;
  /** US$; null is no limit. Calls without a price cost nothing. */
  readonly maxCost: number | null;
  /** Milliseconds of `now`: after the soft one only last calls start, after the hard one nothing does. */
  readonly softDeadline: number;
  readonly hardDeadline: number;
  readonly now: () => number;
};

export type Refusal = { readonly granted: false; readonly limit: 'tokens' | 'cost' | 'time' };

/** Set aside for one attempt of one call. Must be settled exactly once, also when the attempt failed. */
export type Reservation = {
  readonly granted: true;
  /** The prompt's estimate, corrected by what the provider reported so far. */
  readonly input: number;
  settle(usage: Usage): void;
};

/** What a running conversation holds of the budget: always enough for its last call, as far as the estimates are right. */
export type Membership = {
  readonly granted: true;
  /** For an iteration. It starts only when the last call that may follow it, `lastCall`, can be paid as well. */
  reserve(call: CallSize, lastCall: CallSize): Reservation | Refusal;
  /** For a last call: it may use what was kept for it. */
  reserveLast(call: CallSize): Reservation | Refusal;
  /** The history changed: keep this much for the last call. False, and nothing changed, when that does not fit. */
  keep(lastCall: CallSize): boolean;
  /** Tokens that this conversation may still use, its last call included. */
  available(): number;
  /** US$ that it may still use; null without a limit. */
  availableCost(): number | null;
  leave(): void;
};

type Member = { lastCall: CallSize | null; readonly price: Price | null };

/** What a call takes of each limit. */
type Amount = { readonly tokens: number; readonly cost: number };

const nothing: Amount = { tokens: 0, cost: 0 };
/** Sums of prices are not exact: a millionth of a cent is no overdraft. */
const epsilon = 1e-8;

/** The tokens, the money and the time of a whole run, shared by the conversations that go on at once. */
export class Budget {
  readonly maxTokens: number;
  readonly maxCost: number | null;
  readonly softDeadline: number;
  readonly hardDeadline: number;
  readonly #now: () => number;
  readonly #members = new Set<Member>();
  readonly #ratio = estimateRatio();
  #spent = nothing;
  #inFlight = nothing;

  constructor(limits: BudgetLimits) {
    this.maxTokens = limits.maxTokens;
    this.maxCost = limits.maxCost;
    this.softDeadline = limits.softDeadline;
    this.hardDeadline = limits.hardDeadline;
    this.#now = limits.now;
  }

  /** Tokens of every settled attempt. */
  get spent(): number {
    return this.#spent.tokens;
  }

  /** US$ of every settled attempt. */
  get spentCost(): number {
    return this.#spent.cost;
  }

  /** Refused when not even the opening call and a last call fit. `opening: null` joins for a last call alone. */
  enter(calls: { opening: CallSize | null; lastCall: CallSize; price: Price | null }): Membership | Refusal {
    const deadline = calls.opening === null ? this.hardDeadline : this.softDeadline;
    if (this.#now() >= deadline) return { granted: false, limit: 'time' };
    const member: Member = { lastCall: calls.lastCall, price: calls.price };
    const needed = add(this.#amount(calls.opening, member.price), this.#amount(calls.lastCall, member.price));
    const lacking = this.#lacking(needed, this.#free(null));
    if (lacking !== null) return { granted: false, limit: lacking };
    this.#members.add(member);
    return {
      granted: true,
      reserve: (call, lastCall) => this.#reserve(member, { call, lastCall }),
      reserveLast: (call) => this.#reserveLast(member, call),
      keep: (lastCall) => this.#keep(member, lastCall),
      available: () => Math.max(0, this.#free(member).tokens),
      availableCost: () => (this.maxCost === null ? null : Math.max(0, this.#free(member).cost)),
      leave: () => void this.#members.delete(member),
    };
  }

  #reserve(member: Member, wanted: { call: CallSize; lastCall: CallSize }): Reservation | Refusal {
    if (this.#now() >= this.softDeadline) return { granted: false, limit: 'time' };
    const needed = add(this.#amount(wanted.call, member.price), this.#amount(wanted.lastCall, member.price));
    const lacking = this.#lacking(needed, this.#free(member));
    if (lacking !== null) return { granted: false, limit: lacking };
    member.lastCall = wanted.lastCall;
    return this.#open(wanted.call, { member, after: () => undefined });
  }

  #reserveLast(member: Member, call: CallSize): Reservation | Refusal {
    if (this.#now() >= this.hardDeadline) return { granted: false, limit: 'time' };
    const lacking = this.#lacking(this.#amount(call, member.price), this.#payableLast(member));
    if (lacking !== null) return { granted: false, limit: lacking };
    member.lastCall = null;
    // A last call that failed may be tried again, with what it did not use.
    return this.#open(call, { member, after: () => void this.#keep(member, call) });
  }

  // When the estimates proved too low, what is kept for all may be more than is left: then the first come are served.
  #payableLast(member: Member): Amount {
    const free = this.#free(member);
    const unspent = this.#unspent();
    const kept = this.#amount(member.lastCall, member.price);
    return {
      tokens: Math.max(free.tokens, Math.min(unspent.tokens, kept.tokens)),
      cost: Math.max(free.cost, Math.min(unspent.cost, kept.cost)),
    };
  }

  #keep(member: Member, lastCall: CallSize): boolean {
    const wanted = this.#amount(lastCall, member.price);
    const kept = this.#amount(member.lastCall, member.price);
    const grows = wanted.tokens > kept.tokens || wanted.cost > kept.cost;
    if (grows && this.#lacking(wanted, this.#free(member)) !== null) return false;
    member.lastCall = lastCall;
    return true;
  }

  #open(call: CallSize, { member, after }: { member: Member; after: () => void }): Reservation {
    const reserved = this.#amount(call, member.price);
    let open = true;
    this.#inFlight = add(this.#inFlight, reserved);
    return {
      granted: true,
      input: this.#ratio.corrected(call.input),
      settle: (usage) => {
        if (!open) throw new Error('a reservation was settled twice');
        open = false;
        this.#inFlight = subtract(this.#inFlight, reserved);
        const cost = member.price === null ? 0 : costOf(usage, member.price);
        this.#spent = add(this.#spent, { tokens: usage.input + usage.output, cost });
        this.#ratio.learn(call, usage);
        after();
      },
    };
  }

  /** As if nothing came from the provider's cache. */
  #amount(call: CallSize | null, price: Price | null): Amount {
    if (call === null) return nothing;
    const { input, output } = this.#ratio.reserved(call);
    return { tokens: input + output, cost: price === null ? 0 : costOf({ input, cached: 0, output }, price) };
  }

  #lacking(needed: Amount, free: Amount): 'tokens' | 'cost' | null {
    if (needed.tokens > free.tokens) return 'tokens';
    return needed.cost > free.cost + epsilon ? 'cost' : null;
  }

  #unspent(): Amount {
    const whole = { tokens: this.maxTokens, cost: this.maxCost ?? Number.POSITIVE_INFINITY };
    return subtract(subtract(whole, this.#spent), this.#inFlight);
  }

  /** What is neither spent, nor in flight, nor kept for the last call of another member. */
  #free(member: Member | null): Amount {
    let free = this.#unspent();
    for (const other of this.#members) {
      if (other !== member) free = subtract(free, this.#amount(other.lastCall, other.price));
    }
    return free;
  }
}

function add(one: Amount, other: Amount): Amount {
  return { tokens: one.tokens + other.tokens, cost: one.cost + other.cost };
}

function subtract(one: Amount, other: Amount): Amount {
  return { tokens: one.tokens - other.tokens, cost: one.cost - other.cost };
}
