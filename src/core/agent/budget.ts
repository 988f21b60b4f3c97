import type { Usage } from './usage.ts';

/** The size of a model call in tokens: the estimate of its prompt, and the most it may write. */
export type CallSize = { readonly input: number; readonly output: number };

export type Refusal = { readonly granted: false; readonly limit: 'tokens' | 'time' };

/** Tokens set aside for one attempt of one call. Must be settled exactly once, also when the attempt failed. */
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
  leave(): void;
};

type Member = { lastCall: CallSize | null };

/** Estimates of prompts are a few per cent off on code. */
const margin = 1.15;
/** A ratio of reported to estimated input is believed at once when it rises, and forgotten slowly. */
const memory = 0.8;

/**
 * The tokens and the time of a whole run, shared by the conversations that go on at once. Deadlines are milliseconds of
 * `now`: after the soft one only last calls start, after the hard one nothing does. Input and output tokens count alike.
 */
export class Budget {
  readonly maxTokens: number;
  readonly softDeadline: number;
  readonly hardDeadline: number;
  readonly #now: () => number;
  readonly #members = new Set<Member>();
  #spent = 0;
  #inFlight = 0;
  #factor = 1;

  constructor(limits: { maxTokens: number; softDeadline: number; hardDeadline: number; now: () => number }) {
    this.maxTokens = limits.maxTokens;
    this.softDeadline = limits.softDeadline;
    this.hardDeadline = limits.hardDeadline;
    this.#now = limits.now;
  }

  /** Tokens of every settled attempt. */
  get spent(): number {
    return this.#spent;
  }

  /** Refused when not even the opening call and a last call fit. `opening: null` joins for a last call alone. */
  enter(calls: { opening: CallSize | null; lastCall: CallSize }): Membership | Refusal {
    const deadline = calls.opening === null ? this.hardDeadline : this.softDeadline;
    if (this.#now() >= deadline) return { granted: false, limit: 'time' };
    const needed = this.#cost(calls.opening) + this.#cost(calls.lastCall);
    if (needed > this.#free(null)) return { granted: false, limit: 'tokens' };
    const member: Member = { lastCall: calls.lastCall };
    this.#members.add(member);
    return {
      granted: true,
      reserve: (call, lastCall) => this.#reserve(member, { call, lastCall }),
      reserveLast: (call) => this.#reserveLast(member, call),
      keep: (lastCall) => this.#keep(member, lastCall),
      available: () => Math.max(0, this.#free(member)),
      leave: () => void this.#members.delete(member),
    };
  }

  #reserve(member: Member, wanted: { call: CallSize; lastCall: CallSize }): Reservation | Refusal {
    if (this.#now() >= this.softDeadline) return { granted: false, limit: 'time' };
    const needed = this.#cost(wanted.call) + this.#cost(wanted.lastCall);
    if (needed > this.#free(member)) return { granted: false, limit: 'tokens' };
    member.lastCall = wanted.lastCall;
    return this.#open(wanted.call, () => undefined);
  }

  #reserveLast(member: Member, call: CallSize): Reservation | Refusal {
    if (this.#now() >= this.hardDeadline) return { granted: false, limit: 'time' };
    if (this.#cost(call) > this.#payableLast(member)) return { granted: false, limit: 'tokens' };
    member.lastCall = null;
    // A last call that failed may be tried again, with what it did not use.
    return this.#open(call, () => void this.#keep(member, call));
  }

  // When the estimates proved too low, what is kept for all may be more than is left: then the first come are served.
  #payableLast(member: Member): number {
    const unspent = this.maxTokens - this.#spent - this.#inFlight;
    return Math.max(this.#free(member), Math.min(unspent, this.#cost(member.lastCall)));
  }

  #keep(member: Member, lastCall: CallSize): boolean {
    const cost = this.#cost(lastCall);
    if (cost > this.#cost(member.lastCall) && cost > this.#free(member)) return false;
    member.lastCall = lastCall;
    return true;
  }

  #open(call: CallSize, then: () => void): Reservation {
    const cost = this.#cost(call);
    let open = true;
    this.#inFlight += cost;
    return {
      granted: true,
      input: Math.ceil(call.input * this.#factor),
      settle: (usage) => {
        if (!open) throw new Error('a reservation was settled twice');
        open = false;
        this.#inFlight -= cost;
        this.#spent += usage.input + usage.output;
        this.#learn(call, usage);
        then();
      },
    };
  }

  #learn(call: CallSize, usage: Usage): void {
    if (usage.estimated || usage.input === 0 || call.input === 0) return;
    const ratio = usage.input / call.input;
    this.#factor = Math.max(1, ratio, memory * this.#factor + (1 - memory) * ratio);
  }

  #cost(call: CallSize | null): number {
    return call === null ? 0 : Math.ceil(call.input * this.#factor * margin) + call.output;
  }

  /** What is neither spent, nor in flight, nor kept for the last call of another member. */
  #free(member: Member | null): number {
    let free = this.maxTokens - this.#spent - this.#inFlight;
    for (const other of this.#members) if (other !== member) free -= this.#cost(other.lastCall);
    return free;
  }
}
