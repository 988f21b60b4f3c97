import { type CallSize, estimateRatio } from './estimate.ts';
import { costOf, type Price, type Usage } from './model.ts';

export type { CallSize } from './estimate.ts';
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

/** A conversation, what it keeps for its last call, and the share that it draws on. */
type Member = { lastCall: CallSize | null; readonly price: Price | null; readonly holder: Holder };

/** What a conversation asks for its calls: the budget of the run, or a share of it. */
export type Funds = Pick<Budget, 'softDeadline' | 'hardDeadline' | 'enter'>;

/** A part of the budget that nobody else can use until it is closed. Its conversations may use what is free beyond it, too. */
export type Share = Funds & { readonly granted: true; close(): void };

/** What is kept for those who share, as the size of one call that would use it all. */
type SharedSize = { readonly size: CallSize; readonly price: Price | null };

/** What a call takes of each limit. */
export type Amount = { readonly tokens: number; readonly cost: number };

type Holder = { amount: Amount; used: Amount; readonly members: Set<Member> };

export const nothing: Amount = { tokens: 0, cost: 0 };
/** Sums of prices are not exact: a millionth of a cent is no overdraft. */
const epsilon = 1e-8;

/**
 * The tokens, the money and the time of a whole run, shared by the conversations that go on at once. What is kept for open shares and
 * for those who wait for one is not free for others; conversations of the run itself, of no share, need not leave anything to who waits.
 */
export class Budget {
  readonly maxTokens: number;
  readonly maxCost: number | null;
  readonly softDeadline: number;
  readonly hardDeadline: number;
  readonly #now: () => number;
  readonly #own: Holder = { amount: nothing, used: nothing, members: new Set() };
  readonly #holders = new Set<Holder>([this.#own]);
  #waiting: SharedSize | null = null;
  #closed: (() => void)[] = [];
  readonly #ratio = estimateRatio();
  #spent = nothing;
  #inFlight = nothing;

  constructor(limits: {
    /** Input and output tokens, which count alike. */
    maxTokens: number;
    /** US$; null is no limit. Calls without a price cost nothing. */
    maxCost: number | null;
    /** Milliseconds of `now`: after the soft one only last calls start, after the hard one nothing does. */
    softDeadline: number;
    hardDeadline: number;
    now: () => number;
  }) {
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
  enter(calls: Entering): Membership | Refusal {
    return this.#enter(this.#own, calls);
  }

  /** What a call of this size takes of each limit, by what is known of the estimates now, and as if nothing came from the provider's cache. */
  amountOf(call: CallSize | null, price: Price | null): Amount {
    if (call === null) return nothing;
    const { input, output } = this.#ratio.reserved(call);
    return { tokens: input + output, cost: price === null ? 0 : costOf({ input, cached: 0, output }, price) };
  }

  get hasShares(): boolean {
    return this.#holders.size > 1;
  }

  /** What is to be kept for those who wait for a share; null: nobody waits. */
  keepForWaiting(waiting: SharedSize | null): void {
    this.#waiting = waiting;
  }

  /** Sets a share aside: so much as is wanted and free, or none when that is less than the least. */
  share({ least, wanted }: { least: Amount; wanted: Amount }): Share | Refusal {
    const free = this.#unkept(null);
    const refusal = this.#refusal(least, free, this.softDeadline);
    if (refusal !== null) return refusal;
    const holder: Holder = { amount: smaller(wanted, free), used: nothing, members: new Set() };
    this.#holders.add(holder);
    return {
      granted: true,
      softDeadline: this.softDeadline,
      hardDeadline: this.hardDeadline,
      enter: (calls) => this.#enter(holder, calls),
      close: () => {
        this.#holders.delete(holder);
        for (const tell of this.#closed.splice(0)) tell();
      },
    };
  }

  /** Resolves when the next share is closed. */
  nextClosed(): Promise<void> {
    return new Promise((resolve) => this.#closed.push(resolve));
  }

  #enter(holder: Holder, { opening, lastCall, price }: Entering): Membership | Refusal {
    const member: Member = { lastCall, price, holder };
    const deadline = opening === null ? this.hardDeadline : this.softDeadline;
    const needed = add(this.amountOf(opening, price), this.#kept(member));
    const refusal = this.#refusal(needed, this.#free(member), deadline);
    if (refusal !== null) return refusal;
    holder.members.add(member);
    return {
      granted: true,
      reserve: (call, last) => this.#reserve(member, call, last),
      reserveLast: (call) => this.#reserveLast(member, call),
      keep: (last) => this.#keep(member, last),
      available: () => Math.max(0, this.#free(member).tokens),
      availableCost: () => (this.maxCost === null ? null : Math.max(0, this.#free(member).cost)),
      leave: () => void holder.members.delete(member),
    };
  }

  #reserve(member: Member, call: CallSize, lastCall: CallSize): Reservation | Refusal {
    const needed = add(this.amountOf(call, member.price), this.amountOf(lastCall, member.price));
    const refusal = this.#refusal(needed, this.#free(member), this.softDeadline);
    if (refusal !== null) return refusal;
    member.lastCall = lastCall;
    return this.#open(member, call, () => undefined);
  }

  #reserveLast(member: Member, call: CallSize): Reservation | Refusal {
    // When the estimates proved too low, what is kept for all may be more than is left: then the first come are served.
    const payable = larger(this.#free(member), smaller(this.#unspent(), this.#kept(member)));
    const refusal = this.#refusal(this.amountOf(call, member.price), payable, this.hardDeadline);
    if (refusal !== null) return refusal;
    member.lastCall = null;
    // A last call that failed may be tried again, with what it did not use.
    return this.#open(member, call, () => void this.#keep(member, call));
  }

  #keep(member: Member, lastCall: CallSize): boolean {
    const wanted = this.amountOf(lastCall, member.price);
    const grows = lacking(wanted, this.#kept(member), 0) !== null;
    if (grows && lacking(wanted, this.#free(member)) !== null) return false;
    member.lastCall = lastCall;
    return true;
  }

  #open({ holder, price }: Member, call: CallSize, after: () => void): Reservation {
    const reserved = this.amountOf(call, price);
    let open = true;
    this.#inFlight = add(this.#inFlight, reserved);
    holder.used = add(holder.used, reserved);
    return {
      granted: true,
      input: this.#ratio.corrected(call.input),
      settle: (usage) => {
        if (!open) throw new Error('a reservation was settled twice');
        open = false;
        this.#inFlight = subtract(this.#inFlight, reserved);
        const used = { tokens: usage.input + usage.output, cost: price === null ? 0 : costOf(usage, price) };
        this.#spent = add(this.#spent, used);
        holder.used = add(subtract(holder.used, reserved), used);
        this.#ratio.learn(call, usage);
        after();
      },
    };
  }

  /** The one rule for all that starts: in time, and within what nobody else is sure of. Null when it may. */
  #refusal(needed: Amount, free: Amount, deadline: number): Refusal | null {
    const limit = this.#now() >= deadline ? 'time' : lacking(needed, free);
    return limit === null ? null : { granted: false, limit };
  }

  #kept({ lastCall, price }: Member): Amount {
    return this.amountOf(lastCall, price);
  }

  #unspent(): Amount {
    const whole = { tokens: this.maxTokens, cost: this.maxCost ?? Number.POSITIVE_INFINITY };
    return subtract(subtract(whole, this.#spent), this.#inFlight);
  }

  /** What is neither spent, nor in flight, nor kept: for the last calls and the shares of others, and for those who wait. */
  #free(member: Member): Amount {
    const { holder } = member;
    let free = this.#unkept(holder);
    for (const other of holder.members) if (other !== member) free = subtract(free, this.#kept(other));
    if (holder === this.#own || this.#waiting === null) return free;
    const beyond = larger(nothing, subtract(free, larger(nothing, subtract(holder.amount, holder.used))));
    return subtract(free, smaller(beyond, this.amountOf(this.#waiting.size, this.#waiting.price)));
  }

  /** What is unspent and not kept for anybody else. */
  #unkept(except: Holder | null): Amount {
    let unkept = this.#unspent();
    for (const holder of this.#holders) {
      if (holder === except) continue;
      const lastCalls = [...holder.members].map((member) => this.#kept(member)).reduce(add, nothing);
      unkept = subtract(unkept, larger(lastCalls, subtract(holder.amount, holder.used)));
    }
    return unkept;
  }
}

type Entering = { readonly opening: CallSize | null; readonly lastCall: CallSize; readonly price: Price | null };

/** Which limit does not suffice; null when both do. */
export function lacking(needed: Amount, free: Amount, allowance = epsilon): 'tokens' | 'cost' | null {
  if (needed.tokens > free.tokens) return 'tokens';
  return needed.cost > free.cost + allowance ? 'cost' : null;
}

export function add(one: Amount, other: Amount): Amount {
  return { tokens: one.tokens + other.tokens, cost: one.cost + other.cost };
}

function subtract(one: Amount, other: Amount): Amount {
  return { tokens: one.tokens - other.tokens, cost: one.cost - other.cost };
}

export function larger(one: Amount, other: Amount): Amount {
  return { tokens: Math.max(one.tokens, other.tokens), cost: Math.max(one.cost, other.cost) };
}

function smaller(one: Amount, other: Amount): Amount {
  return { tokens: Math.min(one.tokens, other.tokens), cost: Math.min(one.cost, other.cost) };
}

/** How much of one answer of a model is taken in. */
export const limits = {
  /** Tool calls of one answer: as many as OpenAI's API lets a model make. The first are taken, and the model learns about the others. */
  callsOfAnswer: 128,
} as const;
